"""The matrix product that compares rows of numbers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from protopick.objects.tensors import TensorRows

_DENSE_COLUMNS_BYTES = 1 << 24
SHORT = 32
"""Up to so many features, a plain loop over them beats the matrix product."""

_SMALL_PRODUCT = 1_200_000
_TILE_ROWS = 768
_ROW_STEP = 256
_COLUMN_STEP = 8
_PRODUCT_SIZE = 1 << 20
_buffers = threading.local()


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
    return max(_TILE_ROWS, _fewest_rows(n_features))


def _fewest_rows(n_features: int) -> int:
    """Return how many rows BLAS multiplies, even with the fewest columns, as it does many."""
    return _up_to(_SMALL_PRODUCT // (_COLUMN_STEP * max(n_features, 1)) + 1, _ROW_STEP)


def _up_to(number: int, step: int) -> int:
    """Return the next multiple of ``step``."""
    return -(-number // step) * step


def products(rows: Any, cols: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the inner products of some of ``cols`` with all ``rows``, as (some, rows) arrays.

    BLAS sums in another order when a product is small or has a single column. Dense products are
    therefore cut at `product_rows` rows and padded to a multiple of 256 rows and of 8 columns, enough
    not to be small: a value is then the same in whatever company it is computed. The arrays are
    C-contiguous buffers of this thread with some columns and rows of padding at their ends.
    """
    if sparse.issparse(rows):
        yield from _sparse_products(rows, cols)
        return
    n_rows, n_features = rows.shape
    height, fewest = product_rows(n_features), _fewest_rows(n_features)
    at_once = max(1, _PRODUCT_SIZE // height // _COLUMN_STEP) * _COLUMN_STEP
    for start in range(0, len(cols), at_once):
        some = slice(start, start + at_once)
        left = _padded("cols", cols[some], _COLUMN_STEP)
        if n_rows <= height:
            right = _padded("rows", rows, _ROW_STEP, fewest)
            out = scratch("products", (len(left), len(right)), rows.dtype)
            np.matmul(left, right.T, out=out)
        else:
            tiles = (rows[t : t + height] for t in range(0, n_rows, height))
            out = np.hstack([left @ _padded("rows", tile, _ROW_STEP, fewest).T for tile in tiles])
        yield some, out


def in_steps(cols: Any) -> Any:
    """Return ``cols`` with as many rows of zeros at the end as `products` would add each time."""
    missing = -cols.shape[0] % _COLUMN_STEP
    return cols if sparse.issparse(cols) or not missing else np.pad(cols, ((0, missing), (0, 0)))


def _padded(name: str, values: np.ndarray, step: int, fewest: int = 0) -> np.ndarray:
    """Return ``values`` with rows of zeros added up to a multiple of ``step``, and to the ``fewest``."""
    length = max(_up_to(len(values), step), fewest)
    if len(values) == length:
        return values
    full = scratch(name, (length, values.shape[1]), values.dtype)
    full[: len(values)] = values
    full[len(values) :] = 0
    return full


def _sparse_products(rows: Any, cols: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """CSR rows against a few dense columns at a time; the rows are never made dense."""
    step = max(1, _DENSE_COLUMNS_BYTES // (cols.shape[1] * rows.dtype.itemsize))
    for start in range(0, cols.shape[0], step):
        some = slice(start, start + step)
        dense = np.ascontiguousarray(cols[some].toarray().T)  # (d, some)
        yield some, np.ascontiguousarray((rows @ dense).T)


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
    sample = objects[:: max(1, objects.shape[0] // 4096)]
    if isinstance(sample, TensorRows):
        mean, spread = sample.moments()
        first = np.asarray(sample[:1], np.float64)[0]
    else:
        sample = np.array(sample, dtype=np.float64)
        mean, first = sample.mean(axis=0), sample[0].copy()
        sample -= mean  # in place, which is twice as fast as `std`
        spread = np.sqrt(np.square(sample, out=sample).mean(axis=0))
    if mean @ mean <= spread @ spread:
        return None
    grid = np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1.0))))
    centre = np.where(spread > 0, np.round(mean / grid) * grid, first)
    return centre.astype(dtype)


def in_format(batch: Any, as_csr: bool) -> Any:
    """Return rows as CSR or dense, whatever was fitted."""
    if as_csr:
        return sparse.csr_array(batch)
    return batch.toarray() if sparse.issparse(batch) else batch


def is_contiguous(values: Any) -> bool:
    """Return whether each dense row follows the one before in memory, as kernels want it."""
    return isinstance(values, np.ndarray) and bool(values.flags.c_contiguous)


def is_canonical(values: Any) -> bool:
    """Return whether CSR rows are sorted by feature and hold each feature once and no zeros."""
    return bool(values.has_canonical_format and np.all(values.data))


def canonical(values: Any, dtype: np.dtype) -> Any:
    """Return CSR rows of ``dtype``, sorted by feature, that hold each feature once and no zeros."""
    converted = values.astype(dtype, copy=False)
    if is_canonical(converted):
        return converted
    converted = converted.copy()
    converted.sum_duplicates()
    converted.eliminate_zeros()
    return converted
