"""The columns that are kept between two scans, as far as memory allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from protopick.engine import threads

_LINE_BYTES = 64
_PAGE_BYTES = 1 << 12
_FEW_BYTES = 1 << 20


@dataclass(frozen=True)
class Plan:
    """Where the columns of a scan are or go."""

    columns: np.ndarray  # the candidates: first the wanted ones, then those computed ahead
    slots: np.ndarray  # (columns,) row of the cache, -1 for a column that is not kept
    ready: np.ndarray  # (columns,) whether that row holds the column already
    kept: np.ndarray  # (slots, rows) the cache
    new: slice  # which rows of it nobody had before

    @cached_property
    def all_ready(self) -> bool:
        """Whether there is nothing to compute."""
        return bool(self.ready.all())

    @cached_property
    def any_kept(self) -> bool:
        """Whether some columns have a row, or will have one."""
        return bool((self.slots >= 0).any())

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
        self._held: dict[int, int] = {}  # candidate -> row; the one wanted longest ago first
        self._ahead: dict[int, int] = {}  # held before they are wanted
        self._current: set[int] = set()  # wanted last, which stay
        self._n_used = 0

    def plan(self, wanted: np.ndarray, keep: bool) -> Plan:
        """Say which of the distinct candidates ``wanted`` are held.

        With ``keep``, give rows to those that are missing. They count as held from now on, so who does not
        fill them has to `clear` the cache. Columns that are no longer wanted give way when room is short.
        """
        names, n_used = wanted.tolist(), self._n_used
        slots = self._taken_up(names) if keep else [self._row_of(candidate) for candidate in names]
        ready = np.array(slots, dtype=np.intp) >= 0
        if keep:
            slots = [
                row if row >= 0 else self._take_row(name) for name, row in zip(names, slots, strict=True)
            ]
        at = np.array(slots, dtype=np.intp)
        kept = self._values_if(max(slots, default=-1) >= 0)
        return Plan(wanted, at, ready, kept, slice(n_used, self._n_used))

    def _taken_up(self, names: list[int]) -> list[int]:
        """Return the rows of columns that are wanted from now on, -1 for those that are not held."""
        self._current = set(names)
        slots = []
        for candidate in names:
            row = self._held.pop(candidate, -1)
            if row < 0:
                row = self._ahead.pop(candidate, -1)
            if row >= 0:
                self._held[candidate] = row  # as the last
            slots.append(row)
        return slots

    def none(self, wanted: np.ndarray) -> Plan:
        """Say of all candidates that they are not held and will not be."""
        n = len(wanted)
        return Plan(wanted, np.full(n, -1), np.zeros(n, bool), self._values_if(False), slice(0))

    def extend(self, plan: Plan, ahead: np.ndarray) -> Plan:
        """Add columns that will be wanted later, as many as there is room for beside the wanted."""
        planned = set(plan.columns.tolist())
        more = [c for c in dict.fromkeys(ahead.tolist()) if self._row_of(c) < 0 and c not in planned]
        more = more[: self.room]
        rows = [self._take_row(candidate) for candidate in more]
        return Plan(
            np.concatenate([plan.columns, np.array(more, dtype=np.intp)]),
            np.concatenate([plan.slots, np.array(rows, dtype=np.intp)]),
            np.concatenate([plan.ready, np.zeros(len(more), bool)]),
            self._values_if(bool(rows) or len(plan.kept) > 0),
            slice(plan.new.start, self._n_used),
        )

    def filled_from(self, other: ColumnCache, rows: np.ndarray, plan: Plan) -> Plan:
        """Fill what a plan misses with what a cache of more objects holds, of which these are ``rows``."""
        missing = np.flatnonzero(~plan.ready & (plan.slots >= 0))
        held, values = other.those_kept(plan.columns[missing], rows)
        if not held.any():
            return plan
        plan.kept[plan.slots[missing[held]], : self._n_rows] = values
        ready = plan.ready.copy()
        ready[missing[held]] = True
        return replace(plan, ready=ready)

    def claim(self, plan: Plan, n_jobs: int) -> None:
        """Write to every page of the rows that are new in a plan, before it is filled.

        The system clears a page when it is first written to, and who writes to it too waits. So threads claim
        pages apart from each other, before they fill the same ones.
        """
        flat = plan.kept[plan.new].reshape(-1)
        if n_jobs == 1 or flat.nbytes <= _FEW_BYTES:
            return

        def claim_part(i: int) -> None:
            here = slice(len(flat) * i // n_jobs, len(flat) * (i + 1) // n_jobs, _PAGE_BYTES // flat.itemsize)
            flat[here] = 0

        threads.run(claim_part, n_jobs, n_jobs)

    def kept(self, wanted: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        """Return a copy of some rows of the columns ``wanted``, None where not all are held."""
        held, values = self.those_kept(wanted, rows)
        return values if self._values is not None and held.all() else None

    def those_kept(self, wanted: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which of the columns ``wanted`` are held, and a copy of some rows of these."""
        slots = np.array([self._row_of(c) for c in wanted.tolist()], dtype=np.intp)
        held = slots >= 0
        return held, self._values_if(False)[slots[held][:, None], rows[None, :]] if held.any() else slots[:0]

    @property
    def room(self) -> int:
        """How many more columns can be kept beside those wanted last and those held ahead."""
        n_wanted = sum(candidate in self._held for candidate in self._current)
        return self.capacity - self._n_used + len(self._held) - n_wanted

    def _row_of(self, candidate: int) -> int:
        row = self._held.get(candidate)
        return self._ahead.get(candidate, -1) if row is None else row

    def _take_row(self, candidate: int) -> int:
        """Return a row for a column that is not held, -1 where there is none."""
        row = self._vacant_row()
        if row >= 0:
            among = self._held if candidate in self._current else self._ahead
            among[candidate] = row
        return row

    def _vacant_row(self) -> int:
        if self._n_used < self.capacity:
            self._n_used += 1
            return self._n_used - 1
        oldest = next(iter(self._held), None)
        if oldest is not None and oldest not in self._current:
            return self._held.pop(oldest)
        if self._ahead:  # what may be wanted later gives way to what is
            return self._ahead.pop(next(iter(self._ahead)))
        return -1

    def _values_if(self, needed: bool) -> np.ndarray:
        """Return the array of kept columns, made when it is first needed.

        Rows that were never written take no memory.
        """
        if self._values is None and needed:
            self._values = _empty(self.capacity, self._n_rows, self._dtype)
        return np.empty((0, 0), self._dtype) if self._values is None else self._values


def _empty(height: int, width: int, dtype: np.dtype) -> np.ndarray:
    """Return room for so many rows, which are at least as wide as asked for.

    Long ones begin at lines of the processor's cache: a vector of numbers across two lines costs twice.
    """
    in_line = _LINE_BYTES // dtype.itemsize
    if width < in_line * in_line:
        return np.empty((height, width), dtype)
    width = -(-width // in_line) * in_line
    room = np.empty(height * width + in_line, dtype)
    first = -room.ctypes.data % _LINE_BYTES // dtype.itemsize
    return room[first : first + height * width].reshape(height, width)
