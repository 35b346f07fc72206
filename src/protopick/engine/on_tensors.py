"""Columns of rows that are in a tensor: computed, kept and looked at on its device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from protopick.dissimilarity import Dissimilarity
from protopick.dissimilarity.tensors import OnTensors, on_tensors
from protopick.engine.budget import working_memory
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.columns import Columns, Request
from protopick.engine.encoded import Encoded
from protopick.engine.on_host import HostColumns
from protopick.engine.tiles import Tile
from protopick.engine.visits import for_tensors
from protopick.objects import Objects, TensorRows
from protopick.objects.tensors import (
    counted,
    device_memory,
    empty,
    full,
    is_out_of_memory,
    on_host,
    put,
    release_memory,
)

_TILE_NUMBERS = 1 << 27
"""How many keys a tile has at most: enough to keep a GPU busy."""

_SETS_NUMBERS = 1 << 26
_FEWEST_NUMBERS = 1 << 16
_ALIGNED = 32
"""A GPU copies a column fast that begins at a multiple of so many numbers."""

_MOST_ROWS = 1 << 24
"""So that counts of rows are exact in float32."""

_SHARE = 2
"""A GPU's free memory, divided by so much, is what encoded rows and kept columns may take."""


class TensorTile(Tile):
    """A stretch of rows of columns in a tensor. ``at`` is None where all columns are wanted, in order."""

    def columns(self, which: Any = slice(None)) -> Any:
        """Return the stretch of some of the wanted columns, which may be written to."""
        if self.at is None:
            return self.keys[which, self.start : self.stop]
        return self._taken(self.at[which])

    def _taken(self, rows: Any) -> Any:
        """Return some rows of the keys. Whole ones are copied faster, where most of each is wanted."""
        if 2 * (self.stop - self.start) > self.keys.shape[1]:
            return self.keys[rows][..., self.start : self.stop]
        return self.keys[:, self.start : self.stop].index_select(0, rows)

    def rows(self) -> Any:
        """Return which rows of the keys the wanted columns are."""
        return counted(len(self.keys), self.keys.device) if self.at is None else self.at

    def named(self, where: np.ndarray) -> Any:
        """Return which rows of the keys the wanted columns ``where`` are."""
        columns = put(where.astype(np.int64, copy=False), self.keys.device)
        return columns if self.at is None else self.at[columns]

    def sets(self, where: np.ndarray) -> Iterator[tuple[slice, Any]]:
        """Yield the columns of some of the sets that ``where`` has as rows, shape (some, k, rows)."""
        columns = self.named(where)
        n_sets, k = where.shape
        step = max(1, _SETS_NUMBERS // max(1, k * (self.stop - self.start)))
        for start in range(0, n_sets, step):
            some = slice(start, min(start + step, n_sets))
            yield some, self._taken(columns[some].flatten()).unflatten(0, (some.stop - start, k))


class TensorColumns(HostColumns):
    """All objects against candidates, on the device of a tensor.

    Parameters
    ----------
    rows : TensorRows
        The objects.
    memory : int, optional
        By default half of what is free on a GPU, elsewhere scikit-learn's ``working_memory``.

    Notes
    -----
    The other parameters are those of `Columns`; ``n_jobs`` says nothing here. Where the device has too
    little memory, kept columns are given up and tiles become smaller.
    """

    dissimilarity: OnTensors
    _rows: TensorRows
    _encoded: EncodedTensors

    def __init__(
        self,
        rows: TensorRows,
        dissimilarity: Dissimilarity,
        *,
        memory: int | None = None,
        **how: Any,
    ) -> None:
        self.device = rows.device
        self._tile_numbers = _TILE_NUMBERS
        if not dissimilarity.on_device:
            dissimilarity = on_tensors(dissimilarity, self.device)
        if memory is None:
            free = device_memory(self.device)
            memory = working_memory() if free is None else free // _SHARE
        super().__init__(rows, dissimilarity, memory=memory, **how)

    def _encoding(self) -> Encoded:
        return EncodedTensors(self._rows, self.dissimilarity, self.memory, self.n_jobs, self.numbering)

    def _new_cache(self) -> ColumnCache:
        return TensorCache(self.n_rows, self.dissimilarity.dtype, self.memory, self.device)

    def full(self, value: float, dtype: Any, *width: int) -> Any:
        return full((self.n_rows, *width), value, dtype, self.device)

    def ones(self) -> Any:
        return full((1,), 1, np.int8, self.device).expand(self.n_rows)

    def aligned(self, values: np.ndarray) -> Any:
        return put(values, self.device)

    def gathered(self, aligned: Any) -> np.ndarray:
        return on_host(aligned)

    def _of(self, rows: np.ndarray, candidates: Objects | None, memory: int | None) -> Columns:
        return TensorColumns(
            self._rows[rows],
            self.dissimilarity,
            candidates=candidates,
            memory=self.memory if memory is None else memory,
            counter=self.counter,
            **self._names_of(rows, candidates),
        )

    def scan(self, wanted: np.ndarray, visit: Callable[..., Any], *aligned: Any, **how: Any) -> list[Any]:
        while True:
            try:
                if how.get("lone", False):
                    return self._show_one(wanted, visit, aligned)
                return super().scan(wanted, visit, *aligned, **how)
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                self._retreat(error)

    def each(self, visit: Callable[..., Any], *aligned: Any) -> list[Any]:
        nothing = empty((0, self.n_rows), self.dissimilarity.dtype, self.device)
        tile = TensorTile(nothing, None, 0, self.n_rows, 0, self.dissimilarity)
        return [_seen(visit, tile, aligned)]

    def space(self, wanted: np.ndarray) -> Any:
        return self._rows.given(super().space(wanted))

    def middle(self, aligned: Any) -> np.ndarray:
        return on_host(aligned.kthvalue((self.n_rows - 1) // 2 + 1, dim=0).values)

    def as_rows(self, aligned: Any, dtype: Any = None) -> Objects:
        """Return such a tensor as objects; read as another dtype, they come to the host."""
        return TensorRows(aligned) if dtype is None else on_host(aligned).view(dtype)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        kept = self._cache.kept(cols, rows)
        if kept is not None:
            return on_host(self.dissimilarity.restore(kept)).T
        encoded_cols = self._encode_candidates(cols)
        step = max(1, self._tile_numbers // max(1, len(cols)))
        parts = []
        for start in range(0, len(rows), step):
            keys = self.dissimilarity.keys(self._encoded.some(rows[start : start + step]), encoded_cols)
            parts.append(on_host(self.dissimilarity.restore(keys)).T)
        self.counter.add(len(rows) * len(cols))
        return np.concatenate(parts) if parts else np.empty((0, len(cols)), self.dissimilarity.dtype)

    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        return [self.block(*request) for request in requests]

    def _show(
        self, plan: Plan, n_wanted: int, visit: Callable[..., Any], aligned: Sequence[Any], request: Request
    ) -> list[Any]:
        missing = plan.columns[:0] if plan.all_ready else plan.columns[~plan.ready]
        cols = self._encode_candidates(missing) if len(missing) else None
        height = max(1, min(self._tile_numbers // max(1, len(missing), n_wanted), _MOST_ROWS))
        at = None
        if plan.any_kept:
            at = put(plan.positions[:n_wanted].astype(np.int64, copy=False), self.device)
        results = []
        for start in range(0, self.n_rows, height):
            here = slice(start, min(start + height, self.n_rows))
            tile = self._tile_of(plan, cols, here, not request.once)._replace(at=at)
            results.append(_seen(visit, tile, [array[here] for array in aligned]))
        return results

    def _show_one(self, wanted: np.ndarray, visit: Callable[..., Any], aligned: Sequence[Any]) -> list[Any]:
        """Show a column that is neither kept nor will be."""
        cols, results = self._encode_candidates(wanted), []
        height = min(self._tile_numbers, _MOST_ROWS)
        for start in range(0, self.n_rows, height):
            here = slice(start, min(start + height, self.n_rows))
            keys = self.dissimilarity.lone_keys(self._encoded.some(here), cols)
            tile = TensorTile(keys, None, 0, here.stop - start, start, self.dissimilarity)
            results.append(_seen(visit, tile, [array[here] for array in aligned]))
        self.counter.add(self.n_rows)
        return results

    def _tile_of(self, plan: Plan, cols: Any, here: slice, hold: bool) -> TensorTile:
        """Compute what is missing of a stretch of rows, in the cache or in a tensor of its own."""
        size = here.stop - here.start
        computed = None if cols is None else self.dissimilarity.keys(self._encoded.some(here, hold), cols)
        if computed is not None and not plan.any_kept:
            return TensorTile(computed, None, 0, size, here.start, self.dissimilarity)
        if computed is not None:
            to = np.flatnonzero(~plan.ready & (plan.slots >= 0))
            among = np.cumsum(~plan.ready) - 1  # which of the computed ones
            _assign(plan.kept, plan.slots[to], here, computed, among[to])
        if plan.all_kept:
            return TensorTile(plan.kept, None, here.start, here.stop, here.start, self.dissimilarity)
        keys = empty((len(plan.columns), size), self.dissimilarity.dtype, self.device)
        ready = np.flatnonzero(plan.ready)
        keys[ready] = plan.kept[plan.slots[ready], here]
        if computed is not None:
            keys[np.flatnonzero(~plan.ready)] = computed
        return TensorTile(keys, None, 0, size, here.start, self.dissimilarity)

    def _retreat(self, error: Exception) -> None:
        """Use less memory from now on, or say that there is too little."""
        self._encoded.give_up()
        self.memory //= 64
        self._cache = self._new_cache()
        self._tile_numbers //= 8
        if self._tile_numbers < _FEWEST_NUMBERS:
            raise MemoryError(
                f"The device {str(self.device)!r} has too little free memory beside the {self.n_rows:,} rows "
                "of X. Free some of it, pass a part of the rows, or pass X as an array of NumPy."
            ) from error
        release_memory(self.device)


class EncodedTensors(Encoded):
    """Encoded rows of a tensor."""

    _objects: TensorRows

    def some(self, which: Any, hold: bool = True, source: Any = None) -> Any:
        if not self.may_be_held or (self._held is None and not hold):
            return self._dissimilarity.encode(self._objects[which])
        if isinstance(which, np.ndarray) and len(which) == 1:
            which = slice(int(which[0]), int(which[0]) + 1)  # no copy
        elif isinstance(which, np.ndarray):
            which = put(which.astype(np.int64, copy=False), self._objects.device)
        return self.held().pick(which)

    def give_up(self) -> None:
        """Hold them no more."""
        self._held, self.may_be_held = None, False


class TensorCache(ColumnCache):
    """Kept columns as rows of a tensor that grows with them."""

    def __init__(self, n_rows: int, dtype: np.dtype, memory: int, device: Any) -> None:
        self._device = device
        super().__init__(n_rows, dtype, memory)

    def claim(self, plan: Plan, n_jobs: int) -> None:
        """Leave the memory of a device as it is."""

    def _values_if(self, needed: bool) -> Any:
        held = 0 if self._values is None else len(self._values)
        if needed and self._n_used > held:
            size = min(self.capacity, max(self._n_used, 2 * held))
            width = -(-self._n_rows // _ALIGNED) * _ALIGNED
            grown = empty((size, width), self._dtype, self._device)
            if self._values is not None:
                grown[:held] = self._values
            self._values = grown
        return empty((0, 0), self._dtype, self._device) if self._values is None else self._values


def _assign(kept: Any, slots: np.ndarray, here: slice, computed: Any, which: np.ndarray) -> None:
    """Write computed columns to their rows of the cache, in one go where these follow each other."""
    if not len(slots):
        return
    source = computed if len(which) == len(computed) else computed[which]
    if (np.diff(slots) == 1).all():
        kept[slots[0] : slots[-1] + 1, here] = source
    else:
        kept[slots, here] = source


def _seen(visit: Callable[..., Any], tile: TensorTile, parts: Sequence[Any]) -> Any:
    """Return what a visit says, on the host; show it the tile there where it knows no tensors."""
    look = for_tensors(visit)
    if look is not None:
        return on_host(look(tile, *parts))
    keys, size = on_host(tile.columns()), tile.stop - tile.start
    on_arrays = Tile(keys, np.arange(len(keys)), 0, size, tile.first, tile.dissimilarity)
    return visit(on_arrays, *map(on_host, parts))
