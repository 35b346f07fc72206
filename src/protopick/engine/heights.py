"""How many rows a tile has: few enough for cache and memory, enough for all threads."""

from __future__ import annotations

from typing import NamedTuple

QUANTUM = 64
"""Tiles have a multiple of so many rows: who looks at so many at a time gets the same blocks in any tile."""

_BYTES = 1 << 20
_KEPT_BYTES = 1 << 23
_ALONE_BYTES = 1 << 22
_READ_BYTES = 1 << 22
_MOST_ROWS = 1 << 16
_FEWEST_ROWS = 1 << 10


class Pace(NamedTuple):
    """How to go through the rows."""

    height: int
    """How many rows a tile has."""

    at_once: int
    """How many tiles are in work at a time."""

    ahead: int = 0
    """How many are read from a file before they are asked for."""


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
    return max(_FEWEST_ROWS, min(in_cache, shared_out, _MOST_ROWS) // QUANTUM * QUANTUM)


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


def within(memory: int, wish: Pace, read: int, made: int) -> Pace:
    """Return how to go through rows that have to be looked up or encoded for every tile, within the memory.

    A row takes ``read`` bytes before and ``made`` bytes after it is encoded. Tiles become lower first. Where
    a quantum of rows is still too much for all threads, less is read ahead, and then fewer are at work.
    """

    def taken(height: int, at_once: int, ahead: int) -> int:
        return height * (at_once * (read + made) + ahead * read)

    if taken(*wish) <= memory:
        return wish
    quanta = memory // taken(QUANTUM, wish.at_once, wish.ahead)
    if quanta:
        return wish._replace(height=min(wish.height, quanta * QUANTUM))
    height = min(wish.height, QUANTUM)
    at_once = min(wish.at_once, max(1, memory // taken(height, 1, 0)))
    left = max(0, memory - taken(height, at_once, 0))
    return Pace(height, at_once, min(wish.ahead, left // max(1, height * read)))
