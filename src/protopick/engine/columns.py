"""Columns: the dissimilarities of all objects to one candidate, computed when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import joblib
import numpy as np

from protopick.blas import one_blas_thread
from protopick.dissimilarity import Dissimilarity, length
from protopick.engine import threads
from protopick.engine.ahead import ReadAhead
from protopick.engine.aligned import AlignedArrays
from protopick.engine.budget import Counter, for_tiles, working_memory
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.encoded import Encoded, encoded_bytes_of
from protopick.engine.heights import Pace, computed_rows, kept_rows, within
from protopick.engine.numbering import Numbering, naming
from protopick.engine.processes import InProcesses, in_processes
from protopick.engine.table import write_in_order
from protopick.engine.tiles import Tile, computed
from protopick.objects import Objects, Stored, Subset
from protopick.objects.sizes import nbytes_of

_BLOCK_ROWS = 8192
_FEW = 8
_EACH_ROWS = 16384
_COPIES = 3  # of candidates: as they are looked up, encoded, and in the order in which a block reads them


class Columns(AlignedArrays):
    """All objects against candidates: the one tiling loop, with a cache, a budget and a counter.

    Parameters
    ----------
    rows : Objects
        The objects.
    dissimilarity : Dissimilarity
        Already fitted to the objects.
    candidates : Objects, optional
        What columns are numbered by. By default the objects themselves.
    n_jobs : int or None
        Threads, see `threads.n_threads`. Processes for a dissimilarity that threads cannot share; one
        for None.
    memory : int, optional
        Bytes that encoded objects and kept columns may take. By default scikit-learn's
        ``working_memory``. The answer never depends on it.
    counter : Counter, optional
        Shared with other columns of the same fit.
    numbering : Numbering, optional
        What numbers the rows have in X. By default they are X.
    candidate_numbering : Numbering, optional
        What numbers the candidates have. By default those of the rows or, where they are other objects, their
        own among ``prototypes_``.
    recomputed : bool
        Whether nobody counts how many are computed, so that one may be computed again where that is sooner.
    """

    n_machines = 1
    """How many share the work, each with its own memory."""

    def __init__(
        self,
        rows: Objects,
        dissimilarity: Dissimilarity,
        *,
        candidates: Objects | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        counter: Counter | None = None,
        numbering: Numbering | None = None,
        candidate_numbering: Numbering | None = None,
        recomputed: bool = False,
    ) -> None:
        candidates = rows if candidates is None else candidates
        self._note_numbers(numbering, candidate_numbering, candidates is rows)
        self.recomputed = recomputed
        self.asked_jobs = n_jobs
        self.n_jobs = threads.n_threads(n_jobs)
        if not dissimilarity.threads:
            if n_jobs is not None and joblib.effective_n_jobs(self.n_jobs) > 1:
                dissimilarity, rows, candidates = in_processes(dissimilarity, rows, candidates, self.n_jobs)
            self.n_jobs = 1
        self.dissimilarity = dissimilarity
        self.n_rows = length(rows)
        self.memory = working_memory() if memory is None else memory
        self.counter = Counter() if counter is None else counter
        self._rows = rows
        self._candidates = candidates
        self._whole: tuple[Columns, np.ndarray] | None = None  # which may keep some of these, and these rows
        self._encoded = self._encoding()
        self.encoded_bytes = self._encoded.nbytes
        if self._encoded.may_be_held:
            self.memory -= self.encoded_bytes
        self._cache = self._new_cache()

    def _note_numbers(self, rows: Numbering | None, candidates: Numbering | None, same: bool) -> None:
        """Note what numbers the rows and the candidates have, which may be the same objects."""
        self.numbering = Numbering() if rows is None else rows
        others = self.numbering if same else Numbering(among="prototypes_")
        self.candidate_numbering = others if candidates is None else candidates

    def _encoding(self) -> Encoded:
        return Encoded(self._rows, self.dissimilarity, self.memory, self.n_jobs, self.numbering)

    def _new_cache(self) -> ColumnCache:
        tiles = self.memory // 4 if self._encoded.on_demand else 0  # of which rows are looked up
        return ColumnCache(self.n_rows, self.dissimilarity.dtype, self.memory - tiles)

    @property
    def capacity(self) -> int:
        """How many columns can be kept."""
        return self._cache.capacity

    def reserve(self, memory: int) -> None:
        """Leave so many bytes of the budget to arrays that others hold. Forgets kept columns."""
        self.memory = max(0, self.memory - memory)
        self._cache = self._new_cache()

    def holds(self, nbytes: int) -> bool:
        """Say whether half of the budget is enough for so many bytes."""
        return nbytes <= self.memory // 2

    @property
    def object_bytes(self) -> int:
        """How many bytes a copy of all objects would take."""
        return nbytes_of(self._rows)

    def take_candidates_from(self, candidates: Any) -> None:
        """Look candidates up there from now on. They have the numbers that they had before."""
        self._candidates = candidates

    def over(self, rows: np.ndarray, memory: int | None = None) -> Columns:
        """Return columns of the objects at the indices ``rows`` only, counted together with these."""
        return self._of(rows, self._candidates, memory)

    def part(self, rows: np.ndarray, memory: int | None = None) -> Columns:
        """Return columns among the objects at the indices ``rows`` alone, which are numbered anew."""
        candidates = None if self._candidates is self._rows else self._candidates[rows]
        return self._of(rows, candidates, memory)

    def _of(self, rows: np.ndarray, candidates: Objects | None, memory: int | None) -> Columns:
        """Return columns of some objects against ``candidates``, by default these very objects."""
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

    def _names_of(self, rows: np.ndarray, candidates: Objects | None) -> dict[str, Any]:
        """Return what numbers some of the rows have, and those of candidates that stay the same."""
        stay = candidates is self._candidates
        return {
            "numbering": self.numbering.of(rows),
            "candidate_numbering": self.candidate_numbering if stay else None,
        }

    def scan(
        self,
        wanted: np.ndarray,
        visit: Callable[..., Any],
        *aligned: np.ndarray,
        keep: bool = False,
        lone: bool = False,
        once: bool = False,
        ahead: Callable[[int], np.ndarray] | None = None,
    ) -> list[Any]:
        """Show the columns of ``wanted`` to ``visit``, one tile of rows after the other.

        Parameters
        ----------
        wanted : ndarray of int
            Distinct candidates.
        visit : callable
            ``visit(tile, *parts)`` gets a `Tile` of the columns. A function of a module, or a partial one:
            it may be sent to where the rows are. To see a tile twice must do no harm.
        *aligned : array
            What `full` and `aligned` gave; ``visit`` gets the tile's part of each and may write.
        keep : bool
            Keep these columns for later scans, those that were kept before only as far as there is room.
        lone : bool
            One step of a traversal: ``wanted`` is a single candidate that will not be asked again. It is
            computed in its own way, which may round otherwise, so a kept column is not taken.
        once : bool
            No other scan will follow, so encoded rows are not held for it.
        ahead : callable, optional
            Only with ``keep``. ``ahead(m)`` names up to m candidates that later scans will want. Where
            columns have to be computed anyway, these are computed along, if there is room to keep them and
            a block costs hardly more than a part of it.

        Returns
        -------
        list
            What ``visit`` returned, in the order of the tiles.
        """
        wanted = np.asarray(wanted, dtype=np.intp)
        try:
            plan = self._plan(wanted, keep, lone, ahead)
            self._cache.claim(plan, self.n_jobs)
            if self._whole is not None and plan.any_kept and not plan.all_ready:
                whole, rows = self._whole
                plan = self._cache.filled_from(whole._cache, rows, plan)
            results = self._show(plan, len(wanted), visit, aligned, lone, once)
        except BaseException:
            self._cache.clear()  # rows may be half filled
            raise
        if not plan.all_ready:
            self.counter.add(self.n_rows * int((~plan.ready).sum()))
        return results

    def _plan(
        self, wanted: np.ndarray, keep: bool, lone: bool, ahead: Callable[[int], np.ndarray] | None
    ) -> Plan:
        """Say where the columns of a scan are or go, with those that are computed ahead."""
        if ahead is not None and not keep:
            raise ValueError("ahead needs keep=True: what is computed ahead is for later scans.")
        if lone:
            return self._cache.none(wanted)
        plan = self._cache.plan(wanted, keep)
        if ahead is not None and self.dissimilarity.bulk and not plan.all_ready:
            most = min(self._cache.room, self._most_candidates - len(wanted))
            plan = self._cache.extend(plan, ahead(most)) if most > 0 else plan
        return plan

    @property
    def _most_candidates(self) -> int:
        """How many candidates a scan may have before it adds any that are not wanted yet."""
        nbytes = _COPIES * encoded_bytes_of(self._candidates, self.dissimilarity)
        room = for_tiles(self.memory) // 2
        return room * length(self._candidates) // nbytes if nbytes else self.n_rows

    def rows_to_compare_again(self) -> Any:
        """Return all rows, encoded, for who compares them with each other sooner than columns are looked up.

        None where candidates are other objects, or where computed dissimilarities are counted.
        """
        alike = self._candidates is self._rows and type(self._rows) is np.ndarray
        return self._encoded.held() if self.recomputed and alike and self._encoded.may_be_held else None

    def _show(
        self,
        plan: Plan,
        n_wanted: int,
        visit: Callable[..., Any],
        aligned: Sequence[Any],
        lone: bool,
        once: bool,
    ) -> list[Any]:
        """Compute what is missing tile by tile, and show each tile to ``visit``."""
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
        """Show arrays that `full` and `aligned` gave to ``visit``, as `scan` does, beside no columns."""
        nothing = np.empty((0, 0), self.dissimilarity.dtype), np.empty(0, np.intp)

        def visit_tile(i: int) -> Any:
            start, stop = i * _EACH_ROWS, min((i + 1) * _EACH_ROWS, self.n_rows)
            tile = Tile(*nothing, start, stop, self.numbering.first + start, self.dissimilarity)
            return visit(tile, *(array[start:stop] for array in aligned))

        return threads.run(visit_tile, -(-self.n_rows // _EACH_ROWS), self.n_jobs)

    def table(
        self, wanted: np.ndarray, *, keep: bool = False, ahead: Callable[[int], np.ndarray] | None = None
    ) -> np.ndarray:
        """Return the dissimilarities of all objects to the distinct candidates ``wanted``.

        ``keep`` and ``ahead`` as in `scan`.
        """
        return self.gathered(self.aligned_table(wanted, keep=keep, ahead=ahead))

    def space(self, wanted: np.ndarray) -> Any:
        """Return the same in the kind of array that the user passed. No other scan may follow."""
        return self.aligned_table(wanted, once=True)

    def aligned_table(
        self,
        wanted: np.ndarray,
        *,
        keep: bool = False,
        once: bool = False,
        ahead: Callable[[int], np.ndarray] | None = None,
    ) -> Any:
        """Return the same where the objects are."""
        table = self.full(0, self.dissimilarity.dtype, len(wanted))
        self.scan(wanted, write_in_order, table, keep=keep, once=once, ahead=ahead)
        return table

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of the objects ``rows`` to the candidates ``cols``, counted.

        Where all these columns are kept, nothing is computed.
        """
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
        """Return many small blocks, each of some objects and some candidates."""
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
