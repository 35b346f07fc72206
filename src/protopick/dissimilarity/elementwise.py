"""Dissimilarities that add up what two vectors differ by in each feature, or take the largest of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.checks import shown
from protopick.dissimilarity.base import Dissimilarity, RowError, arithmetic_dtype, only
from protopick.dissimilarity.boolean import Boolean
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.kernels.folds import FOLDS, SHORT
from protopick.dissimilarity.scipy_vectors import SciPyVectors
from protopick.dissimilarity.vectors import (
    canonical,
    in_format,
    is_canonical,
    is_contiguous,
    refuse_overflow,
    sampled,
)

_ALIASES = {"l1": "cityblock", "manhattan": "cityblock", "matching": "hamming"}
_PARAMS = {
    **dict.fromkeys(("cityblock", "chebyshev", "braycurtis", "canberra", "hamming"), ("w",)),
    "minkowski": ("p", "w"),
    "jensenshannon": ("base",),
    "nan_euclidean": (),
}

_FEW = 1 / 40
"""Up to this share of nonzeros, walking along them beats the loop over all features."""

_DENSE_BYTES = 1 << 22
_LARGEST_EXPONENT = 15  # of "whole power", which writes it in 4 bits


@dataclass(frozen=True)
class Elementwise(Dissimilarity):
    """City block, Minkowski, Canberra and the like, with SciPy's definitions.

    Two vectors of zeros are equal, also where SciPy has no number for them.

    Notes
    -----
    Each goes by one of `FOLDS`. Where SciPy has weights, these are left to it.
    """

    names: ClassVar[Mapping[str, str]] = {
        "cityblock": "the sum of the differences",
        "chebyshev": "the largest difference",
        "braycurtis": "the sum of the differences over the sum of the sums",
        "canberra": "the sum of the differences, each over its sum",
        "hamming": "the share of the positions that differ",
        "minkowski": "the p-th root of the sum of p-th powers (p)",
        "jensenshannon": "the square root of the Jensen-Shannon divergence of distributions (base)",
        "nan_euclidean": "Euclidean over the positions that both rows have",
        "l1": "another name of cityblock",
        "manhattan": "another name of cityblock",
        "matching": "another name of hamming",
    }

    name: str = "cityblock"
    params: Mapping[str, Any] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)
    fold: str = ""
    parameter: float = 0.0  # of the fold
    as_csr: bool = False
    walk: bool = False  # along the nonzeros

    @property
    def allows_nan(self) -> bool:  # type: ignore[override]
        return self.name == "nan_euclidean"

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        name = _ALIASES.get(name, name)
        params = only(name, params, *_PARAMS[name])
        p, base = params.get("p", 2), params.get("base")
        if not (isinstance(p, Real) and float(p) > 0):
            raise ValueError(
                f"metric_params has p={shown(p)}, but metric='minkowski' needs a number above 0."
            )
        if base is not None and not (isinstance(base, Real) and 1 < float(base) < math.inf):
            raise ValueError(
                f"metric_params has base={shown(base)}, but metric='jensenshannon' needs a finite number "
                "above 1, such as 2. Leave it out for e."
            )
        return cls(name=name, params=dict(params))

    def fit(self, objects: Any) -> Dissimilarity:
        if self.params.get("w") is not None:
            return SciPyVectors(self.name, self.params).fit(objects)
        if self.name == "minkowski" and self.params.get("p", 2) == 2:
            return Euclidean().fit(objects)
        if self.name == "hamming" and objects.dtype == bool:
            return Boolean(self.name).fit(objects)
        dtype = arithmetic_dtype(objects.dtype)
        fold, parameter = self._fold(objects.shape[1])
        self._refuse_overflow(objects, dtype, fold, parameter)
        as_csr = sparse.issparse(objects) and self.name != "nan_euclidean"  # which counts zeros too
        return replace(
            self,
            dtype=dtype,
            fold=fold,
            parameter=float(parameter),
            as_csr=as_csr,
            walk=as_csr and objects.nnz <= _FEW * math.prod(objects.shape),
        )

    def _fold(self, n_features: int) -> tuple[str, float]:
        """Return the name of the fold and its parameter."""
        if self.name in ("hamming", "nan_euclidean"):
            return self.name, n_features
        if self.name == "jensenshannon":
            base = self.params.get("base")
            return "jensenshannon", 2 * (1 if base is None else math.log(base))
        if self.name != "minkowski":
            return self.name, 0
        p = self.params["p"]
        if p in (1, np.inf):
            return "cityblock" if p == 1 else "chebyshev", 0
        return "whole power" if p == int(p) <= _LARGEST_EXPONENT else "power", p

    def _refuse_overflow(self, objects: Any, dtype: np.dtype, fold: str, parameter: float) -> None:
        """Refuse numbers too large for the fold, by a look at some rows."""
        if fold in ("hamming", "jensenshannon"):  # adds nothing up, or shares
            return
        is_power = fold in ("whole power", "power")  # in float64
        power = max(1, parameter) if is_power else 2 if fold == "nan_euclidean" else 1
        if objects.dtype.kind != "f" and power <= 2:
            return  # whose squares are never as large: no row is to be fetched
        sums = np.dtype(np.float64) if is_power else dtype
        refuse_overflow(sampled(objects), sums, 1 if fold == "chebyshev" else objects.shape[1], power)

    def encoded_bytes(self, objects: Any) -> int:
        as_csr = sparse.issparse(objects)
        ready = is_canonical(objects) if as_csr else is_contiguous(objects)
        if ready and objects.dtype == self.dtype and as_csr == self.as_csr and self.name != "jensenshannon":
            return 0
        size = objects.nnz if as_csr and self.as_csr else math.prod(objects.shape)
        return size * (self.dtype.itemsize + (8 if self.as_csr else 0))

    def encode(self, batch: Any) -> Any:
        values = in_format(batch, self.as_csr)
        values = canonical(values, self.dtype) if self.as_csr else np.ascontiguousarray(values, self.dtype)
        return distributions(values, self.name) if self.name == "jensenshannon" else values

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        fold = FOLDS[self.fold]
        # `of_short` pads vectors with zeros, which would count as known.
        is_short = rows.shape[1] <= SHORT and self.name != "nan_euclidean"
        compare = fold.of_short if is_short else fold.of_long
        if not self.as_csr:
            compare(rows, cols, self.parameter, out, at, start)
            if self.name == "nan_euclidean" and np.isnan(out[at, start : start + len(rows)]).any():
                raise ValueError(
                    "metric='nan_euclidean' cannot compare two rows of X with no feature known in both. "
                    "Drop rows with many missing values, or impute them."
                )
            return
        if self.walk:
            parts = (part for batch in (rows, cols) for part in (batch.data, batch.indices, batch.indptr))
            fold.of_sparse(*parts, rows.shape[1], self.parameter, out, at, start)
            return
        cols = cols.toarray()
        step = max(1, _DENSE_BYTES // (cols.shape[1] * self.dtype.itemsize))
        for first in range(0, rows.shape[0], step):
            some = rows[first : first + step].toarray()
            compare(some, cols, self.parameter, out, at, start + first)


def distributions(values: Any, name: str) -> Any:
    """Scale rows to the sum 1, for the metric ``name``."""
    refuse_negative(values, name)
    with np.errstate(over="ignore"):
        sums = np.asarray(values.sum(axis=1)).ravel()
    unfit = (sums == 0, "is a row of zeros"), (np.isinf(sums), f"adds up to too much for {sums.dtype}")
    for where, found in unfit:
        if where.any():
            raise RowError(
                int(np.argmax(where)),
                f"{found}, but metric={name!r} compares the shares of each row in its sum. Drop or mend such "
                "rows.",
            )
    if not sparse.issparse(values):
        return values / sums[:, None]
    data = values.data / np.repeat(sums, np.diff(values.indptr)).astype(values.dtype)
    return sparse.csr_array((data, values.indices, values.indptr), shape=values.shape)


def refuse_negative(values: Any, name: str) -> None:
    """Refuse rows that hold a number below 0, for the metric ``name``."""
    if (values.data if sparse.issparse(values) else values).min(initial=0) < 0:
        row, column = (int(found[0]) for found in (values < 0).nonzero())
        raise RowError(
            row,
            f"holds {values[row, column]}, but metric={name!r} needs numbers of 0 or more. Drop or mend such "
            "rows.",
        )
