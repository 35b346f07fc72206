"""Exchange prototypes one at a time until nothing is better: what swaps and polishing share."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from protopick.criteria import Criterion, Objective
from protopick.search import Swaps
from protopick.search.swaps import AHEAD
from protopick.selectors.parts.problem import Problem

CANDIDATES_PER_PROTOTYPE = 60
"""About as many as the genetic algorithm draws with its usual settings."""

_ON_DEVICE = 64
_SOON = 0.05
"""Seconds in which the next look at the clock should come."""


def bytes_around(criterion: str, itemsize: int) -> int:
    """Return how much memory the exchanges of a set take for each object, with dissimilarities of a size."""
    near = 2 * (itemsize + 4)  # the two nearest prototypes: keys and positions
    if criterion == "coverage":
        return near + 2 * 8 + 8  # what the object counts with each of them; its weight
    return near + 2 + 4 + 1  # likewise, with its label


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
    ``at_once`` candidates are looked at together, fewer where that takes long and there is a deadline.
    """
    tried = pool[~np.isin(pool, start)][:n_tried]
    is_cheap = problem.columns.dissimilarity.bulk  # else nothing is computed that may not be needed
    around = objective.around(start, (lambda limit: tried[: min(limit, AHEAD)]) if is_cheap else None)
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
    clock = _Clock(deadline, AHEAD if is_cheap else 1)
    while not search.done and time.monotonic() < deadline:
        candidates = search.ask()
        if enough(candidates):
            break
        look = partial(around.values, ahead=search.upcoming if is_cheap else None)
        exchanged = search.tell(clock.values_of(look, candidates))
        if exchanged is not None:
            around.exchange(*exchanged)
        step(f"best {search.best_value:g}")
    return search


class _Clock:
    """Looks at candidates a few at a time, as many as leave the clock out of sight for a moment only.

    Parameters
    ----------
    deadline : float
        When to look at no more. Without one, all are looked at together.
    first : int
        How many to begin with, before it is known how long one takes.
    """

    def __init__(self, deadline: float, first: int) -> None:
        self._deadline = deadline
        self._size = first

    def values_of(self, look: Callable[[np.ndarray], np.ndarray], candidates: np.ndarray) -> np.ndarray:
        """Return what ``look`` says of candidates, of the first of them alone where time runs out."""
        if np.isinf(self._deadline):
            return look(candidates)
        values, done = [], 0
        while done < len(candidates) and (not done or time.monotonic() < self._deadline):
            some, began = candidates[done : done + self._size], time.monotonic()
            values.append(look(some))
            done += len(some)
            took = time.monotonic() - began
            self._size = max(1, self._size // 2) if took > _SOON else min(AHEAD, 2 * self._size)
        return np.concatenate(values)
