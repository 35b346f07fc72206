"""Limited Spherical Hashing: an object stands as its dissimilarities to a few pivots."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from protopick.dissimilarity.euclidean import Euclidean
from protopick.engine import Columns, Tile, columns_of, nothing, visits
from protopick.engine.racing import LARGEST_SAMPLE
from protopick.engine.visits import on_tensors
from protopick.objects.tensors import put


def pivot_table(columns: Columns, n_pivots: int, rng: np.random.Generator, sampled: bool = False) -> Columns:
    """Return columns of the pivot table: Euclidean distances between rows of dissimilarities.

    The pivots are random objects. Where only a sample of many objects will be looked at, or where
    the table takes more than half of the memory budget, rows are computed whenever they are needed.
    """
    pivots = rng.choice(columns.n_rows, n_pivots, replace=False)
    table = TableOnDemand(columns, pivots)
    costly = sampled and columns.n_rows > 2 * LARGEST_SAMPLE and not columns.dissimilarity.on_device
    if costly or not columns.holds(table.nbytes):
        return columns_of(table, Euclidean().fit(table), n_jobs=columns.asked_jobs, memory=columns.memory)
    held = columns.aligned_table(pivots)
    rows = columns.as_rows(held)
    euclidean = Euclidean().fit(rows)
    if isinstance(euclidean, Euclidean) and euclidean.centre is not None:
        # Taken off here, so that encoding makes no second table.
        columns.each(partial(_move, centre=euclidean.centre), held)
        rows, euclidean = columns.as_rows(held), replace(euclidean, centre=None)
    memory = max(0, columns.memory - table.nbytes)
    return columns_of(rows, euclidean, n_jobs=columns.asked_jobs, memory=memory, recomputed=True)


@visits(writes=(0,), combine=nothing)
def _move(tile: Tile, part: np.ndarray, *, centre: np.ndarray) -> None:
    part -= centre


@on_tensors(_move)
def _move_on_tensors(tile: Tile, part: Any, *, centre: np.ndarray) -> None:
    part -= put(centre, part.device)


class TableOnDemand:
    """A pivot table that is never held: rows are computed when they are indexed."""

    on_demand = True

    def __init__(self, columns: Columns, pivots: np.ndarray) -> None:
        self._columns = columns
        self._pivots = pivots
        self.shape = (columns.n_rows, len(pivots))
        self.dtype = columns.dissimilarity.dtype
        self.nbytes = columns.n_rows * len(pivots) * self.dtype.itemsize
        self.read_bytes = columns.object_bytes + self.nbytes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: slice | np.ndarray) -> np.ndarray:
        if isinstance(which, slice):
            if which == slice(None):
                return self._columns.table(self._pivots)
            which = np.arange(*which.indices(len(self)))
        return self._columns.over(which).table(self._pivots)
