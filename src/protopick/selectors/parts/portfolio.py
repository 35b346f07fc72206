"""The searches that `AutoSelector` runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from protopick.criteria import CRITERIA
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.parts.descent import CANDIDATES_PER_PROTOTYPE
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.random import RandomSelector
from protopick.selectors.swap import SwapSelector

_FEW, _SOME, _MANY = 800, 1200, 2000
"""Candidates at most, where one costs more than its column."""


@dataclass(frozen=True)
class Task:
    """What a search has to solve."""

    problem: Problem
    pool: np.ndarray
    """The candidates that the searches share, in the order in which they are tried."""

    traversal: Callable[[], Solution]
    """The farthest-first traversal, which several methods begin with."""

    seconds: float
    """How long it may take."""


@dataclass(frozen=True)
class Method:
    """A named search, and what it maximises."""

    name: str
    criterion: str
    run: Callable[[Task], Solution]
    needs_labels: bool = False
    is_usual: bool = False
    """Whether its set of very few objects is kept unless clearly beaten, since it does well on most data."""

    fits_few: bool = False
    """Whether it fits few objects so closely that its error on them says little."""


@dataclass(frozen=True)
class Schedule:
    """Which searches are run, and how often."""

    methods: tuple[Method, ...]
    n_best: int
    """How many of the methods, the best ones, get further starts."""

    n_further: int
    """How many further starts these get."""

    always: tuple[Method, ...] = ()
    """What gets as many, however well it did."""

    @property
    def n_searches(self) -> int:
        """How many searches that makes, at most."""
        return len(self.methods) + (self.n_best + len(self.always)) * self.n_further


def pool_size(k: int) -> int:
    """Return how many candidates the searches share."""
    return (CANDIDATES_PER_PROTOTYPE + 1) * k


def _farthest_first(task: Task) -> Solution:
    return task.traversal()


def _spanning_tree(task: Task) -> Solution:
    return GeneticSelector(task.problem.k, criterion="spanning-tree")._solve(task.problem)


def _random(task: Task) -> Solution:
    return Solution(task.problem.draw_set())


def _stratified(task: Task) -> Solution:
    return _admitted(task.problem, RandomSelector(task.problem.k, stratified=True)._solve(task.problem))


def _k_centers(task: Task) -> Solution:
    return _admitted(task.problem, KCentersSelector(task.problem.k)._solve(task.problem))


def _admitted(problem: Problem, found: Solution) -> Solution:
    """Return what was found, with others for those that the quota does not allow."""
    return replace(found, prototypes=problem.admitted(found.prototypes))


def _swaps(task: Task, *, criterion: str, init: str, most: float, rounds: int | None) -> Solution:
    k = task.problem.k
    selector = SwapSelector(
        k,
        criterion=criterion,
        init="random" if init == "random" else task.traversal().prototypes,
        max_candidates=int(min(CANDIDATES_PER_PROTOTYPE * k, most)),
        max_rounds=rounds,
        max_seconds=None if np.isinf(task.seconds) else max(task.seconds, 1e-3),
    )
    return selector._solve(task.problem, task.pool)


def _swapping(criterion: str, init: str, most: float = np.inf, rounds: int | None = None) -> Method:
    """Return swaps with the candidates that are shared, ``most`` of them, each tried ``rounds`` times."""
    run = partial(_swaps, criterion=criterion, init=init, most=most, rounds=rounds)
    return Method(f"swaps, {criterion}, from {init}", criterion, run, CRITERIA[criterion].needs_labels)


# The fast ones first: with a time limit, what comes last may not be run.
PORTFOLIO = (
    Method("farthest-first", "radius", _farthest_first),
    Method("genetic, spanning-tree", "spanning-tree", _spanning_tree),
    _swapping("label-match", "random"),
    _swapping("label-match", "farthest-first"),
    _swapping("discriminant", "random", _MANY),
    replace(_swapping("linear-margin", "random", _SOME), is_usual=True),
    replace(_swapping("quadratic-margin", "random", _SOME, rounds=2), is_usual=True),
    _swapping("coverage", "random"),
    replace(_swapping("neighbor-margin", "farthest-first", _FEW, rounds=1), fits_few=True),
)

WITHOUT_LABELS = (_swapping("radius", "farthest-first"),)
"""What is run as well where there are no labels."""

BY_CHANCE = Method("random", "", _random)

FOR_FEW = (
    BY_CHANCE,
    Method("random, stratified", "", _stratified, needs_labels=True),
    Method("k-centres", "radius", _k_centers),
)
"""What is run as well where objects are few and have labels: luck counts there, so more sets are tried."""

VERY_FEW = 2000
"""Below so many objects, errors are rough: more sets are tried, and what usually does well is preferred."""


def schedule(n: int, *, labelled: bool, few: bool, on_stand_ins: bool) -> Schedule:
    """Return the searches for n objects; ``few`` says that none is held out from them."""
    methods = tuple(method for method in PORTFOLIO if labelled or not method.needs_labels)
    if not labelled:
        return Schedule(methods + WITHOUT_LABELS, 1, 3)
    if few:
        methods += FOR_FEW
        return Schedule(methods, 3, 4) if n < VERY_FEW else Schedule(methods, 1, 3)
    # What serves stand-ins need not serve the objects, so sets that were not searched for compete.
    return Schedule((*methods, BY_CHANCE), 1, 3, (BY_CHANCE,)) if on_stand_ins else Schedule(methods, 1, 3)
