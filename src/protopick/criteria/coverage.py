"""Unsupervised: every object should have a prototype near it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.criteria.base import SAMPLE, Ahead, Criterion, Data
from protopick.criteria.exchanges import nearness_gains, standing
from protopick.criteria.weights import ones
from protopick.engine import Columns, Tile, TwoNearest, nearest_keys, reach

_HEADROOM = 16
"""How much larger than in the first set a dissimilarity may be before it counts as no larger."""


class Coverage(Criterion):
    """Minus the mean dissimilarity of an object to its nearest prototype: k-medoids."""

    name: ClassVar[str] = "coverage"
    needs_labels: ClassVar[bool] = False

    def bind(self, data: Data) -> CoverageObjective:
        return CoverageObjective(data)


class CoverageObjective:
    """Coverage of a population, or of a set whose prototypes are exchanged.

    Dissimilarities are summed in fixed point, so that the order of the sum makes no difference.
    """

    def __init__(self, data: Data) -> None:
        self._data = data
        self._columns = data.columns
        self._weights = ones(data.columns.n_rows) if data.weights is None else data.weights
        self._total = int(np.add.reduce(self._weights, dtype=np.int64))
        self._limit = float((1 << 62) // max(1, self._total))
        self._scale = 0.0

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        where = where.reshape(population.shape)
        restore = self._columns.dissimilarity.restore
        if not self._scale:
            keys = self._columns.scan(wanted, partial(reach, where=where), keep=True, ahead=ahead)
            self._choose_scale(float(restore(np.max(keys, axis=0)).max()))
        add = partial(_sums, where=where, restore=restore, scale=self._scale, limit=self._limit)
        sums = self._columns.scan(wanted, add, self._weights, keep=True, ahead=ahead)
        return self.mean(-np.add.reduce(sums, axis=0))

    def racing(self, rng: np.random.Generator, tolerance: float) -> CoverageObjective:
        """Return this objective on a random sample of the objects."""
        return CoverageObjective(replace(self._data, rng=rng).sample(SAMPLE))

    def around(self, prototypes: np.ndarray) -> CoverageAround:
        return CoverageAround(self, self._columns, self._weights, prototypes)

    def mean(self, scores: Any) -> Any:
        """Turn sums of scores into mean dissimilarities, with their sign."""
        return scores / (self._scale * max(1, self._total))

    def scores(self, near: TwoNearest) -> tuple[np.ndarray, np.ndarray]:
        """Return the score of each object with its nearest and with its second nearest prototype."""
        restore = self._columns.dissimilarity.restore
        values = restore(near.key.copy())
        if not self._scale:
            self._choose_scale(float(values.max(initial=0.0)))
        # With a single prototype there is no second; what its score is cancels out.
        seconds = restore(np.where(near.second_at < 0, near.key, near.second_key))
        return self._score(values), self._score(seconds)

    def gains(self) -> Callable[..., np.ndarray]:
        """Return what looks at a tile of candidates."""
        restore = self._columns.dissimilarity.restore
        return partial(_gains, restore=restore, scale=self._scale, limit=self._limit)

    def _choose_scale(self, largest: float) -> None:
        """Take a power of two, so that scaling is exact."""
        room = self._limit / (_HEADROOM * largest) if largest > 0 else 1.0
        self._scale = float(2.0 ** np.floor(np.log2(room)))

    def _score(self, values: np.ndarray) -> np.ndarray:
        return -self._weights * _fixed(values, self._scale, self._limit)


class CoverageAround:
    """A set whose prototypes are exchanged, and its coverage."""

    def __init__(
        self, objective: CoverageObjective, columns: Columns, weights: np.ndarray, prototypes: np.ndarray
    ) -> None:
        self._objective = objective
        self._columns = columns
        self._weights = weights
        self._near = TwoNearest(columns, prototypes)
        self._stand()

    @property
    def value(self) -> float:
        return float(self._objective.mean(self._score))

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        aligned = self._weights, self._scores, self._second_scores, *self._near.arrays
        look = partial(self._objective.gains(), k=len(self._removal))
        gains = self._columns.scan(candidates, look, *aligned, keep=True, ahead=ahead)
        return self._objective.mean(self._score + self._removal + np.add.reduce(gains, axis=0))

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._stand()

    def _stand(self) -> None:
        self._scores, self._second_scores = self._objective.scores(self._near)
        k = len(self._near.prototypes)
        total, self._removal = standing(self._scores, self._second_scores, self._near.at, k)
        self._score = int(total)


def _sums(
    tile: Tile,
    weights: np.ndarray,
    *,
    where: np.ndarray,
    restore: Callable[..., np.ndarray],
    scale: float,
    limit: float,
) -> np.ndarray:
    values = restore(nearest_keys(tile, where))
    return _fixed(values, scale, limit) @ weights


def _gains(
    tile: Tile,
    *aligned: np.ndarray,
    restore: Callable[..., np.ndarray],
    scale: float,
    limit: float,
    k: int,
) -> np.ndarray:
    values = restore(tile.columns())
    gains = np.zeros((len(values), k), np.int64)
    place = tile.keys, tile.at, tile.start
    nearness_gains(*place, values, np.zeros(len(values), np.int8), scale, limit, *aligned, gains)
    return gains


def _fixed(values: np.ndarray, scale: float, limit: float) -> np.ndarray:
    return np.minimum(values * np.float64(scale), limit).astype(np.int64)
