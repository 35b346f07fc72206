"""The columns that are kept between two scans, as far as memory allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Plan(NamedTuple):
    """Where the wanted columns of a scan are or go."""

    slots: np.ndarray  # (wanted,) row of the cache, -1 for a column that is not kept
    ready: np.ndarray  # (wanted,) whether that row holds the column already


class ColumnCache:
    """Rows of one array, each holding one column while it is wanted."""

    def __init__(self, n_rows: int, dtype: np.dtype, memory: int) -> None:
        self.capacity = max(0, memory) // max(1, n_rows * dtype.itemsize)
        self._n_rows = n_rows
        self._dtype = dtype
        self._values: np.ndarray | None = None
        self._held: dict[int, int] = {}  # candidate -> row
        self._free: list[int] = []
        self._n_used = 0

    @property
    def values(self) -> np.ndarray:
        """The kept columns, shape (slots, rows). Rows never used take no memory."""
        if self._values is None:
            self._values = np.empty((self.capacity, self._n_rows), self._dtype)
        return self._values

    def plan(self, wanted: np.ndarray, keep: bool) -> Plan:
        """Say which of the distinct candidates ``wanted`` are held.

        With ``keep``, drop the columns that are not wanted and give their rows to those that are
        missing, until `commit` says that they were filled.
        """
        if keep:
            gone = self._held.keys() - set(wanted.tolist())
            self._free += [self._held.pop(candidate) for candidate in gone]
            self._free.sort(reverse=True)
        slots = np.array([self._held.get(c, -1) for c in wanted.tolist()], dtype=np.intp)
        ready = slots >= 0
        if keep:
            for position in np.flatnonzero(~ready):
                slots[position] = self._take_free()
        return Plan(slots, ready)

    def commit(self, wanted: np.ndarray, plan: Plan) -> None:
        """Note that the rows that ``plan`` gave out hold their columns now."""
        self._held.update((c, s) for c, s in zip(wanted.tolist(), plan.slots.tolist(), strict=True) if s >= 0)

    def _take_free(self) -> int:
        if self._free:
            return self._free.pop()
        if self._n_used < self.capacity:
            self._n_used += 1
            return self._n_used - 1
        return -1
