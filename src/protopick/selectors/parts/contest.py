"""Run searches on the same objects, and judge what they find on the same splits."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from protopick.engine import Columns
from protopick.search import AllIndices, Candidates, Quota
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.parts.clusters import TooFewDistinctError
from protopick.selectors.parts.held_out import FailedEstimatorError, Judge, Losses, Splits
from protopick.selectors.parts.portfolio import Method, Task, pool_size
from protopick.selectors.parts.problem import Problem, Solution

FEW = 8000
"""Below so many objects, none are held out from the searches."""

_N_QUARTERS = 4
_FEWEST_CORRELATED = 8
MOST_SEARCHED = 30_000
LEAST_HELD_OUT, MOST_HELD_OUT = 3000, 6000
MOST_TRAINED = 5000


@dataclass(frozen=True)
class Entry:
    """What a search found, and how well that serves objects that train nothing."""

    method: Method
    k: int
    start: int  # a search is run from several starts
    losses: Losses
    n_judged: int  # objects
    value: float | None
    seconds: float
    n_dissimilarities: int
    prototypes: np.ndarray

    @property
    def error(self) -> float:
        return self.losses.error

    @property
    def std_error(self) -> float:
        return self.losses.std_error

    def clearly_beats(self, other: Entry) -> bool:
        """Say whether the error is lower by more than a standard error of their difference."""
        difference = Losses(other.losses.losses - self.losses.losses, self.losses.weights)
        return difference.error > difference.std_error


class Part:
    """Some of the objects, numbered anew, to search among."""

    def __init__(self, problem: Problem, seen: np.ndarray, seed: int) -> None:
        self._seen = seen
        self._seed = seed
        self._inner = _among(problem, seen)
        self.columns.reserve(self.columns.memory // 2)  # for criteria of a sample, which keep their own
        self._pools: dict[int, np.ndarray] = {}
        self._traversals: dict[tuple[int, int], Solution] = {}

    @property
    def columns(self) -> Columns:
        return self._inner.columns

    def search(self, method: Method, k: int, start: int, seconds: float) -> Solution:
        """Return what the method finds, in the numbers of all objects."""
        # All searches from one start draw the same numbers, and all have the same pool, so that they
        # share columns.
        rng = np.random.default_rng([self._seed, start])
        problem = replace(self._inner, k=k, rng=rng)
        if k not in self._pools:
            draws = replace(problem, rng=np.random.default_rng([self._seed, 0, 0]))
            self._pools[k] = draws.draw(min(len(problem.candidates), pool_size(k)))
        pool = self._pools[k]
        if start:
            pool = np.random.default_rng([self._seed, start, 0]).permutation(pool)
        found = method.run(Task(problem, pool, lambda: self._traversal(problem, start), seconds))
        return replace(found, prototypes=self._seen[found.prototypes])

    def _traversal(self, problem: Problem, start: int) -> Solution:
        """Return the farthest-first traversal from a start, which several searches begin with."""
        if (problem.k, start) not in self._traversals:
            fresh = replace(problem, rng=np.random.default_rng([self._seed, start, 1]))
            found = FarthestFirstSelector(problem.k)._solve(fresh)
            found = replace(found, prototypes=fresh.admitted(found.prototypes))
            self._traversals[problem.k, start] = found
        return self._traversals[problem.k, start]


class Contest:
    """All searches on the same objects, judged on the same splits."""

    def __init__(self, problem: Problem, judge: Judge) -> None:
        self._judge = judge
        self._counter = problem.objects.counter
        seed = int(problem.rng.integers(2**63))
        seen, held_out = parted(problem, np.random.default_rng(seed))
        self.holds_out = len(held_out) > 0
        self.failures: list[FailedEstimatorError] = []
        """What the judge said of sets that it could not judge."""

        self._part = Part(problem, seen, seed)
        if self.holds_out:
            trained = _by_class(problem, seen, seed)[:: -(-len(seen) // MOST_TRAINED)]
            self._ways = [[(np.sort(trained), held_out)]]
        else:
            self._ways = ways_to_split(problem, seed)
        # Of all objects, the columns that the searches kept serve the judge too.
        shared = not self.holds_out and not problem.on_stand_ins
        self._columns = self._part.columns if shared else problem.objects

    @property
    def _n_judged(self) -> int:
        """On how many objects the sets are judged."""
        return len(np.unique(np.concatenate([tested for _, tested in self._ways[0]])))

    @property
    def tested(self) -> str:
        """Which objects the sets are judged on, in words."""
        if self.holds_out:
            return "held out"
        trained, tested = self._ways[0][0]
        if self._judge.trains:
            known = np.isin(tested, trained).all()
            return "that it was trained on" if known else "that it was not trained on"
        return "that were searched"

    def enter(self, method: Method, k: int, start: int, deadline: float) -> Entry | None:
        """Run a search and judge what it finds. None where the data, or the judge, do not allow it."""
        began, before = time.monotonic(), self._counter.total
        try:
            found = self._part.search(method, k, start, deadline - time.monotonic())
            losses = self._judged(found.prototypes)
        except TooFewDistinctError:
            return None
        except FailedEstimatorError as error:
            self.failures.append(error)
            return None
        seconds, cost = time.monotonic() - began, self._counter.total - before
        return Entry(method, k, start, losses, self._n_judged, found.value, seconds, cost, found.prototypes)

    def _judged(self, prototypes: np.ndarray) -> Losses:
        """Return the losses of a set. How the first can be judged, all are."""
        for i, splits in enumerate(self._ways):
            try:
                losses = self._judge.losses(self._columns, prototypes, splits)
            except FailedEstimatorError:
                if i == len(self._ways) - 1:
                    raise
            else:
                self._ways = [splits]
                break
        return losses


def n_compared(n: int, on_stand_ins: bool) -> int:
    """Return with about how many of n objects a set is compared to judge it."""
    if n < FEW:
        return n
    held_out = min(_n_held_out(n, on_stand_ins), MOST_HELD_OUT)
    seen = min(n - held_out, MOST_SEARCHED)
    return held_out + seen // -(-seen // MOST_TRAINED)


def _n_held_out(n: int, on_stand_ins: bool) -> int:
    # Where a search sees stand-ins, more hangs on the judgement, which alone sees the objects.
    return max(n // 10, min(n // 4, MOST_HELD_OUT if on_stand_ins else LEAST_HELD_OUT))


def parted(problem: Problem, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return objects to search among and objects to hold out: none where there are few.

    Fixed objects are never held out, and candidates are not where they are few. Each class is held
    out in proportion. Where too few candidates would be left, or one side would have no weight, all
    objects are searched.
    """
    n = problem.columns.n_rows
    everything, nothing = np.arange(n), np.empty(0, np.intp)
    if n < FEW:
        return everything, nothing
    free = np.ones(n, bool)
    free[problem.fixed] = False
    if not isinstance(problem.candidates, AllIndices) and 2 * len(problem.candidates) < n:
        free[np.asarray(problem.candidates)] = False
    order = _by_class(problem, np.flatnonzero(free), int(rng.integers(2**63)))
    step = max(-(-n // _n_held_out(n, problem.on_stand_ins)), -(-len(order) // MOST_HELD_OUT))
    held_out = np.sort(order[::step])
    seen = _searched(problem, held_out, rng)
    weighs = problem.weights is None or (problem.weights[seen].any() and problem.weights[held_out].any())
    if len(held_out) and weighs and _leaves_enough(problem, seen):
        return seen, held_out
    return everything, nothing


def ways_to_split(problem: Problem, seed: int) -> list[Splits]:
    """Return ways to part all objects into some to train on and some to test on, several times each.

    In the first, a third of the objects trains the classifier that judges, then half of them, each part in
    its turn. Not more, since it was measured that errors of classifiers with much to learn from tell sets
    apart less well. The other ways are for classifiers that fail on so few. Each class is trained on in
    proportion. Without labels there is nothing to train.
    """
    n = problem.columns.n_rows

    def parts(n_parts: int) -> Splits:
        order = _by_class(problem, np.arange(n), seed + n_parts)
        some = [np.sort(order[i::n_parts]) for i in range(n_parts)]
        return [(part, np.setdiff1d(order, part)) for part in some]

    if problem.codes is None:
        n_parts = _N_QUARTERS if n >= _N_QUARTERS * _FEWEST_CORRELATED else 1
        return [[(rest, part) for part, rest in parts(n_parts)]]
    if n < _N_QUARTERS:
        return [[(np.arange(n), np.arange(n))]]
    halves, quarters = parts(2), parts(_N_QUARTERS)
    ways = [parts(3) + halves, halves, [(rest, part) for part, rest in quarters]]
    return [[_thinned(*split) for split in way] for way in ways]


def _thinned(trained: np.ndarray, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a part of either where there are too many."""
    return trained[:: -(-len(trained) // MOST_TRAINED)], tested[:: -(-len(tested) // MOST_HELD_OUT)]


def _among(whole: Problem, seen: np.ndarray) -> Problem:
    """Return the problem on some objects alone."""
    candidates: Candidates = AllIndices(len(seen))
    if not isinstance(whole.candidates, AllIndices):
        candidates = np.flatnonzero(np.isin(seen, whole.candidates))
    quota = whole.quota
    if quota is not None:
        quota = Quota(quota.codes[seen], quota.low, quota.high)
    return replace(
        whole,
        columns=whole.columns.part(seen),
        candidates=candidates,
        fixed=np.searchsorted(seen, whole.fixed),
        codes=None if whole.codes is None else whole.codes[seen],
        weights=None if whole.weights is None else whole.weights[seen],
        quota=quota,
    )


def _by_class(problem: Problem, objects: np.ndarray, seed: int) -> np.ndarray:
    """Return objects in random order, those of a class together: each n-th is a fair part."""
    order = np.random.default_rng(seed).permutation(objects)
    if problem.codes is None:
        return order
    return order[np.argsort(problem.codes[order], kind="stable")]


def _searched(problem: Problem, held_out: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return what is not held out, or a random part of it where that is too much."""
    n = problem.columns.n_rows
    seen = np.ones(n, bool)
    seen[held_out] = False
    if n - len(held_out) > MOST_SEARCHED:
        drawn = np.zeros(n, bool)
        drawn[rng.choice(n, MOST_SEARCHED, replace=False, shuffle=False)] = True
        drawn[problem.fixed] = True
        if not isinstance(problem.candidates, AllIndices):
            drawn[rng.permutation(np.asarray(problem.candidates))[: MOST_SEARCHED // 2]] = True
        seen &= drawn
    return np.flatnonzero(seen)


def _leaves_enough(problem: Problem, seen: np.ndarray) -> bool:
    """Say whether as many prototypes as are wanted can be picked out of the objects seen."""
    candidates = seen
    if not isinstance(problem.candidates, AllIndices):
        candidates = np.intersect1d(seen, np.union1d(problem.candidates, problem.fixed))
    if problem.quota is not None and not problem.quota.can_be_kept(candidates, problem.fixed, problem.k):
        return False
    return len(candidates) >= problem.k
