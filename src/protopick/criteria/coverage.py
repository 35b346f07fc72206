"""Unsupervised: every object should have a prototype near it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.criteria.base import SAMPLE, Ahead, Criterion, Data, Objective
from protopick.criteria.parts.exchanges import gains_on_tensors, nearness_gains, standing
from protopick.criteria.parts.fixed_point import FixedPoint, fixed, fixed_on_tensors
from protopick.criteria.parts.greedy import nearest_order
from protopick.engine import Tile, TwoNearest, both, greatest, look_again, nearest_keys, summed, visits
from protopick.engine.nearest import nearest_keys_on_tensors
from protopick.engine.two_nearest import look_again_on_tensors
from protopick.engine.visits import on_tensors, sums_by


class Coverage(Criterion):
    """Minus the mean dissimilarity of an object to its nearest prototype: k-medoids."""

    name: ClassVar[str] = "coverage"
    needs_labels: ClassVar[bool] = False

    def bind(self, data: Data) -> CoverageObjective:
        return CoverageObjective(data)

    def greedy_order(self, data: Data, k: int, n_first: int) -> np.ndarray:
        objective, columns = self.bind(data), data.columns.table(np.arange(k)).T
        point = objective.point
        point.fits(float(columns.max()))
        exact = np.ascontiguousarray(fixed(columns, point.scale, point.limit))
        weights = np.ones(len(columns.T), np.int64) if data.weights is None else data.weights
        return np.array(nearest_order(exact, weights, True, n_first), dtype=np.intp)


class CoverageObjective(Objective):
    """Coverage of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self.columns = data.columns
        self.weights = self.columns.ones() if data.weights is None else self.columns.aligned(data.weights)
        total = data.columns.n_rows if data.weights is None else int(data.weights.sum())
        self.point = FixedPoint(total)

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        where, point = where.reshape(population.shape), self.point
        while True:
            add = partial(_sums, where=where, scale=point.scale, limit=point.limit)
            parts = self.columns.scan(wanted, add, self.weights, keep=True, ahead=ahead)
            if point.fits(max(largest for _, largest in parts)):
                return self.mean(-np.add.reduce([sums for sums, _ in parts], axis=0), point.scale)

    def racing(self, rng: np.random.Generator, tolerance: float) -> CoverageObjective:
        """Return this objective on a random sample of the objects."""
        return CoverageObjective(replace(self._data, rng=rng).sample(SAMPLE))

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> CoverageAround:
        return CoverageAround(self, prototypes, ahead)

    def mean(self, scores: Any, scale: float) -> Any:
        """Turn sums of scores on a scale into mean dissimilarities, with their sign."""
        return scores / float(self.point.total) / scale  # their product may be too large


class CoverageAround:
    """A set whose prototypes are exchanged, and its coverage."""

    def __init__(self, objective: CoverageObjective, prototypes: np.ndarray, ahead: Ahead) -> None:
        self._objective = objective
        self._columns = objective.columns
        self._near = TwoNearest(self._columns, prototypes, beside=(np.int64, np.int64))
        self._stand(ahead)

    @property
    def value(self) -> float:
        return float(self._objective.mean(self._score, self._scale))

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        aligned = self._objective.weights, *self._near.beside, *self._near.arrays
        point = self._objective.point
        while True:
            if self._scale != point.scale:  # chosen anew, here or for another set
                self._stand()
            look = partial(_gains, k=len(self._removal), scale=point.scale, limit=point.limit)
            parts = self._columns.scan(candidates, look, *aligned, keep=True, ahead=ahead)
            if point.fits(max(largest for _, largest in parts)):
                gains = np.add.reduce([gains for gains, _ in parts], axis=0)
                return self._objective.mean(self._score + self._removal + gains, point.scale)

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._stand()

    def _stand(self, ahead: Ahead = None) -> None:
        point = self._objective.point
        while True:
            look = partial(_stand, scale=point.scale, limit=point.limit)
            parts = self._near.scan(look, self._objective.weights, ahead=ahead)
            if point.fits(max(largest for _, largest in parts)):
                break
        self._scale = point.scale
        self._score = sum(int(total) for (total, _), _ in parts)
        self._removal = np.add.reduce([removal for (_, removal), _ in parts], axis=0)


