"""Exchange prototypes one at a time until nothing is better: what swaps and polishing share."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from protopick.criteria import Criterion, Objective
from protopick.search import Swaps
from protopick.search.swaps import AHEAD
from protopick.selectors.problem import Problem

CANDIDATES_PER_PROTOTYPE = 60
"""About as many as the genetic algorithm draws with its usual settings."""

_ON_DEVICE = 64


def at_once(criterion: Criterion, problem: Problem) -> int:
    """Return how many candidates to look at together, at least: a GPU hardly notices many."""
    return _ON_DEVICE if criterion.many_at_once and problem.columns.dissimilarity.on_device else 8


def descend(
    objective: Objective,
    problem: Problem,
    start: np.ndarray,
    pool: np.ndarray,
    n_tried: int,
    *,
    best_of_batch: bool = False,
    at_once: int = 8,
    max_rounds: float = np.inf,
    deadline: float = np.inf,
    enough: Callable[[np.ndarray], bool] = lambda candidates: False,
    step: Callable[[str], None] = lambda remark: None,
) -> Swaps:
    """Search from ``start`` with ``n_tried`` of ``pool`` until nothing is better.

    Or until the ``deadline``, or until ``enough()`` says so of the candidates to look at next. At least
    ``at_once`` candidates are looked at together.
    """
    tried = pool[~np.isin(pool, start)][:n_tried]
    around = objective.around(start, lambda limit: tried[: min(limit, AHEAD)])
    search = Swaps(
        start,
        around.value,
        tried,
        best_of_batch=best_of_batch,
        n_fixed=len(problem.fixed),
        max_rounds=max_rounds,
        quota=problem.quota,
        smallest=at_once,
    )
    while not search.done and time.monotonic() < deadline:
        candidates = search.ask()
        if enough(candidates):
            break
        exchanged = search.tell(around.values(candidates, search.upcoming))
        if exchanged is not None:
            around.exchange(*exchanged)
        step(f"best {search.best_value:g}")
    return search
