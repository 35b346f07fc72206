"""Euclidean distance: one matrix product where vectors are long, direct differences where short."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, tf32_of
from protopick.dissimilarity.kernels.folds import FOLDS
from protopick.dissimilarity.vectors import (
    SHORT,
    TILE_ROWS,
    Panels,
    about_mean,
    canonical,
    in_format,
    is_canonical,
    is_contiguous,
    products,
    refuse_overflow,
    sampled,
    squared_lengths,
)
from protopick.dissimilarity.whole_numbers import WholeEuclidean, WholeNumbers

CANCELLED = {np.dtype(np.float32): 3e-4, np.dtype(np.float64): 1e-7}
"""Below this share of the squared lengths, the product has lost too many digits."""


@dataclass(frozen=True)
class Euclidean(Dissimilarity):
    """The Euclidean distance ``|x - y|``, and under the name ``"sqeuclidean"`` its square.

    Notes
    -----
    Keys are squares, through one matrix product, ``|x|^2 + |y|^2 - 2xy``, on data moved to about zero
    mean, since the digits that cancel are those of the mean. Where a pair is so close that the rest
    cancels too, the differences are summed instead, so equal objects are at distance 0.
    """

    names: ClassVar[Mapping[str, str]] = {
        "euclidean": "the length of the straight line between two rows",
        "l2": "another name of euclidean",
        "sqeuclidean": "the square of euclidean",
    }
    bulk: ClassVar[bool] = True

    squared: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = None
    centre: np.ndarray | None = field(default=None, repr=False)
    as_csr: bool = False
    tf32: bool = False

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(squared=name == "sqeuclidean", tf32=tf32_of(name, params))

    @classmethod
    def of_width(cls, n_features: int, dtype: np.dtype, as_csr: bool = False) -> Self:
        """Return the distance of rows of so many numbers that need no centre."""
        by_product = n_features > SHORT and not as_csr
        return cls(dtype=dtype, tile_rows=TILE_ROWS if by_product else None, as_csr=as_csr)

    def fit(self, objects: Any) -> Dissimilarity:
        dtype = arithmetic_dtype(objects.dtype)
        sample = sampled(objects)
        refuse_overflow(sample, dtype, objects.shape[1])
        fitted = self.of_width(objects.shape[1], dtype, sparse.issparse(objects))
        fitted = replace(fitted, squared=self.squared, tf32=self.tf32)
        if fitted.as_csr:
            return fitted
        numbers = WholeNumbers.of(sample) if isinstance(sample, np.ndarray) else None
        if numbers is not None:
            return WholeEuclidean(numbers, self.squared, dtype, self.tf32)
        return fitted if fitted.tile_rows is None else replace(fitted, centre=about_mean(sample, dtype))

    def encoded_bytes(self, objects: Any) -> int:
        as_csr = sparse.issparse(objects)
        ready = is_canonical(objects) if as_csr else self.centre is None and is_contiguous(objects)
        if ready and objects.dtype == self.dtype and as_csr == self.as_csr:
            return 0
        size = objects.nnz if as_csr and self.as_csr else math.prod(objects.shape)
        return size * (self.dtype.itemsize + (8 if self.as_csr else 0))

    def encode(self, batch: Any) -> Any:
        values = in_format(batch, self.as_csr)
        if self.as_csr:
            return canonical(values, self.dtype)
        own = np.ascontiguousarray(values, self.dtype)
        if self.centre is None:
            return own
        return np.subtract(own, self.centre, out=None if np.may_share_memory(own, batch) else own)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.against(cols)(rows, out, at, start)

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        if cols.shape[1] <= SHORT and not sparse.issparse(cols):
            return lambda rows, *where: FOLDS["sqeuclidean"].of_short(rows, cols, 0.0, *where)
        panels = cols if sparse.issparse(cols) else Panels(cols)
        return partial(self._by_products, cols, panels, squared_lengths(cols))

    def _by_products(
        self,
        cols: Any,
        panels: Any,
        col_squares: np.ndarray,
        rows: Any,
        out: np.ndarray,
        at: np.ndarray,
        start: int,
    ) -> None:
        row_squares = squared_lengths(rows)
        share = self.dtype.type(CANCELLED[self.dtype])
        for some, G in products(rows, panels):  # G is (cols, rows)
            where = share, out, at[some], start
            lost = _squares(G, row_squares, col_squares[some], *where)
            if lost.any() and sparse.issparse(rows):
                pairs = *_parts(rows), row_squares, *_parts(cols[some]), col_squares[some]
                _recompute_sparse(*pairs, *where, lost)
            elif lost.any():
                _recompute(rows, row_squares, cols[some], col_squares[some], *where, lost)

    def lone(self, rows: Any, cols: Any, out: np.ndarray) -> None:
        if sparse.issparse(rows):
            self.block(rows, cols, out, np.zeros(1, np.intp), 0)
        else:
            _differences_to_one(rows, cols[0], out[0])

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return keys if self.squared else np.sqrt(keys, out=keys)


def _parts(batch: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return batch.data, batch.indices, batch.indptr


@kernel
def _squares(G, row_squares, col_squares, share, out, at, start):  # type: ignore[no-untyped-def]
    """Turn products into squared distances; return how many of each column lost their digits."""
    n_rows = len(row_squares)
    zero, two = out.dtype.type(0), out.dtype.type(2)
    lost = np.zeros(len(at), np.int64)
    for j in range(len(at)):
        products = G[j]
        target = out[at[j], start : start + n_rows]
        y = col_squares[j]
        few = np.int32(0)
        for i in range(n_rows):
            length = row_squares[i] + y
            key = length - two * products[i]
            few += np.int32(key < share * length)
            target[i] = max(key, zero)
        lost[j] = few
    return lost


@kernel
def _recompute(rows, row_squares, cols, col_squares, share, out, at, start, lost):  # type: ignore[no-untyped-def]
    """Sum the squared differences of the pairs whose digits were lost."""
    for j in range(len(at)):
        if lost[j]:
            for i in range(len(row_squares)):
                if out[at[j], start + i] < share * (row_squares[i] + col_squares[j]):
                    total = share * 0
                    for f in range(rows.shape[1]):
                        difference = rows[i, f] - cols[j, f]
                        total += difference * difference
                    out[at[j], start + i] = total


@kernel
def _recompute_sparse(  # type: ignore[no-untyped-def]
    data, indices, indptr, row_squares, y_data, y_indices, y_indptr, col_squares, share, out, at, start, lost
):
    """Like `_recompute`, walking along the nonzeros of both."""
    for j in range(len(at)):
        if lost[j]:
            for i in range(len(row_squares)):
                if out[at[j], start + i] < share * (row_squares[i] + col_squares[j]):
                    total = share * 0
                    s, t = indptr[i], y_indptr[j]
                    while s < indptr[i + 1] or t < y_indptr[j + 1]:
                        in_x = t == y_indptr[j + 1] or (s < indptr[i + 1] and indices[s] <= y_indices[t])
                        in_y = s == indptr[i + 1] or (t < y_indptr[j + 1] and y_indices[t] <= indices[s])
                        x = data[s] if in_x else share * 0
                        y = y_data[t] if in_y else share * 0
                        total += (x - y) * (x - y)
                        s += in_x
                        t += in_y
                    out[at[j], start + i] = total


@kernel(fastmath={"reassoc", "contract"})
def _differences_to_one(rows, col, out):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        total = col[0] * 0
        for f in range(col.shape[0]):
            difference = rows[i, f] - col[f]
            total += difference * difference
        out[i] = total