@visits(combine=both(summed, greatest))
def _sums(
    tile: Tile, weights: np.ndarray, *, where: np.ndarray, scale: float, limit: float
) -> tuple[np.ndarray, float]:
    """Return the sum of the dissimilarities to the nearest of each set, and the largest of them."""
    values = tile.restore(nearest_keys(tile, where))
    return fixed(values, scale, limit) @ weights, float(values.max(initial=0))


@visits(combine=both(summed, greatest))
def _gains(tile: Tile, *aligned: np.ndarray, k: int, scale: float, limit: float) -> tuple[np.ndarray, float]:
    """Return what exchanges bring in a tile, and the largest dissimilarity that was looked at."""
    values = tile.restore(tile.columns())
    gains = np.zeros((len(values), k), np.int64)
    place = tile.keys, tile.at, tile.start, values, np.zeros(len(values), np.int8)
    return gains, nearness_gains(*place, scale, limit, *aligned, gains)


@visits(writes=(0, 1, 2, 3, 4, 5), combine=both(both(sum, summed), greatest))
def _stand(
    tile: Tile,
    key: np.ndarray,
    second_key: np.ndarray,
    at: np.ndarray,
    second_at: np.ndarray,
    scores: np.ndarray,
    second_scores: np.ndarray,
    weights: np.ndarray,
    *,
    changed: int,
    scale: float,
    limit: float,
) -> tuple[tuple[int, np.ndarray], float]:
    """Write what each object scores with its nearest and with its second nearest prototype; return the
    total, what each prototype's removal adds to it, and the largest dissimilarity."""
    look_again(tile, key, second_key, at, second_at, changed=changed)
    # With a single prototype there is no second; what its score is cancels out.
    seconds = tile.restore(np.where(second_at < 0, key, second_key))
    scores[:] = -weights * fixed(tile.restore(key.copy()), scale, limit)
    second_scores[:] = -weights * fixed(seconds, scale, limit)
    return standing(scores, second_scores, at, len(tile.at)), float(seconds.max(initial=0))


@on_tensors(_sums)
def _sums_on_tensors(
    tile: Tile, weights: Any, *, where: np.ndarray, scale: float, limit: float
) -> tuple[Any, float]:
    values = tile.restore(nearest_keys_on_tensors(tile, where))
    sums = fixed_on_tensors(values, scale, limit) @ weights.double()
    return sums, float(values.max())


@on_tensors(_gains)
def _gains_on_tensors(
    tile: Tile, weights: Any, scores: Any, second_scores: Any, *near: Any, k: int, scale: float, limit: float
) -> tuple[Any, float]:
    columns = tile.columns()
    values = tile.restore(columns.clone())
    gained = fixed_on_tensors(values, scale, limit).mul_(-weights)
    gains = gains_on_tensors(tile, gained, scores, second_scores, near, k)
    return gains, float(values.masked_fill_(columns > near[1], 0).max())


@on_tensors(_stand)
def _stand_on_tensors(
    tile: Any,
    key: Any,
    second_key: Any,
    at: Any,
    second_at: Any,
    scores: Any,
    second_scores: Any,
    weights: Any,
    *,
    changed: int,
    scale: float,
    limit: float,
) -> tuple[tuple[Any, Any], Any]:
    look_again_on_tensors(tile, key, second_key, at, second_at, changed=changed)
    seconds = tile.restore(second_key.where(second_at >= 0, key))
    own = -weights * fixed_on_tensors(tile.restore(key.clone()), scale, limit)
    other = -weights * fixed_on_tensors(seconds, scale, limit)
    scores[:], second_scores[:] = own, other
    return (own.sum(), sums_by(at, (other - own)[None], len(tile.at))[0]), seconds.max()
