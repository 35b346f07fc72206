"""Columns of objects on this machine: the one tiling loop, with a cache, a budget and a counter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import joblib
import numpy as np

from protopick.blas import one_blas_thread
from protopick.dissimilarity import Dissimilarity
from protopick.engine import threads
from protopick.engine.ahead import ReadAhead
from protopick.engine.budget import for_tiles, working_memory
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.columns import Columns, Request
from protopick.engine.encoded import Encoded
from protopick.engine.heights import Pace, computed_rows, kept_rows, within
from protopick.engine.numbering import naming
from protopick.engine.processes import InProcesses, in_processes
from protopick.engine.tiles import Tile, computed
from protopick.objects import Objects, Stored, Subset

_BLOCK_ROWS = 8192
_FEW = 8
_EACH_ROWS = 16384


class HostColumns(Columns):
    """Columns of objects in the memory of this machine, or in its files.

    Parameters
    ----------
    rows, dissimilarity, candidates, counter, numbering, candidate_numbering, recomputed
        As for `Columns`.
    n_jobs : int or None
        Threads, see `threads.n_threads`. Processes for a dissimilarity that threads cannot share; one
        for None.
    memory : int, optional
        By default scikit-learn's ``working_memory``.
    """

    def __init__(
        self,
        rows: Objects,
        dissimilarity: Dissimilarity,
        *,
        candidates: Objects | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        **how: Any,
    ) -> None:
        candidates = rows if candidates is None else candidates
        if not dissimilarity.threads and n_jobs is not None:
            n_processes = threads.n_threads(n_jobs)
            if joblib.effective_n_jobs(n_processes) > 1:
                dissimilarity, rows, candidates = in_processes(dissimilarity, rows, candidates, n_processes)
        memory = working_memory() if memory is None else memory
        super().__init__(rows, dissimilarity, candidates=candidates, n_jobs=n_jobs, memory=memory, **how)
        self._whole: tuple[HostColumns, np.ndarray] | None = None  # columns of more rows, and which these are
        self._encoded = self._encoding()
        self.encoded_bytes = self._encoded.nbytes
        if self._encoded.may_be_held:
            self.memory -= self.encoded_bytes
        self._cache = self._new_cache()

    def _encoding(self) -> Encoded:
        return Encoded(self._rows, self.dissimilarity, self.memory, self.n_jobs, self.numbering)

    def _new_cache(self) -> ColumnCache:
        tiles = self.memory // 4 if self._encoded.on_demand else 0  # of which rows are looked up
        return ColumnCache(self.n_rows, self.dissimilarity.dtype, self.memory - tiles)

    def reserve(self, memory: int) -> None:
        self.memory = max(0, self.memory - memory)
        self._cache = self._new_cache()

    def holds(self, nbytes: int) -> bool:
        return nbytes <= self.memory // 2

    def _of(self, rows: np.ndarray, candidates: Objects | None, memory: int | None) -> Columns:
        memory = self.memory if memory is None else memory
        copied_bytes = self.object_bytes * len(rows) // max(1, self.n_rows)
        fits = copied_bytes <= memory // 4
        some = type(self)(
            self._rows[rows] if fits else Subset(self._rows, rows),
            self.dissimilarity,
            candidates=candidates,
            n_jobs=self.n_jobs,
            memory=memory - copied_bytes if fits else memory,
            counter=self.counter,
            **self._names_of(rows, candidates),
        )
        if candidates is self._candidates:
            some._whole = self, rows
        return some

    def _prepared(self, plan: Plan) -> Plan:
        self._cache.claim(plan, self.n_jobs)
        if self._whole is None or not plan.any_kept or plan.all_ready:
            return plan
        whole, rows = self._whole
        return self._cache.filled_from(whole._cache, rows, plan)

    def rows_to_compare_again(self) -> Any:
        alike = self._candidates is self._rows and type(self._rows) is np.ndarray
        return self._encoded.held() if self.recomputed and alike and self._encoded.may_be_held else None

    def _show(
        self, plan: Plan, n_wanted: int, visit: Callable[..., Any], aligned: Sequence[Any], request: Request
    ) -> list[Any]:
        lone, once = request.lone, request.once
        missing = plan.columns[~plan.ready]
        if len(missing):
            block, pace = self._block(missing, lone), self._pace(n_wanted, lone, not once)
            if self._encoded.may_be_held and not once:
                self._encoded.held()  # before threads are at work, since one of these cannot share it out
        else:
            block, pace = None, Pace(self._kept_rows(n_wanted), self.n_jobs)
        height = pace.height
        in_file = isinstance(self._rows, Stored) and block is not None
        ahead_of = ReadAhead(self._rows, height, pace.ahead) if in_file else None

        def visit_tile(i: int) -> Any:
            here = slice(i * height, min((i + 1) * height, self.n_rows))
            rows = None if block is None else self._encoded.some(here, not once, ahead_of)
            place = computed(plan, rows, block, here, n_wanted, self.dissimilarity.dtype)
            tile = Tile(*place, self.numbering.first + here.start, self.dissimilarity)
            return visit(tile, *(array[here] for array in aligned))

        try:
            return threads.run(visit_tile, -(-self.n_rows // height), pace.at_once)
        finally:
            if ahead_of is not None:
                ahead_of.close()

    def each(self, visit: Callable[..., Any], *aligned: np.ndarray) -> list[Any]:
        nothing = np.empty((0, 0), self.dissimilarity.dtype), np.empty(0, np.intp)

        def visit_tile(i: int) -> Any:
            start, stop = i * _EACH_ROWS, min((i + 1) * _EACH_ROWS, self.n_rows)
            tile = Tile(*nothing, start, stop, self.numbering.first + start, self.dissimilarity)
            return visit(tile, *(array[start:stop] for array in aligned))

        return threads.run(visit_tile, -(-self.n_rows // _EACH_ROWS), self.n_jobs)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        kept = self._cache.kept(cols, rows)
        if kept is not None:
            return self.dissimilarity.restore(kept).T
        if self.dissimilarity.symmetric and len(cols) > len(rows) and self._candidates is self._rows:
            return self.block(cols, rows).T  # a block is cheaper tall than wide
        out = np.empty((len(cols), len(rows)), self.dissimilarity.dtype)
        many = _FEW * (len(rows) + len(cols)) > self.n_rows
        encoded_cols, at = self._encode_candidates(cols, many), np.arange(len(cols))
        with one_blas_thread():
            compare, step = self.dissimilarity.against(encoded_cols), self._block_rows(many)
            for start in range(0, len(rows), step):
                compare(self._encoded.some(rows[start : start + step], many), out, at, start)
        self.counter.add(len(rows) * len(cols))
        return self.dissimilarity.restore(out).T

    def _block_rows(self, hold: bool) -> int:
        """Return how many rows of a block are compared at a time, where other threads do the same."""
        row_bytes = self.n_jobs * sum(self._encoded.row_bytes(hold))
        return max(1, min(_BLOCK_ROWS, for_tiles(self.memory) // row_bytes)) if row_bytes else _BLOCK_ROWS

    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        if isinstance(self.dissimilarity, InProcesses):
            self.counter.add(sum(len(rows) * len(cols) for rows, cols in requests))
            return self.dissimilarity.blocks([(self._rows[r], self._candidates[c]) for r, c in requests])
        return threads.run(lambda i: self.block(*requests[i]), len(requests), self.n_jobs)

    def _block(self, missing: np.ndarray, lone: bool) -> Callable[..., None]:
        """Return what writes the keys of rows against some candidates."""
        cols, measure = self._encode_candidates(missing), self.dissimilarity
        return (lambda rows, out, at, start: measure.lone(rows, cols, out)) if lone else measure.against(cols)

    def _encode_candidates(self, which: np.ndarray, hold: bool = True) -> Any:
        if self._candidates is self._rows:
            return self._encoded.some(which, hold)
        with naming(self.candidate_numbering.of(which)):
            return self.dissimilarity.encode(self._candidates[which])

    def _pace(self, n_wanted: int, lone: bool, hold: bool) -> Pace:
        """Say how to go through the rows where columns are to be computed."""
        ahead = self.n_jobs + 1 if isinstance(self._rows, Stored) else 0
        wish = Pace(self._tile_rows(n_wanted, lone), self.n_jobs, ahead)
        return within(for_tiles(self.memory), wish, *self._encoded.row_bytes(hold))

    def _tile_rows(self, n_wanted: int, lone: bool) -> int:
        """Return how many rows a tile had best have there."""
        measure = self.dissimilarity
        if measure.tile_rows is not None and not lone:
            return measure.tile_rows
        read = self._rows.nbytes if isinstance(self._rows, Stored) else 0
        return computed_rows(
            self.n_rows, n_wanted, measure.dtype.itemsize, self.n_jobs, read, measure.few_pairs
        )

    def _kept_rows(self, n_wanted: int) -> int:
        """Return the same where all are kept already."""
        return kept_rows(self.n_rows, n_wanted, self.dissimilarity.dtype.itemsize, self.n_jobs)
