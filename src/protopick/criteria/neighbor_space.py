"""The dissimilarity space of a sample, and who is whose neighbour there."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead
from protopick.engine import Columns, threads

_ROWS = 32
_CANDIDATES = 4
_LIST_BYTES = 1 << 25
_INFINITE = np.array(np.inf, np.float32).view(np.int32).item()


class Neighbors(NamedTuple):
    """For each object a list of others of its class, and as long a one of objects of other classes."""

    who: np.ndarray  # (objects, listed)
    squares: np.ndarray  # (objects, listed) squared distances, infinite beyond the end of a list
    parts: np.ndarray  # (objects, k, listed) what each prototype adds to them
    beyond: np.ndarray  # (objects, 2) what those not listed are apart at least, after any exchange


class Standing(Protocol):
    """A set in the space, and what exchanges make of it."""

    agreement: float

    def after(self, candidates: Any) -> np.ndarray:
        """Return the agreement with candidate b in the place of prototype j, shape (candidates, k)."""
        ...


class Space:
    """The objects of the sample, ordered by class, in the dissimilarity space."""

    def __init__(
        self, columns: Columns, order: np.ndarray, first: np.ndarray, last: np.ndarray, weights: np.ndarray
    ) -> None:
        self.columns = columns
        self.first = first  # where the class of each object begins
        self.last = last  # and ends
        self.weights = weights
        self.total = max(1, int(weights.sum()))
        self._order = order
        self._scale = 0.0

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the dissimilarities of the sample to candidates, shape (candidates, sample)."""
        table = self.columns.table(candidates, keep=True, ahead=ahead)
        scaled = table[self._order].T * self._scale_of(table)
        return np.ascontiguousarray(scaled, dtype=np.float32)

    def _scale_of(self, table: Any) -> float:
        """Return a power of two by which squares are neither too large nor too small for float32."""
        if not self._scale:
            largest = float(table.max()) if len(table) else 0.0
            self._scale = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 0.0
        return self._scale or 1.0

    def agreement(self, features: np.ndarray) -> float:
        """Return the share of the objects whose neighbour agrees."""
        return 1 - self.lost(self.margins(features)) / self.total

    def standing(self, features: np.ndarray) -> Standing:
        """Return the same for a set whose prototypes are exchanged."""
        return Listed(self, features)

    def margins(self, features: np.ndarray) -> np.ndarray:
        """Return how much nearer the nearest of its own class is to each object than any other."""
        m = features.shape[1]
        margins = np.empty(m, np.float32)

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            _margins(features, *rows, self.first, self.last, margins)

        threads.run(look, -(-m // _ROWS), self.columns.n_jobs)
        return margins

    def lost(self, margins: np.ndarray) -> int:
        """Return the weight of the objects whose neighbour does not agree."""
        return int(self.weights[~(margins > 0)].sum())


class Listed:
    """A set in the space, with lists of those who are near each other there."""

    def __init__(self, space: Space, features: np.ndarray) -> None:
        self._space = space
        self._features = features
        self._margins = space.margins(features)
        self._lists = _neighbors(space, features)
        self.agreement = 1 - space.lost(self._margins) / space.total

    def after(self, candidates: np.ndarray) -> np.ndarray:
        """Return the agreement after each exchange.

        Objects whose neighbour agrees least come first, and counting stops where an exchange has lost
        as much as the present set: its value is an upper bound then.
        """
        space, order = self._space, np.argsort(self._margins, kind="stable")
        lost = np.zeros((len(candidates), len(self._features)), np.int64)
        known = order, space.first, space.last, space.weights, space.lost(self._margins)
        step = max(1, min(_CANDIDATES, len(candidates) // (2 * space.columns.n_jobs)))

        def look(i: int) -> None:
            some = slice(i * step, (i + 1) * step)
            _lost_after(self._features, candidates[some], *known, *self._lists, lost[some])

        threads.run(look, -(-len(candidates) // step), space.columns.n_jobs)
        return 1 - lost / space.total


def _neighbors(space: Space, features: np.ndarray) -> Neighbors:
    """Return those objects that can become an object's nearest when one prototype is exchanged."""
    k, m = features.shape
    size = _list_size(k, m)
    lists = Neighbors(
        np.empty((m, 2 * size), np.int32),
        np.empty((m, 2 * size), np.float32),
        np.empty((m, k, 2 * size), np.float32),
        np.empty((m, 2), np.float32),
    )

    def look(i: int) -> None:
        rows = i * _ROWS, min(m, (i + 1) * _ROWS)
        _list_neighbors(features, *rows, space.first, space.last, *lists)

    threads.run(look, -(-m // _ROWS), space.columns.n_jobs)
    return lists


def _list_size(k: int, m: int) -> int:
    """Return how many neighbours are listed, of each side."""
    return int(np.clip(_LIST_BYTES // (8 * m * k), 8, 32))


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
def _list_neighbors(features, start, stop, first, last, who, listed, listed_parts, beyond):  # type: ignore[no-untyped-def]
    """List those that are nearest when the prototype that sets them apart most is taken away."""
    k, m = features.shape
    size = who.shape[1] // 2
    squares = np.empty(m, np.float32)
    parts = np.empty((k, m), np.float32)
    least = np.empty(m, np.float32)
    for row in range(start, stop):
        _squares_from(features, row, parts, squares)
        least[:] = 0
        for j in range(k):
            part = parts[j]
            for i in range(m):
                least[i] = max(least[i], part[i])
        for i in range(m):
            least[i] = max(squares[i] - least[i], np.float32(0))
        for side in range(2):
            them = who[row, side * size : (side + 1) * size]
            n, worst = 0, 0
            for i in range(first[row] if side == 0 else 0, last[row] if side == 0 else m):
                if side == 1 and first[row] <= i < last[row]:
                    continue
                if n < size:
                    them[n] = i
                    worst = n if least[i] > least[them[worst]] else worst
                    n += 1
                elif least[i] < least[them[worst]]:
                    them[worst] = i
                    for q in range(size):
                        worst = q if least[them[q]] > least[them[worst]] else worst
            beyond[row, side] = np.inf if n < size else least[them[worst]]
            them[n:] = row  # left out, so infinitely far
        for q in range(2 * size):
            i = who[row, q]
            listed[row, q] = squares[i]
            for j in range(k):
                listed_parts[row, j, q] = parts[j, i]


@kernel
def _lost_after(  # type: ignore[no-untyped-def]
    features, candidates, order, first, last, weights, enough, who, listed, listed_parts, beyond, lost
):
    """Add up the weights of the objects whose neighbour does not agree, until they are ``enough``."""
    if enough == 0:
        return
    k, m = features.shape
    size = who.shape[1] // 2
    extended = np.empty(2 * size, np.float32)  # squares with a candidate
    exchanged = np.empty(2 * size, np.float32)  # and without a prototype
    bits = exchanged.view(np.int32)
    beyond_bits = beyond.view(np.int32)
    squares = np.empty(m, np.float32)
    parts = np.empty((k, m), np.float32)
    all_exchanged = np.empty(m, np.float32)
    for b in range(len(candidates)):
        column = candidates[b]
        n_open = k
        for row in order:
            if n_open == 0:
                break
            here, them, row_parts = column[row], who[row], listed_parts[row]
            known = listed[row]
            for q in range(2 * size):
                extended[q] = known[q] + (column[them[q]] - here) ** 2
            is_complete = False
            for j in range(k):
                if lost[b, j] >= enough:
                    continue
                part = row_parts[j]
                for q in range(2 * size):
                    exchanged[q] = max(extended[q] - part[q], np.float32(0))
                same, other = _least(bits[:size]), _least(bits[size:])
                if not (same < min(other, beyond_bits[row, 1]) or other <= min(same, beyond_bits[row, 0])):
                    if not is_complete:  # the lists do not tell: look at all
                        _squares_from(features, row, parts, squares)
                        is_complete = True
                    for i in range(m):
                        square = squares[i] + (column[i] - here) ** 2
                        all_exchanged[i] = max(square - parts[j, i], np.float32(0))
                    same, other = _nearest_two(all_exchanged.view(np.int32), first[row], last[row])
                if same >= other:
                    lost[b, j] += weights[row]
                    n_open -= lost[b, j] >= enough
