"""The order of prototypes by their worth: the first j are a good set of j."""

from __future__ import annotations

import numpy as np

from protopick.criteria import CRITERIA, Criterion, Data
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from protopick.selectors.parts.problem import Problem

_MOST_WORK = 10**8
_FEWEST_ROWS, _MOST_ROWS = 500, 4096
_MOST_BY_MARGIN = 100


def order_cost(n: int, k: int) -> int:
    """Return how many dissimilarities `by_worth` takes at most."""
    return k * (k + _n_rows(n, k))


def _n_rows(n: int, k: int) -> int:
    return min(n, _MOST_ROWS, max(_FEWEST_ROWS, 6 * _MOST_WORK // k**3))


def by_worth(criterion: Criterion, problem: Problem, prototypes: np.ndarray) -> np.ndarray:
    """Return the positions of prototypes in the order of a greedy choice by the criterion.

    Each time the one joins that makes the best set with those before it. Evenly spaced objects stand
    for all of them, fewer the more prototypes there are. The fixed prototypes come first. The linear margin
    stands for all criteria of a sample: it is fast, and sets that grow by it serve other classifiers as well.
    Of very many prototypes, label matches stand for it.
    """
    k, n = len(prototypes), problem.columns.n_rows
    if criterion.samples:
        criterion = CRITERIA["linear-margin" if k <= _MOST_BY_MARGIN else "label-match"]
    others = np.empty(0, np.intp)
    if criterion.n_compared(n):
        n_rows = min(_n_rows(n, k), _MOST_ROWS // 2 if criterion.samples else _MOST_ROWS)
        others = np.linspace(0, n - 1, n_rows).astype(np.intp)  # distinct
        others = others[~np.isin(others, prototypes)]
    rows = np.concatenate([prototypes, others])
    D = problem.columns.block(rows, prototypes)
    measure = resolve("precomputed").fit(D)
    small = columns_of(D, measure, candidates=np.arange(k), n_jobs=1)  # more threads would cost more
    labels = None if problem.codes is None else problem.codes[rows]
    weights = None if problem.weights is None else problem.weights[rows]
    data = Data(small, labels, weights, np.random.default_rng(0))
    return criterion.greedy_order(data, k, len(problem.fixed))
