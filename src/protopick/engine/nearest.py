"""For every object, the nearest of some candidates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.engine.columns import Columns
from protopick.engine.tiles import Tile
from protopick.engine.visits import greatest, nothing, on_tensors, visits


def assign(columns: Columns, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each object's nearest of the distinct ``centres``, as a position and as a key.

    Ties go to the lowest position.
    """
    nearest = columns.full(np.inf, columns.dissimilarity.dtype)
    position = columns.full(0, np.int32)
    columns.scan(centres, _nearest_of, nearest, position)
    return columns.gathered(position), columns.gathered(nearest)


def approach(columns: Columns, candidate: int, row: int, nearest: np.ndarray) -> tuple[int, float]:
    """Lower the keys ``nearest`` to those of one more candidate; return the farthest row and its key.

    The candidate itself, at ``row``, gets the key -1: it is never farthest again, even where all others
    equal it. Ties go to the lowest row.
    """
    lower = partial(_approach, own=row)
    return _farthest(columns.scan(np.array([candidate]), lower, nearest, lone=True))


def _farthest(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    return max(parts, key=lambda part: part[1])


def nearest_keys(tile: Tile, where: np.ndarray) -> np.ndarray:
    """Return the key of each row's nearest prototype in each of several sets, shape (sets, rows).

    Row s of ``where`` tells which of the wanted columns are those of set s.
    """
    nearest = np.empty((len(where), tile.stop - tile.start), tile.keys.dtype)
    _nearest_in_sets(tile.keys, tile.at[where], tile.start, nearest)
    return nearest


@visits(combine=greatest)
def reach(tile: Tile, *, where: np.ndarray) -> np.ndarray:
    """Return the largest such key of each set."""
    return nearest_keys(tile, where).max(axis=1)


@visits(writes=(0, 1), combine=nothing)
def _nearest_of(tile: Tile, nearest: np.ndarray, position: np.ndarray) -> None:
    _lower(tile.keys, tile.at, tile.start, nearest, position)


@visits(writes=(0,), combine=_farthest)
def _approach(tile: Tile, nearest: np.ndarray, *, own: int) -> tuple[int, float]:
    if tile.first <= own < tile.first + len(nearest):
        nearest[own - tile.first] = -1
    row = _lower_one(tile.keys[0], nearest)
    return tile.first + row, float(nearest[row])


@on_tensors(reach)
def _reach_on_tensors(tile: Tile, *, where: np.ndarray) -> Any:
    return nearest_keys_on_tensors(tile, where).amax(dim=1)


def nearest_keys_on_tensors(tile: Any, where: np.ndarray) -> Any:
    """Do what `nearest_keys` does."""
    nearest = tile.keys.new_empty((len(where), tile.stop - tile.start))
    for some, columns in tile.sets(where):
        nearest[some] = columns.amin(dim=1)
    return nearest


@on_tensors(_nearest_of)
def _nearest_of_on_tensors(tile: Tile, nearest: Any, position: Any) -> None:
    columns = tile.columns()
    lowest = columns.argmin(dim=0, keepdim=True)  # the first of equal ones
    position[:] = lowest[0]
    nearest[:] = columns.gather(0, lowest)[0]


@on_tensors(_approach)
def _approach_on_tensors(tile: Tile, nearest: Any, *, own: int) -> tuple[int, float]:
    nearest.clamp_(max=tile.columns()[0])
    if tile.first <= own < tile.first + len(nearest):
        nearest[own - tile.first] = -1
    key, row = nearest.max(dim=0)  # the first of equal ones
    return tile.first + int(row), float(key)


# Columns are taken two at a time, the last one twice. A lone ``a[i] = min(a[i], b[i])`` would become a store
# under a mask, which takes some processors ten times as long.


@inlined
def _nearer(key, at, other, other_at):  # type: ignore[no-untyped-def]
    """Return the key and the position of the nearer of two, the first of equally near ones."""
    closer = other < key
    return other if closer else key, other_at if closer else at


@kernel
def _lower(keys, at, start, nearest, position):  # type: ignore[no-untyped-def]
    for j in range(0, len(at), 2):
        following = min(j + 1, len(at) - 1)
        column = keys[at[j], start : start + len(nearest)]
        other = keys[at[following], start : start + len(nearest)]
        one, two = np.int32(j), np.int32(following)
        for i in range(len(nearest)):
            key, where = _nearer(nearest[i], position[i], column[i], one)
            nearest[i], position[i] = _nearer(key, where, other[i], two)


@kernel
def _lower_one(column, nearest):  # type: ignore[no-untyped-def]
    farthest = nearest.dtype.type(-2)  # below any key
    for i in range(len(nearest)):
        nearest[i] = min(nearest[i], column[i])
        farthest = max(farthest, nearest[i])
    for i in range(len(nearest)):
        if nearest[i] == farthest:
            return i
    return 0


@kernel
def _nearest_in_sets(keys, where, start, nearest):  # type: ignore[no-untyped-def]
    n_sets, k = where.shape
    for s in range(n_sets):
        target = nearest[s]
        target[:] = keys[where[s, 0], start : start + len(target)]
        for j in range(1, k, 2):
            column = keys[where[s, j], start : start + len(target)]
            other = keys[where[s, min(j + 1, k - 1)], start : start + len(target)]
            for i in range(len(target)):
                nearer = target[i] if target[i] < column[i] else column[i]
                target[i] = nearer if nearer < other[i] else other[i]
