"""Tiles: stretches of rows of some columns, few enough to stay in cache, enough for all threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from protopick.dissimilarity import Dissimilarity

QUANTUM = 256
"""Tiles have a multiple of so many rows, so that products in blocks of so many round alike in any tile."""

_BYTES = 1 << 20
_KEPT_BYTES = 1 << 23
_ALONE_BYTES = 1 << 22
_READ_BYTES = 1 << 22
_MOST_ROWS = 1 << 16
_FEWEST = 4  # times QUANTUM


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

    def in_order(self) -> np.ndarray:
        """Return the stretch of all wanted columns, without a copy where they lie side by side."""
        first, k = self.at[0] if len(self.at) else 0, len(self.at)
        if (self.at == np.arange(first, first + k)).all():
            return self.keys[first : first + k, self.start : self.stop]
        return self.columns()

    def restore(self, keys: Any) -> Any:
        """Turn keys into dissimilarities, in place where the keys own their memory."""
        return self.dissimilarity.restore(keys)


def computed_rows(
    n_rows: int, n_wanted: int, itemsize: int, n_jobs: int, read_bytes: int, few_pairs: int
) -> int:
    """Return how many of ``n_rows`` rows a tile has where columns are to be computed.

    ``read_bytes`` are those of all rows, where these are read from a file for it. A tile has more than
    ``few_pairs`` pairs, unless that leaves threads without one.
    """
    in_cache = _BYTES // (max(1, n_wanted) * itemsize)
    if read_bytes:
        in_cache = min(in_cache, _READ_BYTES * n_rows // read_bytes)
    alone = n_rows + QUANTUM - 1  # no second tile for the few rows beyond a quantum
    shared_out = alone
    if n_jobs > 1:
        shared_out = max(n_rows // (8 * n_jobs), min(few_pairs // max(1, n_wanted), -(-n_rows // n_jobs)))
    return max(_FEWEST, min(in_cache, shared_out, _MOST_ROWS) // QUANTUM) * QUANTUM


def kept_rows(n_rows: int, n_wanted: int, itemsize: int, n_jobs: int) -> int:
    """Return how many rows a tile has where nothing is to be computed.

    One tile where there is so little to look at that another thread would hardly have begun before it is
    done; else one for each thread, or more where there is much.
    """
    row_bytes = max(1, n_wanted) * itemsize
    if row_bytes * n_rows <= _ALONE_BYTES:
        return n_rows
    shared_out = -(-n_rows // n_jobs) + QUANTUM - 1  # no further tile for the few rows beyond
    return max(1, min(_KEPT_BYTES // row_bytes, shared_out) // QUANTUM) * QUANTUM
