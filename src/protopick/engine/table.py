"""The visit that makes a table of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.engine.tiles import Tile
from protopick.engine.visits import nothing, on_tensors, visits


@visits(writes=(0,), fresh=True, combine=nothing)
def write_in_order(tile: Tile, part: np.ndarray) -> None:
    """Write the dissimilarities of the wanted columns beside each other."""
    part[:] = _in_order(tile).T
    restored = tile.restore(part)
    if restored is not part:
        part[:] = restored


def _in_order(tile: Tile) -> np.ndarray:
    """Return the stretch of all wanted columns, without a copy where they lie side by side.

    It may be a view of columns that are kept, so it is not to be written to.
    """
    first, k = tile.at[0] if len(tile.at) else 0, len(tile.at)
    if (tile.at == np.arange(first, first + k)).all():
        view: np.ndarray = tile.keys[first : first + k, tile.start : tile.stop]
        return view
    copy: np.ndarray = tile.columns()
    return copy


@on_tensors(write_in_order)
def _write_on_tensors(tile: Tile, part: Any) -> None:
    part[:] = tile.restore(tile.columns()).T
