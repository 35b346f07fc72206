"""The columns that are kept between two scans, as far as memory allows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Plan:
    """Where the columns of a scan are or go."""

    columns: np.ndarray  # the candidates: first the wanted ones, then those computed ahead
    slots: np.ndarray  # (columns,) row of the cache, -1 for a column that is not kept
    ready: np.ndarray  # (columns,) whether that row holds the column already
    kept: np.ndarray  # (slots, rows) the cache

    @cached_property
    def all_kept(self) -> bool:
        """Whether all columns have a row, so that a scan can work in the cache itself."""
        return bool((self.slots >= 0).all())

    @cached_property
    def positions(self) -> np.ndarray:
        """Where each column stands in the array that a scan works in."""
        return self.slots if self.all_kept else np.arange(len(self.columns))


class ColumnCache:
    """Rows of one array, each holding one column while it is wanted."""

    def __init__(self, n_rows: int, dtype: np.dtype, memory: int) -> None:
        self.capacity = max(0, memory) // max(1, n_rows * dtype.itemsize)
        self._n_rows = n_rows
        self._dtype = dtype
        self._values: np.ndarray | None = None
        self.clear()

    def clear(self) -> None:
        """Forget all columns."""
        self._held: dict[int, int] = {}  # candidate -> row
        self._ahead: set[int] = set()  # held before they are wanted
        self._idle: dict[int, None] = {}  # held, but no longer wanted; the oldest first
        self._n_used = 0

    def plan(self, wanted: np.ndarray, keep: bool) -> Plan:
        """Say which of the distinct candidates ``wanted`` are held.

        With ``keep``, give rows to those that are missing; `commit` says that they were filled.
        Columns that are no longer wanted give way when room is short.
        """
        names = wanted.tolist()
        if keep:
            self._ahead.difference_update(names)
            for candidate in names:
                self._idle.pop(candidate, None)
            gone = self._held.keys() - names - self._ahead - self._idle.keys()
            self._idle.update(dict.fromkeys(sorted(gone)))
        slots = np.array([self._held.get(c, -1) for c in names], dtype=np.intp)
        ready = slots >= 0
        if keep:
            for position in np.flatnonzero(~ready):
                slots[position] = self._take_row()
        return Plan(wanted, slots, ready, self._values_if(bool((slots >= 0).any())))

    def none(self, wanted: np.ndarray) -> Plan:
        """Say of all candidates that they are not held and will not be."""
        n = len(wanted)
        return Plan(wanted, np.full(n, -1), np.zeros(n, bool), self._values_if(False))

    def extend(self, plan: Plan, ahead: np.ndarray) -> Plan:
        """Add columns that will be wanted later, as many as there is room for beside the wanted."""
        known = self._held.keys() | set(plan.columns.tolist())
        more = [c for c in dict.fromkeys(ahead.tolist()) if c not in known]
        rows = [self._take_row() for _ in more[: self.room]]
        more = more[: len(rows)]
        self._ahead.update(more)
        return Plan(
            np.concatenate([plan.columns, np.array(more, dtype=np.intp)]),
            np.concatenate([plan.slots, np.array(rows, dtype=np.intp)]),
            np.concatenate([plan.ready, np.zeros(len(more), bool)]),
            self._values_if(bool(rows) or len(plan.kept) > 0),
        )

    def commit(self, plan: Plan) -> None:
        """Note that the rows that ``plan`` gave out hold their columns now."""
        pairs = zip(plan.columns.tolist(), plan.slots.tolist(), strict=True)
        self._held.update((candidate, row) for candidate, row in pairs if row >= 0)

    def kept(self, wanted: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        """Return a copy of some rows of the columns ``wanted``, None where not all are held."""
        slots = np.array([self._held.get(c, -1) for c in wanted.tolist()], dtype=np.intp)
        if self._values is None or (slots < 0).any():
            return None
        return self._values[slots[:, None], rows[None, :]]

    @property
    def room(self) -> int:
        """How many more columns can be kept."""
        return self.capacity - self._n_used + len(self._idle)

    def _take_row(self) -> int:
        if self._n_used < self.capacity:
            self._n_used += 1
            return self._n_used - 1
        given_up = next(iter(self._idle), None)
        if given_up is None:  # what may be wanted later gives way to what is
            given_up = next(iter(self._ahead & self._held.keys()), None)
        if given_up is None:
            return -1
        self._idle.pop(given_up, None)
        self._ahead.discard(given_up)
        return self._held.pop(given_up)

    def _values_if(self, needed: bool) -> np.ndarray:
        """Return the array of kept columns, made when it is first needed.

        Rows that were never written take no memory.
        """
        if self._values is None and needed:
            self._values = np.empty((self.capacity, self._n_rows), self._dtype)
        return np.empty((0, 0), self._dtype) if self._values is None else self._values
