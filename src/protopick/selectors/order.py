"""The order of prototypes by their worth: the first j are a good set of j."""

from __future__ import annotations

import numpy as np

from protopick.criteria import CRITERIA, Criterion, Data
from protopick.dissimilarity import resolve
from protopick.engine import Columns
from protopick.selectors.problem import Problem

_MOST_WORK = 10**8
_FEWEST_ROWS, _MOST_ROWS = 500, 4096


def order_cost(n: int, k: int) -> int:
    """Return how many dissimilarities `by_worth` takes at most."""
    return k * (k + _n_rows(n, k))


def _n_rows(n: int, k: int) -> int:
    return min(n, _MOST_ROWS, max(_FEWEST_ROWS, 6 * _MOST_WORK // k**3))


def by_worth(criterion: Criterion, problem: Problem, prototypes: np.ndarray) -> np.ndarray:
    """Return the positions of prototypes in the order of a greedy choice by the criterion.

    Each time the one joins that makes the best set with those before it. Evenly spaced objects stand
    for all of them, fewer the more prototypes there are. The fixed prototypes come first. Label
    matches, or coverage where there are no labels, stand for criteria of a sample, which are costly for many
    sets.
    """
    if criterion.samples:
        criterion = CRITERIA["coverage" if problem.codes is None else "label-match"]
    k, n = len(prototypes), problem.columns.n_rows
    others = np.empty(0, np.intp)
    if criterion.n_compared(n):
        others = np.setdiff1d(np.linspace(0, n - 1, _n_rows(n, k)).astype(np.intp), prototypes)
    rows = np.concatenate([prototypes, others])
    D = problem.columns.block(rows, prototypes)
    measure = resolve("precomputed").fit(D)
    small = Columns(D, measure, candidates=np.arange(k), n_jobs=1)  # more threads would cost more
    labels = None if problem.codes is None else problem.codes[rows]
    weights = None if problem.weights is None else problem.weights[rows]
    data = Data(small, labels, weights)
    return criterion.greedy_order(data, k, len(problem.fixed))
