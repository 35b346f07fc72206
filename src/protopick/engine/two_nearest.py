"""For every object, the nearest and the second nearest of k prototypes, while these are exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from protopick.compiled import kernel
from protopick.dissimilarity.tensors import fused
from protopick.engine.columns import Columns
from protopick.engine.tiles import Tile
from protopick.engine.visits import nothing, on_tensors, visits

_RENEWED = 64
"""After so many exchanges all is looked at anew: what a worker loses is never many steps away."""


class TwoNearest:
    """Each object's nearest and second nearest prototype, as positions and as keys.

    Ties go to the lowest position. With a single prototype, the second nearest is infinitely far and
    has position -1. What it holds is true after a `scan`, which is due at the beginning and after
    every `replace`.

    Parameters
    ----------
    columns : Columns
    prototypes : int array
    beside : sequence of dtypes
        What else a visit writes of each object. Arrays of these types stand in `beside`.
    """

    def __init__(self, columns: Columns, prototypes: np.ndarray, beside: Sequence[type] = ()) -> None:
        self._columns = columns
        self._beside_dtypes = beside
        self.prototypes = np.array(prototypes, dtype=np.intp)
        self._begin()

    def _begin(self) -> None:
        columns, dtype = self._columns, self._columns.dissimilarity.dtype
        self.key, self.second_key = columns.full(np.inf, dtype), columns.full(np.inf, dtype)
        self.at, self.second_at = columns.full(-1, np.int32), columns.full(-1, np.int32)
        self.beside = tuple(columns.full(0, kind) for kind in self._beside_dtypes)
        self._changed, self._n_replaced = -1, 0

    def replace(self, position: int, candidate: int) -> None:
        """Put ``candidate`` in the place of the prototype at ``position``."""
        self.prototypes[position] = candidate
        self._n_replaced += 1
        self._changed = position
        if self._n_replaced == _RENEWED:
            self._begin()

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What is known of each object, in the order in which kernels take it."""
        return self.key, self.second_key, self.at, self.second_at

    def scan(
        self,
        visit: Callable[..., Any],
        *aligned: np.ndarray,
        ahead: Callable[[int], np.ndarray] | None = None,
    ) -> list[Any]:
        """Show the columns of the prototypes to ``visit(tile, *near, *beside, *aligned, changed=...)``.

        The visit is `look_again`, or calls it with the parts ``near`` first. ``ahead`` as in
        `Columns.scan`.
        """
        visit = partial(visit, changed=self._changed)
        parts = *self.arrays, *self.beside, *aligned
        return self._columns.scan(self.prototypes, visit, *parts, keep=True, ahead=ahead)


@visits(writes=(0, 1, 2, 3), combine=nothing)
def look_again(tile: Tile, *near: np.ndarray, changed: int) -> None:
    """Find the two nearest in a tile, where the prototype at the position ``changed`` is a new one.

    All are, where it is -1.
    """
    _two_nearest(tile.keys, tile.at, tile.start, changed, *near)


@on_tensors(look_again)
def look_again_on_tensors(
    tile: Any, first: Any, second: Any, first_at: Any, second_at: Any, *, changed: int
) -> None:
    """Find them anew, which takes a GPU no longer."""
    loops = fused(tile.keys)
    if loops is not None:
        loops.two_nearest(tile.keys, tile.rows(), tile.start, (first, second, first_at, second_at))
        return
    columns = tile.columns()  # (k, rows)
    nearest = columns.argmin(dim=0, keepdim=True)
    first[:], first_at[:] = columns.gather(0, nearest)[0], nearest[0]
    if len(columns) > 1:
        columns.scatter_(0, nearest, float("inf"))
        other = columns.argmin(dim=0, keepdim=True)
        second[:], second_at[:] = columns.gather(0, other)[0], other[0]


@kernel
def _two_nearest(keys, at, start, changed, first, second, first_at, second_at):  # type: ignore[no-untyped-def]
    """Find the two nearest, looking again only at what the change at one position can touch."""
    for i in range(len(first)):
        row = start + i
        if changed >= 0:
            key = keys[at[changed], row]
            if first_at[i] != changed and second_at[i] != changed:
                if key > second[i] or (key == second[i] and changed > second_at[i]):
                    continue
                if key > first[i] or (key == first[i] and changed > first_at[i]):
                    second[i], second_at[i] = key, changed
                else:
                    second[i], second_at[i] = first[i], first_at[i]
                    first[i], first_at[i] = key, changed
                continue
        nearest, nearest_at = keys[at[0], row], 0
        other, other_at = nearest, -1
        for j in range(1, len(at)):
            key = keys[at[j], row]
            if key < nearest:
                other, other_at = nearest, nearest_at
                nearest, nearest_at = key, j
            elif other_at < 0 or key < other:
                other, other_at = key, j
        first[i], first_at[i] = nearest, nearest_at
        if other_at >= 0:
            second[i], second_at[i] = other, other_at
