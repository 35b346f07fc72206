"""HDF5 files, read by h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.arrays import NamedArrays
from protopick.cli.files.source import FileError, Opened, Options, Source, named, needed
from protopick.objects import Stored
from protopick.objects.stored import as_stored


def open_hdf5(file: Opened, options: Options) -> Source:
    """Open an HDF5 file. What lies in one piece is mapped; of the rest, large matrices are read in blocks."""
    with needed("h5py", "HDF5 files"):
        import h5py
    where = named(file)
    try:
        opened = h5py.File(file, "r")
    except OSError as error:
        raise FileError(f"{where} cannot be read as HDF5: {error}.") from error
    arrays: dict[str, Any] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.shape:  # one value for all is no array of objects
            arrays[name] = item

    opened.visititems(keep)

    def load(name: str, allows_nan: bool) -> np.ndarray | Stored:
        array = arrays[name]
        text = h5py.check_string_dtype(array.dtype) is not None
        try:
            if text:
                return np.array(array.asstr()[...], dtype=str)
            offset = array.id.get_offset()
            if isinstance(file, Path) and offset is not None and array.size and array.dtype.kind in "biuf":
                return np.memmap(file, array.dtype, "r", offset, array.shape)
            values = as_stored(array, allows_nan)
        except OSError as error:
            raise FileError(f"{name} in {where} is damaged: {error}.") from error
        return values

    return NamedArrays(where, {name: array.shape for name, array in arrays.items()}, load, options.array)
