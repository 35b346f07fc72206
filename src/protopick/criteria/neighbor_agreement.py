"""Supervised: in the dissimilarity space, an object's nearest neighbour should have its label."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Criterion, Data
from protopick.engine import Columns, threads
from protopick.engine.on_tensors import TensorColumns
from protopick.objects.tensors import cat, counted, on_host, put

SAMPLE = 1500
_ROWS = 32
_CANDIDATES = 4
_LIST_BYTES = 1 << 25
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
        weights = np.ones(len(labels)) if sample.weights is None else sample.weights
        space = SpaceOnTensors if isinstance(sample.columns, TensorColumns) else Space
        self._space = space(
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
        return np.array([self._space.agreement(self._space.margins(features[some])) for some in where])

    def racing(self, rng: np.random.Generator, tolerance: float) -> NeighborAgreementObjective:
        return self  # a sample already

    def around(self, prototypes: np.ndarray) -> NeighborAgreementAround:
        return NeighborAgreementAround(self._space, prototypes)


class Neighbors(NamedTuple):
    """For each object a list of others of its class, and as long a one of objects of other classes."""

    who: np.ndarray  # (objects, listed)
    squares: np.ndarray  # (objects, listed) squared distances, infinite beyond the end of a list
    parts: np.ndarray  # (objects, k, listed) what each prototype adds to them
    beyond: np.ndarray  # (objects, 2) what those not listed are apart at least, after any exchange


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
        self._scale = 0.0

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the dissimilarities of the sample to candidates, shape (candidates, sample)."""
        table = self._columns.table(candidates, keep=True, ahead=ahead)
        if not self._scale:  # so that squares are neither too large nor too small for float32
            largest = float(table.max(initial=0))
            self._scale = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 0.0
        return np.ascontiguousarray(table[self._order].T * (self._scale or 1.0), dtype=np.float32)

    def agreement(self, margins: np.ndarray) -> float:
        """Return the share of the objects whose neighbour agrees."""
        return 1 - self._lost(margins) / self._total

    def margins(self, features: np.ndarray) -> np.ndarray:
        """Return how much nearer the nearest of its own class is to each object than any other."""
        m = features.shape[1]
        margins = np.empty(m, np.float32)

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            _margins(features, *rows, self._first, self._last, margins)

        threads.run(look, -(-m // _ROWS), self._columns.n_jobs)
        return margins

    def neighbors(self, features: np.ndarray) -> Neighbors:
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
            _list_neighbors(features, *rows, self._first, self._last, *lists)

        threads.run(look, -(-m // _ROWS), self._columns.n_jobs)
        return lists

    def agreement_after(
        self, features: np.ndarray, margins: np.ndarray, lists: Neighbors, candidates: np.ndarray
    ) -> np.ndarray:
        """Return the agreement with candidate b in the place of prototype j, shape (candidates, k).

        Objects whose neighbour agrees least come first, and counting stops where an exchange has lost
        as much as the present set: its value is an upper bound then.
        """
        order = np.argsort(margins, kind="stable")
        lost = np.zeros((len(candidates), len(features)), np.int64)
        known = order, self._first, self._last, self._weights, self._lost(margins)

        step = max(1, min(_CANDIDATES, len(candidates) // (2 * self._columns.n_jobs)))

        def look(i: int) -> None:
            some = slice(i * step, (i + 1) * step)
            _lost_after(features, candidates[some], *known, *lists, lost[some])

        threads.run(look, -(-len(candidates) // step), self._columns.n_jobs)
        return 1 - lost / self._total

    def _lost(self, margins: np.ndarray) -> int:
        return int(self._weights[~(margins > 0)].sum())


class SpaceOnTensors(Space):
    """The same where objects are in a tensor: what looks at all pairs is done there."""

    _columns: TensorColumns
    _latest: tuple[Any, ...] = (None,)  # features, and what they were turned into

    def margins(self, features: np.ndarray) -> np.ndarray:
        _, squares, _ = self._squares(features)
        same, other = (squares.masked_fill(~mask, np.inf).amin(dim=1) for mask in self._sides())
        return on_host((other - same).masked_fill(same.isinf(), -np.inf))

    def neighbors(self, features: np.ndarray) -> Neighbors:
        k, m = features.shape
        columns, squares, largest = self._squares(features)
        least = (squares - largest).clamp_(min=0)
        size = min(_list_size(k, m), m)
        itself = counted(m, squares.device)[:, None]
        found = []
        for mask in self._sides():
            apart, who = least.masked_fill(~mask, np.inf).topk(size, dim=1, largest=False)
            beyond = apart[:, -1]  # infinite where all others are listed
            found.append((who.where(apart.isfinite(), itself), beyond))
        who = cat([of for of, _ in found], dim=1)
        parts = (columns[:, who] - columns[:, :, None]).square_()  # (k, m, listed)
        lists = (
            who.int(),
            squares.gather(1, who),
            parts.permute(1, 0, 2).contiguous(),
            cat([b[:, None] for _, b in found], dim=1),
        )
        return Neighbors(*map(on_host, lists))

    def _squares(self, features: np.ndarray) -> tuple[Any, ...]:
        """Return the features, the squared distances of all pairs, and the largest part in these."""
        if self._latest[0] is not features:
            columns = put(features, self._columns.device)
            squares = largest = columns.new_zeros(())
            for column in columns:
                part = (column - column[:, None]).square_()
                squares, largest = squares + part, largest.maximum(part)
            squares.fill_diagonal_(np.inf)  # left out
            self._latest = features, columns, squares, largest
        return self._latest[1:]

    def _sides(self) -> tuple[Any, Any]:
        """Return which pairs are of one class, and which are not."""
        first = put(self._first, self._columns.device)
        same = first[:, None] == first
        return same, ~same


class NeighborAgreementAround:
    """A set whose prototypes are exchanged, and its agreement."""

    def __init__(self, space: Space, prototypes: np.ndarray) -> None:
        self._space = space
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._stand()

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        new = self._space.features(candidates, ahead)
        return self._space.agreement_after(self._features, self._margins, self._lists, new)

    def exchange(self, position: int, candidate: int) -> None:
        self._prototypes[position] = candidate
        self._stand()

    def _stand(self) -> None:
        self._features = self._space.features(self._prototypes)
        self._margins = self._space.margins(self._features)
        self._lists = self._space.neighbors(self._features)
        self.value = self._space.agreement(self._margins)


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
