"""Unsupervised: every object should have a prototype near it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.criteria.base import SAMPLE, Ahead, Criterion, Data
from protopick.criteria.exchanges import nearness_gains, standing
from protopick.criteria.weights import ones
from protopick.engine import Columns, Tile, TwoNearest, nearest_keys

_HEADROOM = 16
"""How much larger than what was seen a dissimilarity may be before the scale is chosen anew."""


class Coverage(Criterion):
    """Minus the mean dissimilarity of an object to its nearest prototype: k-medoids."""

    name: ClassVar[str] = "coverage"
    needs_labels: ClassVar[bool] = False

    def bind(self, data: Data) -> CoverageObjective:
        return CoverageObjective(data)


class CoverageObjective:
    """Coverage of a population, or of a set whose prototypes are exchanged.

    Dissimilarities are summed in fixed point, so that the order of the sum makes no difference. Where a
    larger one turns up than the scale allows for, the scale is chosen anew.
    """

    def __init__(self, data: Data) -> None:
        self._data = data
        self.columns = data.columns
        self.weights = ones(data.columns.n_rows) if data.weights is None else data.weights
        self._total = max(1, int(np.add.reduce(self.weights, dtype=np.int64)))
        self._limit = float((1 << 62) // self._total)
        self._largest = 0.0
        self.scale = 1.0

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        add = partial(_sums, where=where.reshape(population.shape), objective=self)
        while True:
            parts = self.columns.scan(wanted, add, self.weights, keep=True, ahead=ahead)
            if self.fits(max(largest for _, largest in parts)):
                return self.mean(-np.add.reduce([sums for sums, _ in parts], axis=0))

    def racing(self, rng: np.random.Generator, tolerance: float) -> CoverageObjective:
        """Return this objective on a random sample of the objects."""
        return CoverageObjective(replace(self._data, rng=rng).sample(SAMPLE))

    def around(self, prototypes: np.ndarray) -> CoverageAround:
        return CoverageAround(self, self.columns, prototypes)

    def fits(self, largest: float) -> bool:
        """Say whether dissimilarities up to ``largest`` can be summed; else make room for them."""
        if largest <= self._largest:
            return True
        self._largest = _HEADROOM * largest
        self.scale = float(2.0 ** np.floor(np.log2(self._limit / self._largest)))  # exact, as a power of 2
        return False

    def fixed(self, values: np.ndarray) -> np.ndarray:
        """Return dissimilarities in fixed point."""
        return np.minimum(values * np.float64(self.scale), self._limit).astype(np.int64)

    def mean(self, scores: Any) -> Any:
        """Turn sums of scores into mean dissimilarities, with their sign."""
        return scores / (self.scale * self._total)

    def gains(self, tile: Tile, *aligned: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        """Return what exchanges bring in a tile, and the largest dissimilarity that was looked at."""
        values = self.columns.dissimilarity.restore(tile.columns())
        gains = np.zeros((len(values), k), np.int64)
        place = tile.keys, tile.at, tile.start, values, np.zeros(len(values), np.int8)
        return gains, nearness_gains(*place, self.scale, self._limit, *aligned, gains)


class CoverageAround:
    """A set whose prototypes are exchanged, and its coverage."""

    def __init__(self, objective: CoverageObjective, columns: Columns, prototypes: np.ndarray) -> None:
        self._objective = objective
        self._columns = columns
        self._near = TwoNearest(columns, prototypes)
        self._stand()

    @property
    def value(self) -> float:
        return float(self._objective.mean(self._score))

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        look = partial(self._objective.gains, k=len(self._removal))
        while True:
            aligned = self._objective.weights, self._scores, self._second_scores, *self._near.arrays
            parts = self._columns.scan(candidates, look, *aligned, keep=True, ahead=ahead)
            if self._objective.fits(max(largest for _, largest in parts)):
                gains = np.add.reduce([gains for gains, _ in parts], axis=0)
                return self._objective.mean(self._score + self._removal + gains)
            self._stand()

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._stand()

    def _stand(self) -> None:
        near, restore = self._near, self._columns.dissimilarity.restore
        values = restore(near.key.copy())
        # With a single prototype there is no second; what its score is cancels out.
        seconds = restore(np.where(near.second_at < 0, near.key, near.second_key))
        self._objective.fits(float(seconds.max(initial=0)))
        self._scores = -self._objective.weights * self._objective.fixed(values)
        self._second_scores = -self._objective.weights * self._objective.fixed(seconds)
        k = len(near.prototypes)
        total, self._removal = standing(self._scores, self._second_scores, near.at, k)
        self._score = int(total)


def _sums(
    tile: Tile, weights: np.ndarray, *, where: np.ndarray, objective: CoverageObjective
) -> tuple[np.ndarray, float]:
    values = objective.columns.dissimilarity.restore(nearest_keys(tile, where))
    return objective.fixed(values) @ weights, float(values.max(initial=0))
