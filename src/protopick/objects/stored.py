"""Rows of numbers that stay in their file, and are read some at a time."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import get_config

from protopick.objects.parquet import is_parquet, parquet_rows

_GAP_BYTES = 1 << 16
"""Wanted rows that lie so close are read in one go,"""

_RUN_BYTES = 1 << 24
"""but not more than so much at a time."""

_COMPARED_ROWS = 16
"""So many tell whether a file is still the one that was mapped, where the system does not."""


class Stored:
    """The rows of an array in a file.

    Slices and index arrays read what they name and give plain arrays. A value that is not finite is
    found when it is read.

    Parameters
    ----------
    shape : tuple of two int
        Rows and columns.
    dtype : dtype
        Of the numbers.
    read : callable
        ``read(start, stop)`` returns a stretch of rows. May be called by several threads.
    allows_nan : bool
        Whether NaN is a value.
    chunk : int
        How many rows can only be read together.
    """

    on_demand = True
    ndim = 2

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: np.dtype,
        read: Callable[[int, int], np.ndarray],
        allows_nan: bool = False,
        chunk: int = 1,
    ) -> None:
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self._read = read
        self._allows_nan = allows_nan
        self._chunk = chunk

    @property
    def nbytes(self) -> int:
        """The size of the rows in the file, or what they would take in memory."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: Any) -> np.ndarray:
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step == 1:
                return self._stretch(start, max(start, stop))
            which = np.arange(start, stop, step)
        return self._gathered(np.asarray(which, dtype=np.intp))

    def some_columns(self, which: np.ndarray) -> Stored:
        """Return the same rows with these columns only."""
        shape = self.shape[0], len(which)
        return Stored(
            shape, self.dtype, lambda a, b: self._read(a, b)[:, which], self._allows_nan, self._chunk
        )

    def _gathered(self, which: np.ndarray) -> np.ndarray:
        """Return rows by their indices, reading neighbours together and in the order of the file."""
        rows, where = np.unique(which, return_inverse=True)
        found = np.empty((len(rows), self.shape[1]), self.dtype)
        row_bytes = self.shape[1] * self.dtype.itemsize
        apart = np.diff(rows) > max(self._chunk, _GAP_BYTES // row_bytes)
        apart |= np.diff(rows // max(1, _RUN_BYTES // row_bytes)) > 0
        first = 0
        for end in [*(np.flatnonzero(apart) + 1).tolist(), len(rows)]:
            if end > first:
                run = rows[first:end]
                found[first:end] = self._stretch(int(run[0]), int(run[-1]) + 1)[run - run[0]]
            first = end
        return found[where.reshape(which.shape)]

    def _stretch(self, start: int, stop: int) -> np.ndarray:
        block = self._read(start, stop)
        if block.dtype.kind == "f" and block.size:
            self._refuse_not_finite(block, start)
        return block

    def _refuse_not_finite(self, block: np.ndarray, start: int) -> None:
        if np.isfinite(block.sum(dtype=np.float64)):  # the usual case costs one pass
            return
        wrong = np.isinf(block) if self._allows_nan else ~np.isfinite(block)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"X[{start + row}, {column}] is {block[row, column]}, but metric needs finite numbers. "
                "Mend or leave out such rows."
            )


def as_stored(X: Any, allows_nan: bool) -> Any:
    """Return rows in a file as `Stored`, or as an array where half of the working memory holds them.

    Arrays of h5py and zarr, Parquet files and datasets of pyarrow, and memory maps are known. Anything
    else is returned as it is.
    """
    if is_parquet(X):
        stored = Stored(*parquet_rows(X), allows_nan)
    elif is_chunked(X) and len(X.shape) == 2 and np.dtype(X.dtype).kind in "biuf":
        chunk = X.chunks[0] if X.chunks else 1
        stored = Stored((X.shape[0], X.shape[1]), X.dtype, _slice_reader(X), allows_nan, chunk)
    elif isinstance(X, np.memmap) and _is_whole_file(X) and is_large(X.nbytes):
        return Stored((X.shape[0], X.shape[1]), X.dtype, _map_reader(X), allows_nan)
    else:
        return in_memory(X)
    return stored if is_large(stored.nbytes) else stored[:]


def is_large(nbytes: int) -> bool:
    """Say whether half of scikit-learn's ``working_memory`` does not hold so many bytes."""
    return bool(nbytes > get_config()["working_memory"] * 2**19)


def in_memory(X: Any) -> Any:
    """Return an array of h5py or zarr as one of NumPy, anything else as it is."""
    return np.asarray(X[...]) if is_chunked(X) else X


def is_chunked(X: Any) -> bool:
    """Say whether ``X`` is an array of h5py or zarr, without importing either."""
    return type(X).__module__.partition(".")[0] in ("h5py", "zarr") and hasattr(X, "dtype")


def _is_whole_file(X: np.memmap) -> bool:
    """Say whether rows can be read from the file by their number: X is no part of another map."""
    mapped = isinstance(X.base, mmap.mmap) and X.mode != "c" and X.filename is not None
    return mapped and X.ndim == 2 and X.flags.c_contiguous and X.dtype.kind in "biuf"


def _slice_reader(X: Any) -> Callable[[int, int], np.ndarray]:
    def read(start: int, stop: int) -> np.ndarray:
        return np.asarray(X[start:stop])

    return read


def _map_reader(X: np.memmap) -> Callable[[int, int], np.ndarray]:
    """Return a function that reads rows of a mapped file.

    Pages of a map that were touched count as memory of the process; what is read from the file does not
    stay. Where its name belongs to another file by now, or to none, the map alone has the rows.
    """

    def read_map(start: int, stop: int) -> np.ndarray:
        return np.array(X[start:stop])

    if not hasattr(os, "preadv"):  # as on Windows
        return read_map
    try:
        read = _file_reader(X)
        inode = os.stat(os.fspath(X.filename)).st_ino  # type: ignore[arg-type]
    except (FileNotFoundError, PermissionError):
        return read_map
    mapped = _mapped_inode(X.ctypes.data)
    if mapped is not None:
        return read if mapped == inode else read_map
    some = np.linspace(0, len(X) - 1, _COMPARED_ROWS).astype(np.intp).tolist()
    # The file comes first: to touch a map of a file that was cut off would end the process.
    same = all(read(i, i + 1).tobytes() == read_map(i, i + 1).tobytes() for i in some)
    return read if same else read_map


def _mapped_inode(address: int) -> int | None:
    """Return the number of the file that is mapped at an address, None where the system does not tell."""
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                span, _, _, _, inode = line.split()[:5]
                start, stop = (int(end, 16) for end in span.split("-"))
                if start <= address < stop:
                    return int(inode)
    except OSError:
        pass
    return None


def _file_reader(X: np.memmap) -> Callable[[int, int], np.ndarray]:
    """Return a function that reads rows of the file that has the name of the mapped one."""
    path, offset, dtype, width = X.filename, X.offset, X.dtype, X.shape[1]
    row_bytes = width * dtype.itemsize
    file = _OpenFile(os.fspath(path))  # type: ignore[arg-type]

    def read(start: int, stop: int) -> np.ndarray:
        rows = np.empty((stop - start, width), dtype)
        file.read_into(rows, offset + start * row_bytes)
        return rows

    return read


class _OpenFile:
    """A file that several threads read at many places; closed when nobody uses it any more."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)

    def read_into(self, rows: np.ndarray, offset: int) -> None:
        view = rows.data.cast("B") if rows.size else memoryview(b"")
        done = 0
        while done < len(view):
            got = os.preadv(self._descriptor, [view[done:]], offset + done)
            if got == 0:
                raise OSError(f"{self._path} is shorter than it was when it was mapped. Map it again.")
            done += got

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (self._path,)  # another process opens it anew
