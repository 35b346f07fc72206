"""Zarr arrays and groups of them, read by zarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.arrays import NamedArrays
from protopick.cli.files.source import FileError, Opened, Options, Source, needed
from protopick.objects import Stored
from protopick.objects.stored import as_stored


def open_zarr(folder: Opened, options: Options) -> Source:
    """Open a zarr folder. An array is read when it is asked for, a large matrix in blocks."""
    with needed("zarr", "Zarr folders"):
        import zarr
    if not isinstance(folder, Path):
        raise FileError("A zarr array is a folder and cannot come from standard input. Name the folder.")
    try:
        opened: Any = zarr.open(str(folder), mode="r")
        arrays = {"X": opened} if isinstance(opened, zarr.Array) else _arrays_in(opened)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise FileError(f"{folder} cannot be read as zarr: {error}.") from error

    def load(name: str, allows_nan: bool) -> np.ndarray | Stored:
        try:
            return as_stored(arrays[name], allows_nan)
        except (OSError, ValueError, RuntimeError) as error:
            raise FileError(f"{name} in {folder} is damaged: {error}.") from error

    return NamedArrays(
        str(folder), {name: array.shape for name, array in arrays.items()}, load, options.array
    )


def _arrays_in(group: Any, before: str = "") -> dict[str, Any]:
    """Return the arrays of a group and of the groups in it."""
    arrays = {before + name: array for name, array in group.arrays()}
    for name, inner in group.groups():
        arrays |= _arrays_in(inner, f"{before}{name}/")
    return arrays
