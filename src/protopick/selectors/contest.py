"""Run searches on a part of the objects, and judge what they find on the rest."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from protopick.search import AllIndices, Candidates, Quota
from protopick.selectors.clusters import TooFewDistinctError
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.held_out import Judge, Losses
from protopick.selectors.portfolio import Method, pool_size
from protopick.selectors.problem import Problem, Solution

FOLDED_BELOW = 8000
N_FOLDS = 4
FEW = 2000
"""Below so many objects, errors are too rough to leave the usual method for a slightly lower one."""

N_FURTHER = 2
"""How many further starts the best searches get."""

_FEWEST_CORRELATED = 8
MOST_SEARCHED = 100_000
LEAST_HELD_OUT, MOST_HELD_OUT = 3000, 6000
MOST_TRAINED = 5000


@dataclass(frozen=True)
class Entry:
    """What a search found, and how well it serves objects that it did not see."""

    method: Method
    k: int
    start: int  # a search is run from several starts
    losses: Losses
    n_judged: int  # objects
    value: float | None
    seconds: float
    n_dissimilarities: int
    prototypes: np.ndarray | None  # None where the search ran on several parts

    @property
    def error(self) -> float:
        return self.losses.error

    @property
    def std_error(self) -> float:
        return self.losses.std_error

    def clearly_beats(self, other: Entry) -> bool:
        """Say whether the error is lower by more than a standard error of their difference."""
        if len(self.losses.losses) != len(other.losses.losses):
            return self.error < other.error
        difference = Losses(other.losses.losses - self.losses.losses, self.losses.weights)
        return difference.error > difference.std_error


class Part:
    """Some of the objects, numbered anew, for searches; others that were held out for judging."""

    def __init__(
        self, problem: Problem, seen: np.ndarray, held_out: np.ndarray, seed: int, memory: int
    ) -> None:
        self._problem = problem
        self._seen = seen
        self._seed = seed
        self._memory = memory
        self._held_out = held_out
        self._pools: dict[int, np.ndarray] = {}
        self._traversals: dict[tuple[int, int], Solution] = {}
        self._trained = np.sort(_by_class(problem, seen, seed)[:: -(-len(seen) // MOST_TRAINED)])

    @cached_property
    def _inner(self) -> Problem:
        """The problem on the objects seen alone."""
        whole, seen = self._problem, self._seen
        fixed = np.searchsorted(seen, whole.fixed)
        candidates: Candidates = AllIndices(len(seen))
        if not isinstance(whole.candidates, AllIndices):
            candidates = np.flatnonzero(np.isin(seen, whole.candidates))
        codes = None if whole.codes is None else whole.codes[seen]
        quota = whole.quota
        if quota is not None:
            quota = Quota(quota.codes[seen], quota.low, quota.high)
        return replace(
            whole,
            columns=whole.columns.part(seen, self._memory),
            candidates=candidates,
            fixed=fixed,
            codes=codes,
            weights=None if whole.weights is None else whole.weights[seen],
            quota=quota,
        )

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
        found = method.run(problem, pool, lambda: self._traversal(problem, start), seconds)
        return replace(found, prototypes=self._seen[found.prototypes])

    def _traversal(self, problem: Problem, start: int) -> Solution:
        """Return the farthest-first traversal from a start, which several searches begin with."""
        if (problem.k, start) not in self._traversals:
            fresh = replace(problem, rng=np.random.default_rng([self._seed, start, 1]))
            found = FarthestFirstSelector(problem.k)._solve(fresh)
            found = replace(found, prototypes=fresh.admitted(found.prototypes))
            self._traversals[problem.k, start] = found
        return self._traversals[problem.k, start]

    @property
    def n_held_out(self) -> int:
        return len(self._held_out)

    def losses(self, judge: Judge, prototypes: np.ndarray) -> Losses:
        """Return what the judge says of prototypes on the objects held out."""
        return judge.losses(prototypes, self._trained, self._held_out)


class Contest:
    """All searches on the same parts of the objects."""

    def __init__(self, problem: Problem, judge: Judge, least: int) -> None:
        self._problem = problem
        self._judge = judge
        seed = int(problem.rng.integers(2**63))
        splits = splits_of(problem, least, np.random.default_rng(seed))
        self.holds_out = not any(np.isin(held_out, seen).any() for seen, held_out in splits)
        everything, nothing = np.arange(problem.columns.n_rows), np.empty(0, np.intp)
        memory = problem.columns.memory // (1 if len(splits) == 1 else 1 + len(splits))
        self._parts = [Part(problem, *split, seed + i, memory) for i, split in enumerate(splits)]
        self._whole = Part(problem, everything, nothing, seed, memory)

    @property
    def is_folded(self) -> bool:
        """Whether searches run on several parts, and the best one on all objects in the end."""
        return len(self._parts) > 1

    def enter(self, method: Method, k: int, start: int, deadline: float) -> Entry | None:
        """Run a search on every part. None where the data do not allow it."""
        began, counter = time.monotonic(), self._problem.objects.counter
        before = counter.total
        losses: list[Losses] = []
        values, n_judged, found = [], 0, None
        for part in self._parts:
            try:
                found = part.search(method, k, start, deadline - time.monotonic())
            except TooFewDistinctError:
                return None
            losses.append(part.losses(self._judge, found.prototypes))
            values.append(np.nan if found.value is None else found.value)
            n_judged += part.n_held_out
            if time.monotonic() > deadline:
                break
        assert found is not None
        seconds, cost = time.monotonic() - began, counter.total - before
        prototypes = None if self.is_folded else found.prototypes
        judged = Losses.joined(losses), n_judged
        return Entry(method, k, start, *judged, float(np.mean(values)), seconds, cost, prototypes)

    def prototypes_of(self, entry: Entry, deadline: float) -> np.ndarray:
        """Return the prototypes of an entry.

        A search that ran on several parts runs on all objects, from several starts. Of these sets,
        which are all of one kind, the one is taken that serves all parts best.
        """
        if entry.prototypes is not None:
            return entry.prototypes
        sets: list[np.ndarray] = []
        while len(sets) <= N_FURTHER and (not sets or time.monotonic() < deadline):
            left = max(deadline - time.monotonic(), 0.1)
            sets.append(self._whole.search(entry.method, entry.k, len(sets), left).prototypes)
        if len(sets) == 1:
            return sets[0]
        errors = [Losses.joined([p.losses(self._judge, s) for p in self._parts]).error for s in sets]
        return sets[int(np.argmin(errors))]


def splits_of(problem: Problem, least: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of objects to search among and objects to hold out.

    Fixed objects are never held out, and candidates are not where they are few. Each class is held
    out in proportion. Where too few candidates would be left, all objects are searched and judged on.
    """
    n = problem.columns.n_rows
    free = np.ones(n, bool)
    free[problem.fixed] = False
    if not isinstance(problem.candidates, AllIndices) and 2 * len(problem.candidates) < n:
        free[problem.candidates] = False
    order = _by_class(problem, np.flatnonzero(free), int(rng.integers(2**63)))
    if n < FOLDED_BELOW:
        folds = [order[i::N_FOLDS] for i in range(N_FOLDS)]
        splits = [(np.setdiff1d(np.arange(n), fold), np.sort(fold)) for fold in folds]
    else:
        n_held_out = max(n // 10, min(n // 4, LEAST_HELD_OUT))
        step = max(-(-n // n_held_out), -(-len(order) // MOST_HELD_OUT))
        held_out = np.sort(order[::step])
        splits = [(_searched(problem, held_out, rng), held_out)]
    if problem.codes is None and n < _FEWEST_CORRELATED * N_FOLDS:
        splits = []  # too few pairs in a fold to correlate anything
    if splits and all(len(held_out) and _leaves_enough(problem, seen, least) for seen, held_out in splits):
        return splits
    everything = np.arange(n)
    return [(everything, everything)]


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
            drawn[rng.permutation(problem.candidates)[: MOST_SEARCHED // 2]] = True
        seen &= drawn
    return np.flatnonzero(seen)


def _leaves_enough(problem: Problem, seen: np.ndarray, k: int) -> bool:
    """Say whether k prototypes can be picked out of the objects seen."""
    candidates = seen
    if not isinstance(problem.candidates, AllIndices):
        candidates = np.intersect1d(seen, np.union1d(problem.candidates, problem.fixed))
    if problem.quota is not None and not problem.quota.can_be_kept(candidates, problem.fixed, k):
        return False
    return len(candidates) >= k
