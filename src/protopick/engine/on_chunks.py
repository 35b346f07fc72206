"""Columns over rows in chunks: every worker looks after its own, and little is sent.

A scan is one task for each chunk. It is given the chunk, the candidates' rows, which are sent to each
worker once and stay there, and the parts of the arrays that belong to the chunk. It returns what the
visits returned, put together, and new parts in the place of those that were written to. Nothing that a
worker was given ever changes, so what is lost with a worker can be computed again from what it came from.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from protopick.dissimilarity import Dissimilarity, RowError
from protopick.engine.budget import working_memory
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.chunk_tasks import (
    Making,
    Manner,
    Step,
    beside,
    desk_for,
    filled,
    part_of,
    results_of,
    same,
    viewed,
    visited,
)
from protopick.engine.columns import Columns, Request
from protopick.engine.digits import Digits, next_digits
from protopick.engine.on_host import HostColumns
from protopick.engine.visits import combine_of, is_fresh, nothing, summed, written_by
from protopick.objects import Chunked, ChunkedValues, Objects

_MOST_BATCHES = 64
_SENT_BYTES = 1 << 26
_SMALL_STEP = 1 << 13
"""So many bytes, before they are packed, are told to every task; more are sent to every worker once."""


class ChunkedColumns(Columns):
    """Columns whose rows, kept columns and aligned arrays are with the workers.

    Parameters
    ----------
    rows : Chunked
        The objects.
    dissimilarity, candidates, counter, numbering, candidate_numbering, recomputed
        As for `Columns`.
    n_jobs : int or None
        Threads of one task, one for None: a worker mostly runs as many tasks as it has threads.
    memory : int, optional
        Bytes that kept columns and encoded objects may take on all workers together.
    """

    _rows: Chunked

    def __init__(
        self,
        rows: Chunked,
        dissimilarity: Dissimilarity,
        *,
        memory: int | None = None,
        **how: Any,
    ) -> None:
        self._workers = rows.workers
        memory = self._workers.memory if memory is None else memory
        super().__init__(rows, dissimilarity, memory=memory, **how)
        self.n_machines = self._workers.n_workers
        self.encoded_bytes = dissimilarity.encoded_bytes(rows.one) * self.n_rows
        self._sent = Sent(self._candidates, rows)
        self._here = threading.local()  # the rows fetched last
        self._allot()

    def reserve(self, memory: int) -> None:
        self.memory = max(0, self.memory - memory)
        self._allot()

    def _allot(self) -> None:
        """Give each row its share of the memory."""
        encoded = self.encoded_bytes if self.encoded_bytes <= self.memory // 2 else 0
        self._cache = Ledger(max(0, self.memory - encoded) // max(1, self.n_rows * self._itemsize))
        n_jobs = self.asked_jobs if self.asked_jobs and self.dissimilarity.threads else 1
        how = Manner(self.dissimilarity, self.memory / max(1, self.n_rows), n_jobs)
        self._desks = self._workers.each(desk_for, self._rows.chunks, how=self._workers.one(same, how))

    @property
    def _itemsize(self) -> int:
        return self.dissimilarity.dtype.itemsize

    def holds(self, nbytes: int) -> bool:
        return True  # workers put on disk what is too much

    def full(self, value: float, dtype: Any, *width: int) -> Any:
        return Aligned(None, np.dtype(dtype), width, value=value)

    def ones(self) -> Any:
        return self.full(1, np.int8)

    def aligned(self, values: Any) -> Any:
        if isinstance(values, ChunkedValues):
            return Aligned(values.chunks, values.dtype)
        parts = np.split(values, self._rows.edges[1:-1])
        pairs = zip(self._rows.chunks, parts, strict=True)
        return Aligned([self._workers.one(beside, *pair) for pair in pairs], values.dtype)

    def gathered(self, aligned: Any) -> np.ndarray:
        return np.concatenate(self._workers.gather(self._single(aligned)))

    def middle(self, aligned: Any) -> np.ndarray:
        """Find it digit by digit: workers count how many values have each next one."""
        digits, (width,) = Digits(aligned.dtype), aligned.shape
        rank = np.full(width, (self.n_rows - 1) // 2)
        begin = np.zeros(width, digits.dtype)
        for shift in digits.shifts:
            counts = summed(self.each(partial(next_digits, begin=begin, shift=shift), aligned))
            below = np.cumsum(counts, axis=1)  # (width, digits)
            digit = (below <= rank[:, None]).sum(axis=1)
            at = np.arange(width), digit
            rank -= below[at] - counts[at]
            begin = begin << digits.dtype.type(8) | digit.astype(digits.dtype)
        return digits.values(begin)

    def as_rows(self, aligned: Any, dtype: Any = None) -> Chunked:
        chunks, kind = self._single(aligned), np.dtype(aligned.dtype if dtype is None else dtype)
        if kind != aligned.dtype:
            chunks = self._workers.each(viewed, chunks, dtype=kind)
        width = aligned.shape[0] * aligned.dtype.itemsize // kind.itemsize
        return Chunked(self._workers, chunks, self._rows.edges, kind, width)

    def _of(self, rows: np.ndarray, candidates: Objects | None, memory: int | None) -> Columns:
        """Return columns of some objects: here where they are few, else where they are."""
        few = self._rows.nbytes // self.n_rows * len(rows) <= working_memory() // 4
        n_jobs = self.asked_jobs if self.dissimilarity.threads else None
        how = self._names_of(rows, candidates)
        how.update(candidates=candidates, n_jobs=n_jobs, counter=self.counter)
        if few or (np.diff(rows) <= 0).any():
            memory = min(self.memory if memory is None else memory, working_memory())
            return HostColumns(self._rows[rows], self.dissimilarity, memory=memory, **how)
        memory = self.memory if memory is None else memory
        return ChunkedColumns(self._rows.part(rows), self.dissimilarity, memory=memory, **how)

    def _show(
        self, plan: Plan, n_wanted: int, visit: Callable[..., Any], aligned: Sequence[Any], request: Request
    ) -> list[Any]:
        wanted, ahead = np.split(plan.columns, [n_wanted])
        try:
            step = Step(visit, wanted, ahead, request.keep, request.lone)
            return self._run(step, aligned, self._sent.of(plan.columns))
        except RowError as error:
            raise self._named(error) from None

    def _named(self, error: RowError) -> RowError:
        """Return the error of a worker, which knows the rows and the candidates here by their places."""
        if error.among == "X":
            return RowError(self.numbering(error.row), error.why)
        among = self.candidate_numbering
        return RowError(among(error.row), error.why, among.among)

    def each(self, visit: Callable[..., Any], *aligned: Any) -> list[Any]:
        return self._run(Step(visit), aligned, [])

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of some objects to some candidates. They are fetched."""
        return self.blocks([(rows, cols)])[0]

    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        if self._candidates is not self._rows:
            rows = np.unique(np.concatenate([rows for rows, _ in requests]))
            some = self.over(rows)
            return some.blocks([(np.searchsorted(rows, r), c) for r, c in requests])
        among = np.unique(np.concatenate([which for request in requests for which in request]))
        how: dict[str, Any] = {"n_jobs": self.n_jobs, "counter": self.counter}
        how.update(numbering=self.numbering.of(among))
        some = HostColumns(self._fetched(among), self.dissimilarity, **how)
        return some.blocks([(np.searchsorted(among, r), np.searchsorted(among, c)) for r, c in requests])

    def _fetched(self, which: np.ndarray) -> np.ndarray:
        """Return rows by their distinct ascending numbers; those that were fetched last are here already."""
        ids, rows = getattr(self._here, "rows", (np.empty(0, np.intp), np.empty(0)))
        known = np.isin(which, ids, assume_unique=True)
        found = np.empty((len(which), self._rows.shape[1]), self._rows.dtype)
        if known.any():
            found[known] = rows[np.searchsorted(ids, which[known])]
        if not known.all():
            found[~known] = self._rows[which[~known]]
        self._here.rows = which, found
        return found

    def _run(self, step: Step, aligned: Sequence[Any], batches: list[Any]) -> list[Any]:
        """Run a step on every chunk; move the aligned arrays that it writes to what it made of them."""
        written = written_by(step.visit)
        fresh = written if is_fresh(step.visit) else ()
        made = [i for i, array in enumerate(aligned) if array.chunks is None or i in fresh]
        step.made = {i: aligned[i].making for i in made}
        step.places = [array.place for array in aligned]
        sent = step if step.nbytes <= _SMALL_STEP else self._workers.one(same, step)
        no_parts = [None] * len(self._rows.chunks)
        parts = [no_parts if i in made else array.chunks for i, array in enumerate(aligned)]
        numbers = self._rows.edges[:-1].tolist()
        given = self._rows.chunks, self._desks, numbers, *parts, *batches
        done = self._workers.each(visited, *given, step=sent)
        for place, i in enumerate(written):
            aligned[i].chunks, aligned[i].place = done, place
        if combine_of(step.visit) is nothing:
            return []
        if written:
            done = self._workers.each(results_of, done)
        return [result for results in self._workers.gather(done) for result in results]

    def _single(self, aligned: Aligned) -> list[Any]:
        """Return references to the parts of an array by themselves."""
        if aligned.chunks is None:
            return self._workers.each(filled, self._rows.chunks, making=aligned.making)
        if aligned.place is None:
            return aligned.chunks
        return self._workers.each(part_of, aligned.chunks, place=aligned.place)


