"""Columns: the dissimilarities of all objects to one candidate, computed when asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import joblib
import numpy as np
from sklearn import get_config

from protopick.blas import one_blas_thread
from protopick.dissimilarity import Dissimilarity, length
from protopick.dissimilarity.vectors import scratch
from protopick.engine import threads
from protopick.engine.ahead import ReadAhead
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.numbering import Numbering, naming
from protopick.engine.processes import InProcesses, in_processes
from protopick.engine.tiles import QUANTUM, Tile, computed_rows, kept_rows
from protopick.engine.visits import nothing, on_tensors, visits
from protopick.objects import Objects, Stored, Subset
from protopick.objects.sizes import nbytes_of

_BLOCK_ROWS = 8192
_FEW = 8
_EACH_ROWS = 16384
_ASIDE = 16  # numbers that keep columns from lying a power of two apart, where they share places in cache


class Counter:
    """How many dissimilarities were computed, by all threads together."""

    def __init__(self) -> None:
        self.total = 0
        self._lock = threading.Lock()

    def add(self, n: int) -> None:
        with self._lock:
            self.total += n


class Columns:
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
    """

    first_row = 0
    """What number the first row has for visits, where these are rows of a chunk."""

    numbering = Numbering()
    """What numbers the rows have in X."""

    recomputed = False
    """Whether nobody counts how many are computed, so that one may be computed again where that is sooner."""

    n_machines = 1
    """How many share the work, each with its own memory."""

    _numbering_of_others = Numbering(among="prototypes_")
    """What numbers the candidates have, where they are not the rows."""

    _whole: tuple[Columns, np.ndarray] | None = None
    """Columns of more objects, which may keep some of these, and which objects these are."""

    def __init__(
        self,
        rows: Objects,
        dissimilarity: Dissimilarity,
        *,
        candidates: Objects | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        counter: Counter | None = None,
    ) -> None:
        candidates = rows if candidates is None else candidates
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
        self._encoded: Any = None  # made when it is first needed
        self._encoding = threading.Lock()
        on_demand = getattr(rows, "on_demand", False)
        self.encoded_bytes = 0 if on_demand else dissimilarity.encoded_bytes(rows)
        self._holds_encoded = not on_demand and self.encoded_bytes <= self.memory // 2
        if self._holds_encoded:
            self.memory -= self.encoded_bytes
        self._cache = self._new_cache()

    def _new_cache(self) -> ColumnCache:
        return ColumnCache(self.n_rows, self.dissimilarity.dtype, self.memory)

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

    def full(self, value: float, dtype: Any, *width: int) -> np.ndarray:
        """Return an array with an entry for each object, where the objects are, to be shown to visits.

        With a ``width``, an entry has so many numbers.
        """
        shape = self.n_rows, *width
        return np.full(shape, value, dtype) if value else np.zeros(shape, dtype)  # touches no page yet

    def ones(self) -> np.ndarray:
        """Return ones for all objects that no visit may write to."""
        return np.broadcast_to(np.int8(1), self.n_rows)

    def aligned(self, values: np.ndarray) -> np.ndarray:
        """Return ``values``, one for each object, where the objects are."""
        return values

    def gathered(self, aligned: np.ndarray) -> np.ndarray:
        """Return an array that `full` or `aligned` gave as one of NumPy."""
        return aligned

    def middle(self, aligned: np.ndarray) -> np.ndarray:
        """Return, of each column of such an array with a width, the value that half do not exceed."""
        return middle(aligned)

    def as_rows(self, aligned: np.ndarray, dtype: Any = None) -> Objects:
        """Return such an array with a width as objects, their bytes read as those of ``dtype``."""
        return aligned if dtype is None else aligned.view(dtype)

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
        copied_bytes = nbytes_of(self._rows) * len(rows) // max(1, self.n_rows)
        fits = copied_bytes <= memory // 4
        some = type(self)(
            self._rows[rows] if fits else Subset(self._rows, rows),
            self.dissimilarity,
            candidates=candidates,
            n_jobs=self.n_jobs,
            memory=memory - copied_bytes if fits else memory,
            counter=self.counter,
        )
        if candidates is self._candidates:
            some._whole = self, rows
        return self._as_part(some, rows)

    def _as_part(self, some: Columns, rows: np.ndarray) -> Columns:
        """Let columns of some rows know what numbers these have, and the candidates."""
        some.numbering = self.numbering.of(rows)
        if some._candidates is self._candidates:
            some._numbering_of_others = self.candidate_numbering
        return some

    @property
    def candidate_numbering(self) -> Numbering:
        """What numbers the candidates have in what the user passed."""
        return self.numbering if self._candidates is self._rows else self._numbering_of_others

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
            filled = self._filled(plan)
            results = self._show(filled, len(wanted), visit, aligned, lone, once)
        except BaseException:
            self._cache.clear()  # rows may be half filled
            raise
        if not plan.all_ready:
            self.counter.add(self.n_rows * int((~filled.ready).sum()))
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
        if ahead is not None and self.dissimilarity.bulk and not plan.all_ready and self._cache.room:
            plan = self._cache.extend(plan, ahead(self._cache.room))
        return plan

    def matches(
        self, wanted: np.ndarray, sets: np.ndarray, labels: np.ndarray, own: np.ndarray
    ) -> np.ndarray | None:
        """Return, for sets of candidates, how many objects have the label of their nearest in the set.

        Parameters
        ----------
        wanted : ndarray of int
            Distinct candidates.
        sets : ndarray of int, shape (sets, k)
            Which of these make a set.
        labels : ndarray of int32, of the same shape
            Their labels there.
        own : ndarray of int32
            The labels of the objects.

        Returns
        -------
        ndarray or None
            None where it is not sooner to compare all objects anew than to `scan` columns that are kept.
        """
        if not self.recomputed or type(self._rows) is not np.ndarray or not self._holds_encoded:
            return None
        if self._candidates is not self._rows:  # they are looked up among encoded rows
            return None
        count = self.dissimilarity.matches(self._encode_rows(slice(None)), wanted)
        if count is None:
            return None
        height = -(-self.n_rows // (2 * self.n_jobs * QUANTUM)) * QUANTUM

        def count_in_tile(i: int) -> np.ndarray:
            here = slice(i * height, min((i + 1) * height, self.n_rows))
            return count(here, sets, labels, own[here])

        return np.add.reduce(threads.run(count_in_tile, -(-self.n_rows // height), self.n_jobs))

    def _filled(self, plan: Plan) -> Plan:
        """Return the plan with what the columns of more objects keep already in its place."""
        if self._whole is None or plan.all_ready or not plan.any_kept:
            return plan
        whole, rows = self._whole
        missing = np.flatnonzero(~plan.ready & (plan.slots >= 0))
        held, values = whole._cache.those_kept(plan.columns[missing], rows)
        if not held.any():
            return plan
        plan.kept[plan.slots[missing[held]], : self.n_rows] = values
        ready = plan.ready.copy()
        ready[missing[held]] = True
        return replace(plan, ready=ready)

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
        block = self._block(missing, lone) if len(missing) else None
        height = self._tile_rows(n_wanted, lone) if len(missing) else self._kept_rows(n_wanted)
        if block is not None and self._holds_encoded and not once:
            self._hold_encoded()  # before threads are at work, since one of these cannot share it out
        in_file = isinstance(self._rows, Stored) and block is not None
        ahead_of = ReadAhead(self._rows, height, self.n_jobs + 1) if in_file else None

        def visit_tile(i: int) -> Any:
            here = slice(i * height, min((i + 1) * height, self.n_rows))
            rows = None if block is None else self._encode_rows(here, not once, ahead_of)
            tile = self._tile(plan, rows, block, here, n_wanted)
            return visit(tile, *(array[here] for array in aligned))

        try:
            return threads.run(visit_tile, -(-self.n_rows // height), self.n_jobs)
        finally:
            if ahead_of is not None:
                ahead_of.close()

    def each(self, visit: Callable[..., Any], *aligned: np.ndarray) -> list[Any]:
        """Show arrays that `full` and `aligned` gave to ``visit``, as `scan` does, beside no columns."""
        nothing = np.empty((0, 0), self.dissimilarity.dtype), np.empty(0, np.intp)

        def visit_tile(i: int) -> Any:
            start, stop = i * _EACH_ROWS, min((i + 1) * _EACH_ROWS, self.n_rows)
            tile = Tile(*nothing, start, stop, self.first_row + start, self.dissimilarity)
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
        self.scan(wanted, _write, table, keep=keep, once=once, ahead=ahead)
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
            for start in range(0, len(rows), _BLOCK_ROWS):
                some = self._encode_rows(rows[start : start + _BLOCK_ROWS], many)
                self.dissimilarity.block(some, encoded_cols, out, at, start)
        self.counter.add(len(rows) * len(cols))
        return self.dissimilarity.restore(out).T

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

    def _tile(
        self, plan: Plan, rows: Any, block: Callable[..., None] | None, here: slice, n_wanted: int
    ) -> Tile:
        """Compute what is missing of a stretch of rows, in the cache or in a buffer of this thread.

        The rows were encoded before, which may need the buffer too.
        """
        if plan.all_kept:
            keys, start = plan.kept, here.start
        else:
            n, size = len(plan.columns), here.stop - here.start
            keys, start = scratch("tile", (n, size if n == 1 else size + _ASIDE), self.dissimilarity.dtype), 0
            for j in np.flatnonzero(plan.ready):
                keys[j, :size] = plan.kept[plan.slots[j], here]
        if block is not None:
            block(rows, keys, plan.positions[~plan.ready], start)
            if not plan.all_kept:
                for j in np.flatnonzero(~plan.ready & (plan.slots >= 0)):
                    plan.kept[plan.slots[j], here] = keys[j, :size]
        at, stop = plan.positions[:n_wanted], start + here.stop - here.start
        return Tile(keys, at, start, stop, self.first_row + here.start, self.dissimilarity)

    def _encode_candidates(self, which: np.ndarray, hold: bool = True) -> Any:
        if self._candidates is self._rows:
            return self._encode_rows(which, hold)
        with naming(self.candidate_numbering.of(which)):
            return self.dissimilarity.encode(self._candidates[which])

    def _encode_rows(self, which: slice | np.ndarray, hold: bool = True, source: Any = None) -> Any:
        """Return encoded rows, out of all of them where these are held, or should be from now on."""
        if not self._holds_encoded or (self._encoded is None and not hold):
            rows = range(self.n_rows)[which] if isinstance(which, slice) else which
            with naming(self.numbering.of(rows)):
                return self.dissimilarity.encode((self._rows if source is None else source)[which])
        self._hold_encoded()
        return self._encoded[which]

    def _hold_encoded(self) -> None:
        with self._encoding, naming(self.numbering):
            if self._encoded is None:
                run = partial(threads.run, threads=self.n_jobs)
                self._encoded = self.dissimilarity.encode_all(self._rows, run)

    def _tile_rows(self, n_wanted: int, lone: bool) -> int:
        """Return how many rows a tile has where columns are to be computed."""
        fixed = self.dissimilarity.tile_rows
        if fixed is not None and not lone:
            return fixed
        read = self._rows.nbytes if isinstance(self._rows, Stored) else 0
        measure = self.dissimilarity
        return computed_rows(
            self.n_rows, n_wanted, measure.dtype.itemsize, self.n_jobs, read, measure.few_pairs
        )

    def _kept_rows(self, n_wanted: int) -> int:
        """Return the same where all are kept already."""
        return kept_rows(self.n_rows, n_wanted, self.dissimilarity.dtype.itemsize, self.n_jobs)


@visits(writes=(0,), fresh=True, combine=nothing)
def _write(tile: Tile, part: np.ndarray) -> None:
    part[:] = tile.in_order().T
    restored = tile.restore(part)
    if restored is not part:
        part[:] = restored


@on_tensors(_write)
def _write_tensor(tile: Tile, part: Any) -> None:
    part[:] = tile.restore(tile.columns()).T


def middle(values: np.ndarray) -> np.ndarray:
    """Return for each column the value that half of the rows do not exceed."""
    half = (len(values) - 1) // 2
    return np.partition(values, half, axis=0)[half]


def working_memory() -> int:
    """Return scikit-learn's ``working_memory`` setting in bytes."""
    return int(get_config()["working_memory"] * 2**20)
