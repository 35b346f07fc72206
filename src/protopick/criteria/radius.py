"""Unsupervised: no object should be far from all prototypes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.criteria.base import SAMPLE, Ahead, Criterion, Data, Objective
from protopick.criteria.parts.exchanges import fused_for, largest_keys
from protopick.criteria.parts.greedy import nearest_order
from protopick.engine import Columns, Tile, TwoNearest, look_again, reach
from protopick.engine.visits import greatest, on_tensors, visits


class Radius(Criterion):
    """Minus the largest dissimilarity of an object to its nearest prototype: k-centres."""

    name: ClassVar[str] = "radius"
    needs_labels: ClassVar[bool] = False

    def bind(self, data: Data) -> RadiusObjective:
        return RadiusObjective(data)

    def greedy_order(self, data: Data, k: int, n_first: int) -> np.ndarray:
        columns = np.ascontiguousarray(data.columns.table(np.arange(k)).T)
        ones = np.ones(columns.shape[1], np.int64)
        return np.array(nearest_order(columns, ones, False, n_first), dtype=np.intp)


class RadiusObjective(Objective):
    """Radii of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._columns = data.columns

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        look = partial(reach, where=where.reshape(population.shape))
        keys = np.max(self._columns.scan(wanted, look, keep=True, ahead=ahead), axis=0)
        return _radius(self._columns, keys)

    def racing(self, rng: np.random.Generator, tolerance: float) -> RadiusObjective:
        """Return this objective on a random sample of the objects."""
        return RadiusObjective(replace(self._data, rng=rng).sample(SAMPLE))

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> RadiusAround:
        return RadiusAround(self._columns, prototypes, ahead)


class RadiusAround:
    """A set whose prototypes are exchanged, and its radius."""

    def __init__(self, columns: Columns, prototypes: np.ndarray, ahead: Ahead) -> None:
        self._columns = columns
        self._near = TwoNearest(columns, prototypes)
        self._near.scan(look_again, ahead=ahead)

    @property
    def value(self) -> float:
        largest = np.max(self._columns.each(_largest, self._near.key), keepdims=True)
        return float(_radius(self._columns, largest)[0])

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        near, k = self._near, len(self._near.prototypes)
        aligned = near.key, near.second_key, near.at
        parts = self._columns.scan(candidates, partial(_apart, k=k), *aligned, keep=True, ahead=ahead)
        apart, replaced = np.max(parts, axis=0)  # (candidates, k) each
        ranked = np.sort(apart, axis=1)
        largest, next_largest = ranked[:, -1:], ranked[:, -2:-1] if k > 1 else np.full_like(apart, -np.inf)
        others = np.where(np.arange(k) == apart.argmax(axis=1)[:, None], next_largest, largest)
        return _radius(self._columns, np.maximum(others, replaced))

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._near.scan(look_again)


def _radius(columns: Columns, keys: np.ndarray) -> np.ndarray:
    return -columns.dissimilarity.restore(np.array(keys)).astype(np.float64)


@visits(combine=greatest)
def _largest(tile: Tile, key: np.ndarray) -> np.floating:
    return key.max()


@visits(combine=greatest)
def _apart(tile: Tile, *aligned: np.ndarray, k: int) -> np.ndarray:
    found = np.full((2, len(tile.at), k), -np.inf, tile.keys.dtype)
    largest_keys(tile.keys, tile.at, tile.start, *aligned, found[0], found[1])
    return found


@on_tensors(_largest)
def _largest_on_tensors(tile: Tile, key: Any) -> Any:
    return key.max()


@on_tensors(_apart)
def _apart_on_tensors(tile: Any, first: Any, second: Any, first_at: Any, *, k: int) -> Any:
    loops = fused_for(tile, k)
    if loops is not None:
        return loops.largest_keys(tile.keys, tile.rows(), tile.start, (first, second, first_at), k)
    order = first_at.argsort()
    sizes = first_at.bincount(minlength=k).tolist()
    columns = tile.columns()[:, order]
    both = columns.new_empty((2, *columns.shape))
    both[0], both[1] = columns.minimum(first[order]), columns.minimum(second[order])
    found = columns.new_full((2, len(columns), k), -float("inf"))
    for p, some in enumerate(both.split(sizes, dim=2)):
        if sizes[p]:
            found[:, :, p] = some.amax(dim=2)
    return found
