"""The searches that `AutoSelector` runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from protopick.criteria import CRITERIA
from protopick.selectors.descent import CANDIDATES_PER_PROTOTYPE
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.problem import Problem, Solution
from protopick.selectors.random import RandomSelector
from protopick.selectors.swap import SwapSelector

_FEW, _SOME, _MANY = 800, 1200, 2000
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


def _random(
    problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
) -> Solution:
    return Solution(problem.draw_set())


def _stratified(
    problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
) -> Solution:
    return _admitted(problem, RandomSelector(problem.k, stratified=True)._solve(problem))


def _k_centers(
    problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
) -> Solution:
    return _admitted(problem, KCentersSelector(problem.k)._solve(problem))


def _admitted(problem: Problem, found: Solution) -> Solution:
    """Return what was found, with others for those that the quota does not allow."""
    return replace(found, prototypes=problem.admitted(found.prototypes))


def _swaps(criterion: str, init: str, most: float, rounds: int | None) -> Callable[..., Solution]:
    def run(
        problem: Problem, pool: np.ndarray, traversal: Callable[[], Solution], seconds: float
    ) -> Solution:
        selector = SwapSelector(
            problem.k,
            criterion=criterion,
            init="random" if init == "random" else traversal().prototypes,
            max_candidates=int(min(CANDIDATES_PER_PROTOTYPE * problem.k, most)),
            max_rounds=rounds,
            max_seconds=None if np.isinf(seconds) else max(seconds, 1e-3),
        )
        return selector._solve(problem, pool)

    return run


def _swapping(criterion: str, init: str, most: float = np.inf, rounds: int | None = None) -> Method:
    """Return swaps with the candidates that are shared, ``most`` of them, each tried ``rounds`` times."""
    name = f"swaps, {criterion}, from {init}"
    return Method(name, criterion, _swaps(criterion, init, most, rounds), CRITERIA[criterion].needs_labels)


# The fast ones first: with a time limit, what comes last may not be run.
PORTFOLIO = (
    Method("farthest-first", "radius", _farthest_first),
    Method("genetic, spanning-tree", "spanning-tree", _spanning_tree),
    _swapping("label-match", "random"),
    _swapping("label-match", "farthest-first"),
    _swapping("discriminant", "random", _MANY),
    _swapping("linear-margin", "random", _SOME),
    _swapping("quadratic-margin", "random", _SOME, rounds=2),
    _swapping("coverage", "random"),
    _swapping("neighbor-margin", "farthest-first", _FEW, rounds=1),
)

WITHOUT_LABELS = (_swapping("radius", "farthest-first"),)
"""What is run as well where there are no labels."""

FOR_FEW = (
    Method("random", "", _random),
    Method("random, stratified", "", _stratified, needs_labels=True),
    Method("k-centres", "radius", _k_centers),
)
"""What is run as well where objects are few and have labels: luck counts there, so more sets are tried."""

USUAL = ("swaps, linear-margin, from random", "swaps, quadratic-margin, from random")
"""What is kept of very few objects unless it is clearly beaten, since it does well on most data."""

FITTING = ("swaps, neighbor-margin, from farthest-first",)
"""What fits few objects so closely that its error on them says little."""
