"""Cosine and correlation: inner products of rows of length one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, tf32_of
from protopick.dissimilarity.kernels.folds import FOLDS
from protopick.dissimilarity.vectors import SHORT, TILE_ROWS, in_format, products, refuse_overflow


@dataclass(frozen=True)
class Cosine(Dissimilarity):
    """``1 - cos(x, y)``; for ``"correlation"``, of rows whose own mean is taken off first.

    A row of zeros has dissimilarity 1 to every row, as in scikit-learn. What may be rounding is 0, so that
    equal rows are.
    """

    names: ClassVar[Mapping[str, str]] = {
        "cosine": "1 - the cosine of the angle between two rows",
        "correlation": "1 - the correlation of two rows",
    }
    bulk: ClassVar[bool] = True

    correlation: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = None
    as_csr: bool = False
    tf32: bool = False

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(correlation=name == "correlation", tf32=tf32_of(name, params))

    def fit(self, objects: Any) -> Cosine:
        as_csr = sparse.issparse(objects) and not self.correlation  # the mean leaves no zeros to skip
        rows = None if as_csr or objects.shape[1] <= SHORT else TILE_ROWS
        return replace(self, dtype=arithmetic_dtype(objects.dtype), tile_rows=rows, as_csr=as_csr)

    def encoded_bytes(self, objects: Any) -> int:
        size = objects.nnz if self.as_csr and sparse.issparse(objects) else math.prod(objects.shape)
        return size * (self.dtype.itemsize + (8 if self.as_csr else 0))

    def encode(self, batch: Any) -> Any:
        values = in_format(batch, self.as_csr)
        values = values.astype(self.dtype) if self.as_csr else np.array(values, self.dtype, order="C")
        refuse_overflow(values, self.dtype, values.shape[1])
        if self.correlation:
            values -= values.mean(axis=1, keepdims=True)
        return normalize(values, copy=False)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        zero = self.rounding(rows.shape[1])
        if rows.shape[1] <= SHORT and not self.as_csr:
            FOLDS["cosine"].of_short(rows, cols, zero, out, at, start)
            return
        end = start + rows.shape[0]
        for some, G in products(rows, cols):
            keys = np.subtract(1, G[: len(at[some]), : rows.shape[0]])
            np.clip(keys, 0, 2, out=keys)
            out[at[some], start:end] = np.multiply(keys, keys > zero, out=keys)

    def rounding(self, n_features: int) -> float:
        """Return what rounding may make of 0, which grows about as the root of the number of terms."""
        return float(np.finfo(self.dtype).eps) * (4 + math.sqrt(n_features) / 2)
