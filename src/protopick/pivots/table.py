"""Limited Spherical Hashing: an object stands as its dissimilarities to a few pivots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from protopick.dissimilarity.euclidean import Euclidean
from protopick.engine import Columns, columns_of
from protopick.engine.racing import LARGEST_SAMPLE


def pivot_table(columns: Columns, n_pivots: int, rng: np.random.Generator, sampled: bool = False) -> Columns:
    """Return columns of the pivot table: Euclidean distances between rows of dissimilarities.

    The pivots are random objects. Where only a sample of many objects will be looked at, or where
    the table takes more than half of the memory budget, rows are computed whenever they are needed.
    """
    pivots = rng.choice(columns.n_rows, n_pivots, replace=False)
    table = TableOnDemand(columns, pivots)
    costly = sampled and columns.n_rows > 2 * LARGEST_SAMPLE and not columns.dissimilarity.on_device
    if costly or table.nbytes > columns.memory // 2:
        return columns_of(table, Euclidean().fit(table), n_jobs=columns.n_jobs, memory=columns.memory)
    held = columns.stand_ins(pivots)
    euclidean = Euclidean().fit(held)
    if euclidean.centre is not None and isinstance(
        held, np.ndarray
    ):  # taken off here, so that encoding makes no second table
        held -= euclidean.centre
        euclidean = replace(euclidean, centre=None)
    return columns_of(held, euclidean, n_jobs=columns.n_jobs, memory=columns.memory - table.nbytes)


class TableOnDemand:
    """A pivot table that is never held: rows are computed when they are indexed."""

    on_demand = True

    def __init__(self, columns: Columns, pivots: np.ndarray) -> None:
        self._columns = columns
        self._pivots = pivots
        self.shape = (columns.n_rows, len(pivots))
        self.dtype = columns.dissimilarity.dtype
        self.nbytes = columns.n_rows * len(pivots) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: slice | np.ndarray) -> np.ndarray:
        if isinstance(which, slice):
            if which == slice(None):
                return self._columns.table(self._pivots)
            which = np.arange(*which.indices(len(self)))
        return self._columns.over(which).table(self._pivots)
