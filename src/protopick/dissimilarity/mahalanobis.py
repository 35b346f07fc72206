"""Euclidean distance after a linear map: features scaled, or freed of what they have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, floats_of, only
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.vectors import (
    TILE_ROWS,
    Panels,
    about_mean,
    canonical,
    in_format,
    products,
    refuse_overflow,
    sampled,
)

_PARAMS = {"seuclidean": ("V",), "mahalanobis": ("VI",)}
_NEGATIVE = 1e-6
"""Eigenvalues below minus this share of the largest are more than rounding."""


@dataclass(frozen=True)
class Mahalanobis(Dissimilarity):
    """``sqrt((x - y) VI (x - y))`` or, for ``"seuclidean"``, with the features' variances ``V`` alone.

    Objects are mapped once by a factor of VI, after which the distance is Euclidean. By default VI
    is the pseudoinverse of the covariance and V the variance of the objects that are fitted; features
    that are constant add nothing.
    """

    names: ClassVar[Mapping[str, str]] = {
        "seuclidean": "Euclidean with each column divided by its spread (V)",
        "mahalanobis": "Euclidean with the correlations of the columns taken out (VI)",
    }
    bulk: ClassVar[bool] = True

    name: str = "mahalanobis"
    params: Mapping[str, Any] = field(default_factory=dict)
    euclidean: Euclidean = field(default_factory=Euclidean)
    centre: np.ndarray | None = field(default=None, repr=False)
    factor: np.ndarray = field(default_factory=lambda: np.ones(1), repr=False)  # (d,), or (d, rank)
    as_csr: bool = False

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(name=name, params=dict(only(name, params, *_PARAMS[name])))

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        return self.euclidean.dtype

    @property
    def tile_rows(self) -> int | None:  # type: ignore[override]
        return self.euclidean.tile_rows

    def fit(self, objects: Any) -> Dissimilarity:
        dtype = arithmetic_dtype(objects.dtype)
        sample = sampled(objects)
        refuse_overflow(sample, np.dtype(np.float64), math.prod(objects.shape))  # variances are sums too
        if self.name == "seuclidean":
            as_csr = sparse.issparse(objects)
            return replace(
                self,
                factor=(1 / np.sqrt(self._variances(objects))).astype(dtype),
                centre=None if as_csr else about_mean(sample, dtype),
                euclidean=Euclidean.of_width(objects.shape[1], dtype, as_csr),
                as_csr=as_csr,
            )
        VI = self.params.get("VI")
        factor = _whitening(_covariance(objects)) if VI is None else _root(VI, objects.shape[1])
        return replace(
            self,
            factor=factor,
            centre=_mean(objects),
            euclidean=Euclidean.of_width(factor.shape[1], dtype),
        )

    def _variances(self, objects: Any) -> np.ndarray:
        if self.params.get("V") is None:
            return _variances(objects)
        d = objects.shape[1]
        what = f"the variances of {d} features, all above 0"
        V = floats_of("V", self.params["V"], (d,), "seuclidean", what)
        if not (V > 0).all():
            smallest = f"metric_params has V whose smallest value is {V.min():g}"
            raise ValueError(f"{smallest}, but metric={self.name!r} needs {what}.")
        return V

    def encoded_bytes(self, objects: Any) -> int:
        if self.as_csr and sparse.issparse(objects):
            return objects.nnz * (self.dtype.itemsize + objects.indices.itemsize)
        width = self.factor.shape[-1] * (2 if self.as_csr else 1)
        return objects.shape[0] * width * self.dtype.itemsize

    def encode(self, batch: Any) -> Any:
        if self.as_csr:
            rows = canonical(in_format(batch, True), self.dtype)
            data = rows.data * self.factor[rows.indices]
            return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
        if self.name == "seuclidean":
            values = _dense(batch, self.dtype)
            return (values if self.centre is None else values - self.centre) * self.factor
        return self._mapped(batch)

    def _mapped(self, batch: Any) -> np.ndarray:
        """Return ``(batch - centre) @ factor``, each row rounded alike in whatever company."""
        rank = self.factor.shape[1]
        mapped = np.empty((batch.shape[0], rank), self.dtype)
        panels = Panels(self.factor.T)
        for first in range(0, len(mapped), TILE_ROWS):
            rows = _dense(batch[first : first + TILE_ROWS], np.dtype(np.float64)) - self.centre
            for some, G in products(rows, panels):
                part = mapped[first : first + TILE_ROWS, some]
                part[:] = G[: part.shape[1], : part.shape[0]].T
        return mapped

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.euclidean.block(rows, cols, out, at, start)

    def lone(self, rows: Any, cols: Any, out: np.ndarray) -> None:
        self.euclidean.lone(rows, cols, out)

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return self.euclidean.restore(keys)


def _whitening(covariance: np.ndarray) -> np.ndarray:
    """Return a factor F of the pseudoinverse, ``F @ F.T``, shape (d, rank)."""
    values, vectors = np.linalg.eigh(covariance)
    large = values > len(values) * np.finfo(float).eps * max(values[-1], 0)
    return _some(vectors[:, large] / np.sqrt(values[large]))


def _root(VI: Any, n_features: int) -> np.ndarray:
    """Return a factor F of ``VI = F @ F.T``, shape (d, rank).

    Only the symmetric part of VI matters to the distance.
    """
    what = (
        f"the inverse of the covariance of {n_features} features: {n_features} x {n_features} finite numbers"
    )
    VI = floats_of("VI", VI, (n_features, n_features), "mahalanobis", what)
    values, vectors = np.linalg.eigh((VI + VI.T) / 2)
    if values[0] < -_NEGATIVE * abs(values).max():
        raise ValueError(
            f"metric_params has VI with the negative eigenvalue {values[0]:.3g}, so some distances would be "
            f"roots of negative numbers. Pass {what}, without negative eigenvalues."
        )
    positive = values > 0
    return _some(vectors[:, positive] * np.sqrt(values[positive]))


def _some(factor: np.ndarray) -> np.ndarray:
    """Return a column of zeros where there is none: all objects are equal then."""
    return factor if factor.shape[1] else np.zeros((len(factor), 1))


def _covariance(objects: Any) -> np.ndarray:
    """Return the covariance matrix of the features, summed block by block in float64."""
    n, d = objects.shape
    mean = _mean(objects)
    total = np.zeros((d, d))
    for first in range(0, n, 4096):
        block = _dense(objects[first : first + 4096], np.dtype(np.float64)) - mean
        total += block.T @ block
    return total / max(n - 1, 1)


def _variances(objects: Any) -> np.ndarray:
    n, mean = objects.shape[0], _mean(objects)
    total = np.zeros_like(mean)
    for first in range(0, n, 4096):
        total += ((_dense(objects[first : first + 4096], np.dtype(np.float64)) - mean) ** 2).sum(axis=0)
    variances = total / max(n - 1, 1)
    return np.where(variances > 0, variances, 1.0)  # a constant feature adds nothing


def _mean(objects: Any) -> np.ndarray:
    if sparse.issparse(objects):
        return np.asarray(objects.mean(axis=0, dtype=np.float64)).ravel()
    starts = range(0, objects.shape[0], 4096)
    total = sum(np.asarray(objects[first : first + 4096]).sum(axis=0, dtype=np.float64) for first in starts)
    return np.asarray(total / objects.shape[0])


def _dense(batch: Any, dtype: np.dtype) -> np.ndarray:
    return np.ascontiguousarray(in_format(batch, False), dtype=dtype)
