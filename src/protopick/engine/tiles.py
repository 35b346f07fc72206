"""Tiles: stretches of rows of some columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from protopick.dissimilarity import Dissimilarity
from protopick.dissimilarity.vectors import scratch
from protopick.engine.cache import Plan

_ASIDE = 16  # numbers that keep columns from lying a power of two apart, where they share places in cache


class Tile(NamedTuple):
    """A stretch of rows of some columns, as `Columns.scan` shows it. Not to be written to."""

    keys: Any
    """C-contiguous array or tensor; ``keys[at[j], start:stop]`` is the stretch of the j-th wanted column."""

    at: Any
    start: int
    stop: int
    first: int
    """The number of the first row."""

    dissimilarity: Dissimilarity

    def columns(self, which: slice | np.ndarray = slice(None)) -> Any:
        """Return a copy of the stretch of some of the wanted columns, shape (which, rows)."""
        return self.keys[self.at[which], self.start : self.stop]

    def restore(self, keys: Any) -> Any:
        """Turn keys into dissimilarities. It may overwrite them, so these are no part of ``self.keys``."""
        return self.dissimilarity.restore(keys)


def computed(
    plan: Plan, rows: Any, block: Callable[..., None] | None, here: slice, n_wanted: int, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Compute what is missing of a stretch of rows, in the cache or in a buffer of this thread.

    Return the keys, where the wanted columns are among them, and where the stretch begins and ends. The rows
    were encoded before, which may need the buffer too.
    """
    if plan.all_kept:
        keys, start = plan.kept, here.start
    else:
        n, size = len(plan.columns), here.stop - here.start
        keys, start = scratch("tile", (n, size if n == 1 else size + _ASIDE), dtype), 0
        for j in np.flatnonzero(plan.ready):
            keys[j, :size] = plan.kept[plan.slots[j], here]
    if block is not None:
        block(rows, keys, plan.positions[~plan.ready], start)
        if not plan.all_kept:
            for j in np.flatnonzero(~plan.ready & (plan.slots >= 0)):
                plan.kept[plan.slots[j], here] = keys[j, :size]
    return keys, plan.positions[:n_wanted], start, start + here.stop - here.start
