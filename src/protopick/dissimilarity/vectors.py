"""The matrix product that compares rows of numbers."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from protopick.objects.tensors import TensorRows

_DENSE_COLUMNS_BYTES = 1 << 24
SHORT = 32
"""Up to so many features, a plain loop over them beats the matrix product."""

TILE_ROWS = 768
"""Products of so many rows with some columns stay in cache."""

_CENTRED_AT_ONCE = 1 << 20
_SAMPLED, _FEWEST = 4096, 64  # rows
_SAMPLED_NUMBERS = 1 << 23
_GOLDEN = (5**0.5 - 1) / 2  # its multiples never repeat, and leave no gap
_COLUMNS_AT_ONCE = 96
_ASIDE = 32  # numbers that keep columns from lying a power of two apart, where they share places in cache
_buffers = threading.local()


def scratch(name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a buffer of this thread that is reused, since fresh pages cost more than the arithmetic."""
    size = math.prod(shape)
    key = (name, np.dtype(dtype).char)
    pool: dict[Any, np.ndarray] = _buffers.__dict__
    if key not in pool or pool[key].size < size:
        pool[key] = np.empty(size, dtype)
    return pool[key][:size].reshape(shape)


class Panels:
    """Dense columns in the order in which `products` reads them. They can be made once for many rows."""

    def __init__(self, columns: np.ndarray) -> None:
        from protopick.dissimilarity.kernels.multiply import MOST_VECTORS  # imports numba
        from protopick.dissimilarity.kernels.vector_code import VECTOR_BYTES

        n = len(columns)
        lanes = VECTOR_BYTES // columns.itemsize
        widest = MOST_VECTORS * lanes
        step = max(1, _COLUMNS_AT_ONCE // widest) * widest
        self.parts = [
            (slice(first, min(n, first + step)), *_packed(columns[first : first + step], lanes))
            for first in range(0, n, step)
        ]


def _packed(columns: np.ndarray, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return columns in panels, one after the other, shape (padded columns, features), and these panels."""
    from protopick.dissimilarity.kernels.multiply import panels

    n, n_features = columns.shape
    n_vectors = -(-n // lanes)
    packed = np.zeros((n_vectors * lanes, n_features), columns.dtype)
    places = panels(n_vectors)
    for first, width in places * lanes:
        panel = packed[first : first + width].reshape(n_features, width)
        own = columns[first : first + width].T
        panel[:, : own.shape[1]] = own
    return packed, places


def products(rows: Any, cols: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the inner products of some of ``cols`` with all ``rows``, as (some, rows) arrays.

    A value is the same in whatever company it is computed. Dense columns may be `Panels`. The arrays are
    buffers of this thread with some columns and rows of no meaning at their ends.
    """
    if sparse.issparse(rows):
        yield from _sparse_products(rows, cols)
        return
    from protopick.dissimilarity.kernels.multiply import multiply

    rows = np.ascontiguousarray(rows)
    panels = cols if isinstance(cols, Panels) else Panels(cols)
    for some, packed, places in panels.parts:
        assert (packed.dtype, packed.shape[1]) == (rows.dtype, rows.shape[1])
        out = scratch("products", (len(packed), -(-len(rows) // 8) * 8 + _ASIDE), rows.dtype)
        multiply(rows.ctypes.data, *rows.shape, packed.ctypes.data, places, out)
        yield some, out


def inner_products(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Return the inner products of ``cols`` with ``rows``, shape (cols, rows).

    Examples
    --------
    >>> inner_products(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [0.0, 5.0]])).tolist()
    [[5.0], [10.0]]
    """
    out = np.empty((len(cols), len(rows)), rows.dtype)
    for some, found in products(rows, np.ascontiguousarray(cols)):
        out[some] = found[: len(out[some]), : len(rows)]
    return out


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


def refuse_overflow(values: Any, dtype: np.dtype, n_terms: int, power: float = 2) -> None:
    """Refuse numbers where ``dtype`` may not hold the sum of ``n_terms`` powers of their differences."""
    stored = values.data if sparse.issparse(values) else values
    if not isinstance(stored, np.ndarray) or (stored.dtype.kind != "f" and power <= 2):
        return  # the square of no integer is as large
    # Unlike `max`, these pass over NaN.
    low, high = np.fmin.reduce(stored, axis=None, initial=0), np.fmax.reduce(stored, axis=None, initial=0)
    largest = max(-float(low), float(high))
    if 2 * largest > (float(np.finfo(dtype).max) / n_terms) ** (1 / power):
        raise too_large(largest, dtype, power)


def too_large(largest: float, dtype: np.dtype, power: float = 2) -> ValueError:
    """Return the error for numbers that cannot be compared in ``dtype``."""
    what = "sums" if power == 1 else "squares" if power == 2 else "powers"
    or_else = ", or pass numpy.float64" if dtype == np.float32 else ""
    return ValueError(
        f"X holds numbers as large as {largest:.3g}, whose {what} are too large for {dtype}. Divide them by "
        f"a number{or_else}."
    )


def sampled(objects: Any) -> Any:
    """Return some rows of many, from all over them, but at no even steps: these could follow a pattern."""
    n, width = objects.shape
    size = _SAMPLED if sparse.issparse(objects) else min(_SAMPLED, max(_FEWEST, _SAMPLED_NUMBERS // width))
    if n <= size:
        return objects[:]
    number = np.arange(size)
    return objects[((number + number * _GOLDEN % 1) * (n / size)).astype(np.intp)]


def about_mean(sample: Any, dtype: np.dtype) -> np.ndarray | None:
    """Return about the mean of some rows, or None where moving the data by it would gain nothing.

    The centre is rounded to a power of two below each feature's spread. Whole numbers then stay
    exact after the move, and so do their ties.
    """
    if isinstance(sample, TensorRows):
        mean, spread = sample.moments()
        first = np.asarray(sample[:1], np.float64)[0]
    else:
        first = np.array(sample[0], np.float64)
        mean, spread = np.empty_like(first), np.empty_like(first)
        step = max(1, _CENTRED_AT_ONCE // len(sample))
        for start in range(0, len(mean), step):
            some = slice(start, start + step)
            part = np.array(sample[:, some], np.float64)
            mean[some] = part.mean(axis=0)
            part -= mean[some]  # in place, which is twice as fast as `std`
            spread[some] = np.sqrt(np.square(part, out=part).mean(axis=0))
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
