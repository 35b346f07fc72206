"""Numeric rows beside their squared lengths, and the matrix product that compares them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

_DENSE_COLUMNS_BYTES = 1 << 24
_SMALL_PRODUCT = 1_200_000
_COLUMN_STEP = 8
_buffers = threading.local()


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows of numbers, dense or CSR, with the squared length of each."""

    values: Any  # (n, d)
    squares: np.ndarray  # (n,)

    def __len__(self) -> int:
        return len(self.squares)

    def __getitem__(self, which: slice | np.ndarray) -> Vectors:
        return Vectors(self.values[which], self.squares[which])


def scratch(name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a buffer of this thread that is reused, since fresh pages cost more than the arithmetic."""
    size = int(np.prod(shape))
    key = (name, np.dtype(dtype).char)
    pool: dict[Any, np.ndarray] = _buffers.__dict__
    if key not in pool or pool[key].size < size:
        pool[key] = np.empty(size, dtype)
    return pool[key][:size].reshape(shape)


def product_rows(n_features: int) -> int:
    """Return the number of rows of a block of `products` over rows of so many numbers."""
    wanted = _SMALL_PRODUCT // (_COLUMN_STEP * max(n_features, 1)) + 1
    return max(1024, -(-wanted // 256) * 256)


def products(rows: Any, cols: Any) -> np.ndarray:
    """Return the inner products of ``cols`` with ``rows`` as a (cols, rows) array.

    BLAS sums in another order when a product is small or has a single column. Dense products are
    therefore padded to full blocks of `product_rows` rows and a multiple of 8 columns: a value is
    then the same in whatever company it is computed. The result is a buffer of this thread.
    """
    if sparse.issparse(rows):
        return _sparse_products(rows, cols)
    n_rows, n_features = rows.shape
    height = product_rows(n_features)
    n_cols = len(cols)
    width = -(-n_cols // _COLUMN_STEP) * _COLUMN_STEP
    cols = _padded("cols", cols, width)
    out = scratch("products", (-(-n_rows // height), width, height), rows.dtype)
    for tile, start in enumerate(range(0, n_rows, height)):
        np.matmul(cols, _padded("rows", rows[start : start + height], height).T, out=out[tile])
    if len(out) == 1:
        return out[0, :n_cols, :n_rows]
    return out.transpose(1, 0, 2).reshape(width, -1)[:n_cols, :n_rows]


def _padded(name: str, values: np.ndarray, length: int) -> np.ndarray:
    """Return ``values`` with rows of zeros added up to ``length``."""
    if len(values) == length:
        return values
    full = scratch(name, (length, values.shape[1]), values.dtype)
    full[: len(values)] = values
    full[len(values) :] = 0
    return full


def _sparse_products(rows: Any, cols: Any) -> np.ndarray:
    """CSR rows against a few dense columns at a time; the rows are never made dense."""
    out = np.empty((cols.shape[0], rows.shape[0]), rows.dtype)
    step = max(1, _DENSE_COLUMNS_BYTES // (cols.shape[1] * rows.dtype.itemsize))
    for start in range(0, cols.shape[0], step):
        dense = np.ascontiguousarray(cols[start : start + step].toarray().T)  # (d, step)
        out[start : start + step] = (rows @ dense).T
    return out


def squared_lengths(values: Any) -> np.ndarray:
    """Return the squared length of each row."""
    if sparse.issparse(values):
        return np.asarray(values.multiply(values).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", values, values)


def about_mean(objects: Any, dtype: np.dtype) -> np.ndarray | None:
    """Return about the mean of the rows, or None where moving the data by it would gain nothing.

    The centre is rounded to a power of two below each feature's spread. Whole numbers then stay
    exact after the move, and so do their ties.
    """
    step = max(1, objects.shape[0] // 4096)
    sample = np.asarray(objects[::step], dtype=np.float64)
    mean, spread = sample.mean(axis=0), sample.std(axis=0)
    if mean @ mean <= spread @ spread:
        return None
    grid = np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1.0))))
    centre = np.where(spread > 0, np.round(mean / grid) * grid, sample[0])
    return centre.astype(dtype)
