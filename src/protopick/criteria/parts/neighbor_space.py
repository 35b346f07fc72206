"""The dissimilarity space of a sample, and who is whose neighbour there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from protopick.criteria.base import Ahead, Data
from protopick.criteria.parts import neighbor_kernels
from protopick.criteria.parts.neighbor_kernels import ROWS
from protopick.engine import threads

_LIST_BYTES = 1 << 25
_DIGITS = 5


class NeighborStanding(Protocol):
    """A set in the space, and what exchanges make of it."""

    value: float

    def after(self, candidates: Any) -> np.ndarray:
        """Return the value with candidate b in the place of prototype j, shape (candidates, k)."""
        ...

    def exchange(self, position: int, candidate: Any) -> None:
        """Put a candidate in the place of a prototype."""
        ...


class Space:
    """The objects of the sample, ordered by class, in the dissimilarity space."""

    def __init__(self, sample: Data, smooth: bool) -> None:
        labels = sample.row_labels
        weights = np.ones(len(labels)) if sample.weights is None else sample.weights
        counts = np.bincount(np.unique(labels, return_inverse=True)[1])
        ends = np.cumsum(counts)
        self.columns = sample.columns
        self.smooth = smooth
        self._order = np.argsort(labels, kind="stable")
        self.first = np.repeat(ends - counts, counts)  # where the class of each object begins
        self.last = np.repeat(ends, counts)  # and ends
        self.weights = np.ascontiguousarray(weights[self._order], dtype=np.float64)
        self._total = max(1.0, float(self.weights.sum()))
        self._scale = 0.0

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> Any:
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

    def value(self, features: Any) -> float:
        """Return the value of a set."""
        near = np.empty((len(self.weights), 2), np.float32)
        self.each_block(lambda i: neighbor_kernels.nearest(*self.block(features, i), near))
        return self.value_of(near)

    def block(self, features: Any, i: int) -> tuple[Any, ...]:
        """Return features, where a block of objects begins and ends, and where classes do."""
        return features, i * ROWS, min(len(self.weights), (i + 1) * ROWS), self.first, self.last

    def each_block(self, look: Callable[[int], None]) -> None:
        """Look at all blocks of objects."""
        threads.run(look, -(-len(self.weights) // ROWS), self.columns.n_jobs)

    def value_of(self, near: np.ndarray) -> float:
        """Return the value where objects have these squares to the nearest of their class and of others."""
        return float(self.mean(neighbor_kernels.total(near, self.weights, self.smooth)))

    def mean(self, sums: Any) -> Any:
        """Return what objects count on average."""
        return np.round(sums / self._total, _DIGITS) if self.smooth else sums / self._total

    def standing(self, features: Any) -> NeighborStanding:
        """Return a set whose prototypes are exchanged."""
        return Listed(self, features)


class Listed:
    """A set in the space, with lists of those who are near each other there."""

    def __init__(self, space: Space, features: np.ndarray) -> None:
        k, m = features.shape
        size = int(np.clip(_LIST_BYTES // (8 * m * k), 8, 24)) // 4 * 4
        n_blocks = -(-m // ROWS)
        self._space = space
        self._padded = np.zeros((-(-k // 4) * 4, m), np.float32)
        self._features = self._padded[:k]
        self._features[:] = features
        self._near = np.empty((m, 2), np.float32)
        self._lists = [
            np.empty((n_blocks, *shape), dtype)
            for shape, dtype in (
                ((ROWS, m), np.float32),
                ((2 * size, ROWS), np.int32),
                ((2 * size, k, ROWS), np.float32),
                ((2, k, ROWS), np.float32),
                ((2, ROWS), np.bool_),
            )
        ]
        self._stand()

    def exchange(self, position: int, candidate: np.ndarray) -> None:
        self._features[position] = candidate
        self._stand()

    def _stand(self) -> None:
        def look(i: int) -> None:
            lists = [array[i] for array in self._lists]
            neighbor_kernels.list_neighbors(*self._space.block(self._padded, i), self._near, *lists)

        self._space.each_block(look)
        self.value = self._space.value_of(self._near)

    def after(self, candidates: np.ndarray) -> np.ndarray:
        space = self._space
        sums = np.zeros((len(self._lists[0]), len(candidates), len(self._features)))

        def look(i: int) -> None:
            known = *self._block(i), space.weights, space.smooth, *(array[i] for array in self._lists)
            neighbor_kernels.exchanges(*known, candidates, sums[i])

        space.each_block(look)
        return np.asarray(space.mean(sums.sum(axis=0)))

    def _block(self, i: int) -> tuple[Any, ...]:
        return self._space.block(self._features, i)
