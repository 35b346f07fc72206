"""Dissimilarities that add up what two vectors differ by in each feature, or take the largest of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.boolean import Boolean
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.folds import FOLDS
from protopick.dissimilarity.scipy_vectors import SciPyVectors
from protopick.dissimilarity.vectors import canonical, in_format, is_canonical, is_contiguous

_ALIASES = {"l1": "cityblock", "manhattan": "cityblock"}
_PARAMS = {
    **dict.fromkeys(("cityblock", "chebyshev", "braycurtis", "canberra", "hamming"), ("w",)),
    "minkowski": ("p", "w"),
    "jensenshannon": ("base",),
    "nan_euclidean": (),
}
_SHORT = 16
"""Up to so many features, comparing several rows at once beats several features at once."""

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
        p = only(name, params, *_PARAMS[name]).get("p", 2)
        if not (isinstance(p, Real) and float(p) > 0):
            raise ValueError(f"metric_params has p={p!r}, but metric='minkowski' needs a number above 0.")
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
        is_short = rows.shape[1] <= _SHORT and self.name != "nan_euclidean"
        compare = fold.of_short if is_short else fold.of_long
        if not self.as_csr:
            compare(rows, cols, self.parameter, out, at, start)
            if self.name == "nan_euclidean" and np.isnan(out[at, start : start + len(rows)]).any():
                raise ValueError(
                    "metric='nan_euclidean' cannot compare two rows of X that have no feature in common "
                    "that both know. Drop rows with many missing values, or impute them."
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
    sums = np.asarray(values.sum(axis=1)).ravel()
    stored = values.data if sparse.issparse(values) else values
    if (sums <= 0).any() or stored.min(initial=0) < 0:
        found = "a negative number" if stored.min(initial=0) < 0 else "a row of zeros"
        raise ValueError(
            f"metric={name!r} needs rows of numbers of 0 or more that are not all 0, "
            f"but X holds {found}. Drop or mend such rows."
        )
    if not sparse.issparse(values):
        return values / sums[:, None]
    data = values.data / np.repeat(sums, np.diff(values.indptr)).astype(values.dtype)
    return sparse.csr_array((data, values.indices, values.indptr), shape=values.shape)
