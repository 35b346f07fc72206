"""Limited Spherical Hashing: an object stands as its dissimilarities to a few pivots."""

from __future__ import annotations

import numpy as np

from protopick.dissimilarity import resolve
from protopick.dissimilarity.vectors import about_mean
from protopick.engine import Columns
from protopick.engine.racing import LARGEST_SAMPLE


def pivot_table(columns: Columns, n_pivots: int, rng: np.random.Generator, sampled: bool = False) -> Columns:
    """Return columns of the pivot table: Euclidean distances between rows of dissimilarities.

    The pivots are random objects. Where only a sample of many objects will be looked at, or where
    the table takes more than half of the memory budget, rows are computed whenever they are needed.
    """
    pivots = rng.choice(columns.n_rows, n_pivots, replace=False)
    lazy = TableOnDemand(columns, pivots)
    if (sampled and columns.n_rows > 2 * LARGEST_SAMPLE) or lazy.nbytes > columns.memory // 2:
        return Columns(lazy, resolve("euclidean").fit(lazy), n_jobs=columns.n_jobs, memory=columns.memory)
    table = lazy[:]
    centre = about_mean(table, table.dtype)
    if centre is not None:  # here in place, so that no second table is made
        table -= centre
    return Columns(
        table,
        resolve("euclidean").fit(table),
        n_jobs=columns.n_jobs,
        memory=columns.memory - table.nbytes,
    )


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
