"""Euclidean distance: one matrix product where vectors are long, direct differences where short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.vectors import (
    Vectors,
    about_mean,
    product_rows,
    products,
    squared_lengths,
)

_SHORT = 32
"""Up to so many features, summing squared differences beats the matrix product."""

_CANCELLED = {np.dtype(np.float32): 3e-4, np.dtype(np.float64): 1e-7}
"""Below this share of the squared lengths, the product has lost too many digits."""


@dataclass(frozen=True)
class Euclidean(Dissimilarity):
    """``|x - y|``; keys are squares.

    Through one matrix product, ``|x|^2 + |y|^2 - 2xy``, on data moved to about zero mean, since the
    digits that cancel are those of the mean. Where a pair is so close that the rest cancels too, the
    differences are summed instead, so equal objects are at distance 0.
    """

    names: ClassVar[tuple[str, ...]] = ("euclidean", "l2", "sqeuclidean")
    sparse: ClassVar[bool] = True
    bulk: ClassVar[bool] = True

    squared: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = None
    centre: np.ndarray | None = field(default=None, repr=False)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        only(name, params)
        return cls(squared=name == "sqeuclidean")

    def fit(self, objects: Any) -> Euclidean:
        dtype = arithmetic_dtype(objects.dtype)
        d = objects.shape[1]
        if d <= _SHORT or sparse.issparse(objects):
            return replace(self, dtype=dtype)
        return replace(self, dtype=dtype, tile_rows=product_rows(d), centre=about_mean(objects, dtype))

    def encoded_bytes(self, objects: Any) -> int:
        n = objects.shape[0]
        if sparse.issparse(objects):
            return n * self.dtype.itemsize + (0 if objects.dtype == self.dtype else objects.data.nbytes)
        same = objects.dtype == self.dtype and self.centre is None
        return n * self.dtype.itemsize * (1 if same else 1 + objects.shape[1])

    def encode(self, batch: Any) -> Vectors:
        values = batch.astype(self.dtype, copy=False)
        if self.centre is not None:
            values = values - self.centre
        return Vectors(values, squared_lengths(values))

    def block(self, rows: Vectors, cols: Vectors, out: np.ndarray, at: np.ndarray) -> None:
        if sparse.issparse(rows.values):
            keys = products(rows.values, cols.values)
            keys *= -2
            keys += rows.squares
            keys += cols.squares[:, None]
            out[at] = np.maximum(keys, 0, out=keys)
        elif rows.values.shape[1] <= _SHORT:
            _differences(rows.values, cols.values, out, at)
        else:
            G = products(rows.values, cols.values)  # (cols, rows)
            share = G.dtype.type(_CANCELLED[self.dtype])
            _squares(G, rows.values, rows.squares, cols.values, cols.squares, share, out, at)

    def lone(self, rows: Vectors, cols: Vectors, out: np.ndarray) -> None:
        if sparse.issparse(rows.values) or rows.values.shape[1] <= _SHORT:
            self.block(rows, cols, out, np.zeros(1, np.intp))
        else:
            _differences_to_one(rows.values, cols.values[0], out[0])

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return keys if self.squared else np.sqrt(keys, out=keys)


@kernel
def _squares(G, rows, row_squares, cols, col_squares, share, out, at):  # type: ignore[no-untyped-def]
    n_cols, n_rows = G.shape
    zero = share * 0
    for j in range(n_cols):
        target = out[at[j]]
        y = col_squares[j]
        lost = 0
        for i in range(n_rows):
            length = row_squares[i] + y
            key = length - 2 * G[j, i]
            lost += key < share * length
            target[i] = max(key, zero)
        if lost:
            for i in range(n_rows):
                if target[i] < share * (row_squares[i] + y):
                    total = zero
                    for f in range(rows.shape[1]):
                        difference = rows[i, f] - cols[j, f]
                        total += difference * difference
                    target[i] = total


@kernel
def _differences(rows, cols, out, at):  # type: ignore[no-untyped-def]
    n_rows, n_features = rows.shape
    step = 256
    turned = np.empty((n_features, step), rows.dtype)
    total = np.empty(step, rows.dtype)
    for start in range(0, n_rows, step):
        size = min(step, n_rows - start)
        for i in range(size):
            for f in range(n_features):
                turned[f, i] = rows[start + i, f]
        for j in range(cols.shape[0]):
            total[:] = 0
            for f in range(n_features):
                y = cols[j, f]
                for i in range(size):
                    difference = turned[f, i] - y
                    total[i] += difference * difference
            target = out[at[j]]
            for i in range(size):
                target[start + i] = total[i]


@kernel(fastmath={"reassoc", "contract"})
def _differences_to_one(rows, col, out):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        total = col[0] * 0
        for f in range(col.shape[0]):
            difference = rows[i, f] - col[f]
            total += difference * difference
        out[i] = total
