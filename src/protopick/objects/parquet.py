"""The numeric columns of Parquet files, one row group at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

_HELD = 2
"""Row groups that are kept, since a tile is mostly far smaller than one."""


def is_parquet(X: Any) -> bool:
    """Say whether ``X`` is a Parquet file or a dataset of pyarrow, without importing it."""
    if not type(X).__module__.startswith("pyarrow"):
        return False
    return hasattr(X, "read_row_group") or hasattr(X, "get_fragments")


def parquet_rows(
    X: Any, names: list[str] | None = None
) -> tuple[tuple[int, int], np.dtype, Callable[[int, int], np.ndarray]]:
    """Return the shape, the type and a reader of the rows of a Parquet file or dataset.

    ``names`` are the columns, by default all.
    """
    schema = X.schema_arrow if hasattr(X, "schema_arrow") else X.schema
    names = list(schema.names) if names is None else names
    kinds = [_numpy_type(schema.field(name)) for name in names]
    groups = list(_row_groups(X, names))
    dtype = np.result_type(*kinds) if kinds else np.dtype(float)
    dtype = np.dtype(np.float32) if dtype in (np.float32, np.float16) else np.dtype(np.float64)
    rows = RowGroups([(n, partial(_matrix, load, names, dtype)) for n, load in groups], len(names), dtype)
    return (rows.n_rows, len(names)), dtype, rows.read


class RowGroups:
    """Groups of rows that can only be read whole, as rows of one matrix."""

    def __init__(self, groups: list[tuple[int, Callable[[], Any]]], width: int, dtype: np.dtype) -> None:
        self._load = [load for _, load in groups]
        self._edges = np.concatenate([[0], np.cumsum([n for n, _ in groups])]).astype(np.int64)
        self._width = width
        self._dtype = dtype
        self._held: dict[int, np.ndarray] = {}
        self._lock = threading.Lock()

    @property
    def n_rows(self) -> int:
        """How many rows all groups have together."""
        return int(self._edges[-1])

    def read(self, start: int, stop: int) -> np.ndarray:
        """Return a stretch of rows."""
        rows = np.empty((stop - start, self._width), self._dtype)
        first = int(np.searchsorted(self._edges, start, side="right")) - 1
        for g in range(first, len(self._load)):
            begin, end = int(self._edges[g]), int(self._edges[g + 1])
            if begin >= stop:
                break
            low, high = max(start, begin), min(stop, end)
            rows[low - start : high - start] = self._group(g)[low - begin : high - begin]
        return rows

    def _group(self, g: int) -> np.ndarray:
        with self._lock:
            if g not in self._held:
                while len(self._held) >= _HELD:
                    del self._held[next(iter(self._held))]
                self._held[g] = self._load[g]()
            return self._held[g]


def _matrix(load: Callable[[], Any], names: list[str], dtype: np.dtype) -> np.ndarray:
    table = load()
    return np.column_stack([table.column(name).to_numpy().astype(dtype, copy=False) for name in names])


def _row_groups(X: Any, names: list[str]) -> Iterator[tuple[int, Callable[[], Any]]]:
    """Yield the length of each row group and a function that reads it."""
    if hasattr(X, "read_row_group"):
        for g in range(X.num_row_groups):
            yield X.metadata.row_group(g).num_rows, partial(X.read_row_group, g, columns=names)
        return
    for fragment in X.get_fragments():
        for part in fragment.split_by_row_group():
            yield part.row_groups[0].num_rows, partial(part.to_table, columns=names)


def _numpy_type(field: Any) -> np.dtype:
    try:
        dtype = np.dtype(field.type.to_pandas_dtype())
    except (NotImplementedError, TypeError):
        dtype = np.dtype(object)
    if dtype.kind not in "biuf":
        raise ValueError(
            f"X has the column {field.name!r} of {field.type}, but metric compares rows of numbers. Leave it "
            "out of the dataset, or read the table and pass metric='gower'."
        )
    return dtype
