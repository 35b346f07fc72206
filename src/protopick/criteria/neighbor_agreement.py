"""Supervised: in the dissimilarity space, an object's nearest neighbour should have its label."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Criterion, Data
from protopick.criteria.weights import ones
from protopick.engine import Columns, threads

SAMPLE = 1500
_ROWS = 32
_CANDIDATES = 4
_INFINITE = np.array(np.inf, np.float32).view(np.int32).item()


class NeighborAgreement(Criterion):
    """The share of objects that have a neighbour of their class nearer than any of another class.

    Neighbours are those in the dissimilarity space: objects are compared by the Euclidean distance
    between their vectors of dissimilarities to the prototypes. So it is the accuracy of the nearest
    neighbour rule there, each object left out in turn; a tie between classes counts as an error. The
    sample has 1,500 objects, so the cost does not grow with their number.
    """

    name: ClassVar[str] = "neighbor-agreement"
    needs_labels: ClassVar[bool] = True
    samples: ClassVar[bool] = True

    def n_compared(self, n: int) -> int:
        return min(n, SAMPLE)

    def bind(self, data: Data) -> NeighborAgreementObjective:
        return NeighborAgreementObjective(data.sample(SAMPLE))


class NeighborAgreementObjective:
    """Agreement of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, sample: Data) -> None:
        labels = sample.row_labels
        order = np.argsort(labels, kind="stable")
        counts = np.bincount(np.unique(labels, return_inverse=True)[1])
        ends = np.cumsum(counts)
        weights = ones(len(labels)) if sample.weights is None else sample.weights
        self._space = Space(
            sample.columns,
            order,
            np.repeat(ends - counts, counts),
            np.repeat(ends, counts),
            np.ascontiguousarray(weights[order], dtype=np.int64),
        )

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        features = self._space.features(wanted, ahead)
        where = where.reshape(population.shape)
        return np.array([self._space.agreement(features[some]) for some in where])

    def racing(self, rng: np.random.Generator, tolerance: float) -> NeighborAgreementObjective:
        return self  # a sample already

    def around(self, prototypes: np.ndarray) -> NeighborAgreementAround:
        return NeighborAgreementAround(self._space, prototypes)


class Space:
    """The objects of the sample, ordered by class, in the dissimilarity space."""

    def __init__(
        self, columns: Columns, order: np.ndarray, first: np.ndarray, last: np.ndarray, weights: np.ndarray
    ) -> None:
        self._columns = columns
        self._order = order
        self._first = first  # where the class of each object begins
        self._last = last  # and ends
        self._weights = weights
        self._total = max(1, int(weights.sum()))

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the dissimilarities of the sample to candidates, shape (candidates, sample)."""
        table = self._columns.table(candidates, keep=True, ahead=ahead)
        return np.ascontiguousarray(table[self._order].T, dtype=np.float32)

    def agreement(self, features: np.ndarray) -> float:
        """Return the share of the objects whose neighbour agrees."""
        return 1 - self._lost(self.margins(features)) / self._total

    def margins(self, features: np.ndarray) -> np.ndarray:
        """Return how much nearer the nearest of its own class is to each object than any other."""
        m = features.shape[1]
        margins = np.empty(m, np.float32)

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            _margins(features, *rows, self._first, self._last, margins)

        threads.run(look, -(-m // _ROWS), self._columns.n_jobs)
        return margins

    def agreement_after(
        self, features: np.ndarray, margins: np.ndarray, candidates: np.ndarray
    ) -> np.ndarray:
        """Return the agreement with candidate b in the place of prototype j, shape (candidates, k).

        Objects whose neighbour agrees least come first, and counting stops where an exchange has lost
        as much as the present set: its value is an upper bound then.
        """
        order = np.argsort(margins, kind="stable")
        lost = np.zeros((len(candidates), len(features)), np.int64)
        enough = self._lost(margins)

        def look(i: int) -> None:
            some = slice(i * _CANDIDATES, (i + 1) * _CANDIDATES)
            _lost_after(
                features, candidates[some], order, self._first, self._last, self._weights, enough, lost[some]
            )

        threads.run(look, -(-len(candidates) // _CANDIDATES), self._columns.n_jobs)
        return 1 - lost / self._total

    def _lost(self, margins: np.ndarray) -> int:
        return int(self._weights[~(margins > 0)].sum())


class NeighborAgreementAround:
    """A set whose prototypes are exchanged, and its agreement."""

    def __init__(self, space: Space, prototypes: np.ndarray) -> None:
        self._space = space
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._stand()

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        new = self._space.features(candidates, ahead)
        return self._space.agreement_after(self._features, self._margins, new)

    def exchange(self, position: int, candidate: int) -> None:
        self._prototypes[position] = candidate
        self._stand()

    def _stand(self) -> None:
        self._features = self._space.features(self._prototypes)
        self._margins = self._space.margins(self._features)
        self.value = self._space.agreement(self._features)


# Squared distances are compared as the integers that their bits make: for numbers from 0 on the order
# is the same, and the smallest of many integers is found in several lanes at once.


@inlined
def _least(bits):  # type: ignore[no-untyped-def]
    least = _INFINITE
    for i in range(len(bits)):
        least = min(least, bits[i])
    return least


@inlined
def _nearest_two(bits, first, last):  # type: ignore[no-untyped-def]
    """Return the nearest of the own class, and of the others."""
    return _least(bits[first:last]), min(_least(bits[:first]), _least(bits[last:]))


@inlined
def _squares_from(features, row, parts, squares):  # type: ignore[no-untyped-def]
    """Write the squared distances of a row to all, and the part of each prototype in them."""
    squares[:] = 0
    for j in range(len(features)):
        column, part = features[j], parts[j]
        here = column[row]
        for i in range(len(squares)):
            part[i] = (column[i] - here) ** 2
            squares[i] += part[i]
    squares[row] = np.inf  # left out


@kernel
def _margins(features, start, stop, first, last, margins):  # type: ignore[no-untyped-def]
    k, m = features.shape
    squares = np.empty(m, np.float32)
    parts = np.empty((k, m), np.float32)
    nearest = np.empty(2, np.float32)
    for row in range(start, stop):
        _squares_from(features, row, parts, squares)
        nearest.view(np.int32)[:] = _nearest_two(squares.view(np.int32), first[row], last[row])
        margins[row] = -np.inf if nearest[0] == np.inf else nearest[1] - nearest[0]


@kernel
def _lost_after(features, candidates, order, first, last, weights, enough, lost):  # type: ignore[no-untyped-def]
    """Add up the weights of the objects whose neighbour does not agree, until they are ``enough``."""
    k, m = features.shape
    squares = np.empty(m, np.float32)
    parts = np.empty((k, m), np.float32)
    extended = np.empty(m, np.float32)  # the squares with a candidate
    exchanged = np.empty(m, np.float32)  # and without a prototype
    n_open = np.full(len(candidates), k)
    for row in order:
        if n_open.max() == 0:
            break
        _squares_from(features, row, parts, squares)
        for b in range(len(candidates)):
            if n_open[b] == 0:
                continue
            column = candidates[b]
            here = column[row]
            for i in range(m):
                extended[i] = squares[i] + (column[i] - here) ** 2
            for j in range(k):
                if lost[b, j] >= enough:
                    continue
                part = parts[j]
                for i in range(m):
                    exchanged[i] = max(extended[i] - part[i], np.float32(0))
                same, other = _nearest_two(exchanged.view(np.int32), first[row], last[row])
                if same >= other:
                    lost[b, j] += weights[row]
                    n_open[b] -= lost[b, j] >= enough