@dataclass
class Aligned:
    """An array with an entry for each object, in parts that lie beside the chunks of rows.

    A step that writes gives all that it wrote as one; an array is then at a place in that. Before it is
    written to for the first time, an array is made by every task that needs it.
    """

    chunks: list[Any] | None
    dtype: np.dtype
    shape: tuple[int, ...] = ()  # of an entry
    place: int | None = None
    value: float = 0  # of all entries, before any is written

    @property
    def making(self) -> Making:
        return Making(self.dtype, self.shape, self.value)


class Ledger(ColumnCache):
    """Which columns the workers keep, as far as they did not lose them. The columns are not here."""

    def __init__(self, capacity: int) -> None:
        super().__init__(1, np.dtype(np.int8), capacity)

    def kept(self, wanted: np.ndarray, rows: np.ndarray) -> None:
        return None


class Sent:
    """Rows of candidates that were sent to the workers, in batches: a reference for each chunk of rows."""

    def __init__(self, candidates: Objects, rows: Chunked) -> None:
        self._candidates = candidates
        self._rows = rows
        self._batches: dict[int, tuple[np.ndarray, list[Any]]] = {}  # the latest last
        self._batch_of: dict[int, int] = {}
        self._n_sent = 0
        width = math.prod(getattr(candidates, "shape", (1,))[1:])
        self._most = max(1, _SENT_BYTES // (8 * width))  # rows

    def of(self, wanted: np.ndarray) -> list[list[Any]]:
        """Return batches that hold the rows of all candidates ``wanted``."""
        names = wanted.tolist()
        self._send([c for c in names if c not in self._batch_of])
        used = {self._batch_of[c] for c in names}
        if len(used) > _MOST_BATCHES:
            self._send(names)
            used = {self._n_sent}
        for number in sorted(used):
            self._batches[number] = self._batches.pop(number)  # the latest last
        self._forget(used)
        return [self._batches[number][1] for number in sorted(used)]

    def _send(self, names: list[int]) -> None:
        if not names:
            return
        ids = np.array(names, dtype=np.intp)
        if isinstance(self._candidates, Chunked):
            batch = self._candidates.sent(ids, self._rows.chunks)
        else:
            workers = self._rows.workers
            there = workers.one(same, (ids, self._candidates[ids]))
            batch = workers.alongside(self._rows.chunks, same, there)
        self._n_sent += 1
        self._batches[self._n_sent] = ids, batch
        self._batch_of.update(dict.fromkeys(names, self._n_sent))

    def _forget(self, used: set[int]) -> None:
        """Give up what was not used for long."""
        while sum(len(ids) for ids, _ in self._batches.values()) > self._most:
            oldest = next(iter(self._batches))
            if oldest in used:
                break
            for name in self._batches.pop(oldest)[0].tolist():
                if self._batch_of.get(name) == oldest:
                    del self._batch_of[name]
