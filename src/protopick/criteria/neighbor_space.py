"""The dissimilarity space of a sample, and who is whose neighbour there."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from protopick.criteria import neighbor_kernels
from protopick.criteria.base import Ahead, Data
from protopick.engine import threads

_ROWS = 64
_LIST_BYTES = 1 << 25
_DIGITS = 5


class Standing(Protocol):
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
        m = features.shape[1]
        near = np.empty((m, 2), np.float32)

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            neighbor_kernels.nearest(features, *rows, self.first, self.last, near)

        threads.run(look, -(-m // _ROWS), self.columns.n_jobs)
        return self.value_of(near)

    def value_of(self, near: np.ndarray) -> float:
        """Return the value where objects have these squares to the nearest of their class and of others."""
        return float(self.mean(neighbor_kernels.total(near, self.weights, self.smooth)))

    def mean(self, sums: Any) -> Any:
        """Return what objects count on average."""
        return np.round(sums / self._total, _DIGITS) if self.smooth else sums / self._total

    def standing(self, features: Any) -> Standing:
        """Return a set whose prototypes are exchanged."""
        return Listed(self, features)


class Listed:
    """A set in the space, with lists of those who are near each other there."""

    def __init__(self, space: Space, features: np.ndarray) -> None:
        k, m = features.shape
        size = int(np.clip(_LIST_BYTES // (8 * m * k), 8, 16))
        self._space = space
        self._features = features
        self._near = np.empty((m, 2), np.float32)
        self._lists = (
            np.empty((m, m), np.float32),
            np.empty((m, 2 * size), np.int32),
            np.empty((m, 2 * size), np.float32),
            np.empty((m, 2 * size, k), np.float32),
            np.empty((m, 2, k), np.float32),
            np.empty((m, 2), np.bool_),
        )
        self._stand()

    def exchange(self, position: int, candidate: np.ndarray) -> None:
        self._features[position] = candidate
        self._stand()

    def _stand(self) -> None:
        space, m = self._space, len(self._near)

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            known = self._features, *rows, space.first, space.last
            neighbor_kernels.list_neighbors(*known, self._near, *self._lists)

        threads.run(look, -(-m // _ROWS), space.columns.n_jobs)
        self.value = space.value_of(self._near)

    def after(self, candidates: np.ndarray) -> np.ndarray:
        space, (k, m) = self._space, self._features.shape
        sums = np.zeros((-(-m // _ROWS), len(candidates), k))

        def look(i: int) -> None:
            rows = i * _ROWS, min(m, (i + 1) * _ROWS)
            known = self._features, *rows, space.first, space.last, space.weights, space.smooth
            neighbor_kernels.exchanges(*known, *self._lists, candidates, sums[i])

        threads.run(look, len(sums), space.columns.n_jobs)
        return np.asarray(space.mean(sums.sum(axis=0)))
