"""``.npy``, mapped and not loaded, and ``.npz``."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from protopick.cli.files.arrays import NamedArrays
from protopick.cli.files.arrow import table_of_fields
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Found, Opened, Options, Source, named
from protopick.cli.files.vectors import found_in

_DAMAGED = (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError)


class OneArray:
    """A file with one array, which has no names."""

    names: Sequence[str] = ()

    def __init__(self, array: np.ndarray, where: str) -> None:
        self._array, self._where = array, where

    def column(self, name: str) -> np.ndarray:
        """Return nothing: there are no names."""
        raise KeyError(name)

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the objects."""
        return found_in(self._array, columns, metric, self._where)


def open_npy(file: Opened, options: Options) -> Source:
    """Open a ``.npy`` file. Its pages are read when they are needed."""
    with _told(file):
        array = np.load(file, mmap_mode="r" if isinstance(file, Path) else None, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise FileError(f"{named(file)} holds several arrays, as .npz files do. Pass --format npz.")
    if array.dtype.names:
        return Rows(table_of_fields(array, named(file)), named(file))
    return OneArray(array, named(file))


def open_npz(file: Opened, options: Options) -> Source:
    """Open a ``.npz`` file. Only the arrays that are asked for are read."""
    with _told(file), zipfile.ZipFile(file) as archive:
        members = [member for member in archive.namelist() if member.endswith(".npy")]
        shapes = {member.removesuffix(".npy"): _shape(archive, member) for member in members}

    def load(name: str, allows_nan: bool) -> np.ndarray:
        with _told(file, name), zipfile.ZipFile(file) as archive, archive.open(f"{name}.npy") as member:
            return np.lib.format.read_array(member, allow_pickle=False)

    return NamedArrays(named(file), shapes, load, options.array)


def _shape(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    """Return the shape of an array without reading it."""
    with archive.open(name) as member:
        version = np.lib.format.read_magic(member)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(member)
        if dtype.hasobject:
            raise ValueError(f"Object arrays: {name}")
        return tuple(shape)


@contextmanager
def _told(file: Opened, array: str = "") -> Iterator[None]:
    where = f"{array} in {named(file)}" if array else named(file)
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except _DAMAGED as error:
        if any(sign in str(error) for sign in ("pickle", "Object arrays", "Python objects")):
            raise FileError(
                f"{where} holds pickled Python objects, which may run any code when loaded, and is refused. "
                "Save plain numbers or strings: numpy.savez(path, X=numpy.array(rows, dtype=float))."
            ) from error
        raise FileError(f"{where} is damaged or no NumPy file: {error}.") from error
