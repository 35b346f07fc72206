"""The searches that `AutoSelector` runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from protopick.criteria import CRITERIA
from protopick.selectors.descent import CANDIDATES_PER_PROTOTYPE
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.problem import Problem, Solution
from protopick.selectors.swap import SwapSelector

_FEW = 200
_MANY = 2000
"""Candidates at most, where one costs more than its column."""


@dataclass(frozen=True)
class Method:
    """A named search, and what it maximises."""

    name: str
    criterion: str
    run: Callable[[Problem, np.ndarray, Callable[[], Solution], float], Solution]
    """``run(problem, pool, traversal, seconds)`` solves the problem with candidates of ``pool``, within a
    time; ``traversal()`` is the farthest-first traversal that several methods begin with."""

    needs_labels: bool = False


def pool_size(k: int) -> int:
    """Return how many candidates the searches share."""
    return (CANDIDATES_PER_PROTOTYPE + 1) * k


def _farthest_first(
    problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
) -> Solution:
    return traversal()


def _spanning_tree(
    problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
) -> Solution:
    return GeneticSelector(problem.k, criterion="spanning-tree")._solve(problem)


def _swaps(criterion: str, init: str, most: float) -> Callable[..., Solution]:
    def run(
        problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
    ) -> Solution:
        selector = SwapSelector(
            problem.k,
            criterion=criterion,
            init="random" if init == "random" else traversal().prototypes,
            max_candidates=int(min(CANDIDATES_PER_PROTOTYPE * problem.k, most)),
            max_seconds=None if np.isinf(seconds) else max(seconds, 1e-3),
        )
        return selector._solve(problem, pool)

    return run


def _swapping(criterion: str, init: str, most: float = np.inf) -> Method:
    """Return swaps with the candidates that are shared, ``most`` of them."""
    name = f"swaps, {criterion}, from {init}"
    return Method(name, criterion, _swaps(criterion, init, most), CRITERIA[criterion].needs_labels)


USUAL = "swaps, label-match, from random"
"""What is kept where nothing clearly beats it, since it does best over many data sets."""

# The fast ones first: with a time limit, what comes last may not be run.
PORTFOLIO = (
    Method("farthest-first", "radius", _farthest_first),
    Method("genetic, spanning-tree", "spanning-tree", _spanning_tree),
    _swapping("label-match", "random"),
    _swapping("label-match", "farthest-first"),
    _swapping("discriminant", "random", _MANY),
    _swapping("coverage", "random"),
    _swapping("neighbor-agreement", "farthest-first", _FEW),
    _swapping("radius", "farthest-first"),
)
