"""The other vector metrics of SciPy and scikit-learn, by their own compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.spatial import distance
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only

_ALIASES = {"l1": "cityblock", "manhattan": "cityblock"}
_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_WEIGHTED = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "hamming",
    "minkowski",
    *_BOOLEAN,
)
_OTHER = ("jensenshannon", "mahalanobis", "seuclidean")
_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "haversine": haversine_distances,
    "nan_euclidean": nan_euclidean_distances,
}
_PARAMS = {
    **dict.fromkeys(_WEIGHTED, ("w",)),
    "minkowski": ("p", "w"),
    "mahalanobis": ("VI",),
    "seuclidean": ("V",),
    "jensenshannon": ("base",),
    "haversine": (),
    "nan_euclidean": ("missing_values",),
}


@dataclass(frozen=True)
class SciPyVectors(Dissimilarity):
    """A metric that SciPy's ``cdist`` or scikit-learn's ``pairwise`` module computes."""

    names: ClassVar[tuple[str, ...]] = (*_WEIGHTED, *_OTHER, *_FUNCTIONS, *_ALIASES)

    name: str = "cityblock"
    params: Mapping[str, Any] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        name = _ALIASES.get(name, name)
        return cls(name=name, params=dict(only(name, params, *_PARAMS[name])))

    @property
    def allows_nan(self) -> bool:  # type: ignore[override]
        return self.name == "nan_euclidean"

    def fit(self, objects: Any) -> SciPyVectors:
        if self.name == "haversine" and objects.shape[1] != 2:
            raise ValueError(
                f"metric='haversine' needs X with 2 columns, latitude and longitude in radians, "
                f"got {objects.shape[1]}. Choose these columns or another metric."
            )
        params = dict(self.params)
        if self.name == "seuclidean" and "V" not in params:
            params["V"] = _variances(objects)
        if self.name == "mahalanobis" and "VI" not in params:
            params["VI"] = np.linalg.pinv(_covariance(objects))
        return replace(self, params=params, dtype=arithmetic_dtype(objects.dtype))

    def encode(self, batch: Any) -> Any:
        if sparse.issparse(batch):
            return batch
        return batch != 0 if self.name in _BOOLEAN and batch.dtype != bool else batch

    def encoded_bytes(self, objects: Any) -> int:
        if sparse.issparse(objects) or self.name not in _BOOLEAN or objects.dtype == bool:
            return 0
        return math.prod(objects.shape)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        rows, cols = self._dense(rows), self._dense(cols)
        if self.name in _FUNCTIONS:
            values = _FUNCTIONS[self.name](cols, rows, **self.params)
        else:
            values = distance.cdist(cols, rows, self.name, **self.params)
        out[at, start : start + len(rows)] = values

    def _dense(self, batch: Any) -> np.ndarray:
        return self.encode(batch.toarray()) if sparse.issparse(batch) else batch


def _covariance(objects: Any) -> np.ndarray:
    """Return the covariance matrix of the features, summed block by block in float64."""
    n, d = objects.shape
    mean = _mean(objects)
    total = np.zeros((d, d))
    for start in range(0, n, 4096):
        block = _floats(objects[start : start + 4096]) - mean
        total += block.T @ block
    return total / max(n - 1, 1)


def _variances(objects: Any) -> np.ndarray:
    n, mean = objects.shape[0], _mean(objects)
    total = np.zeros_like(mean)
    for start in range(0, n, 4096):
        total += ((_floats(objects[start : start + 4096]) - mean) ** 2).sum(axis=0)
    variances = total / max(n - 1, 1)
    return np.where(variances > 0, variances, 1.0)  # a constant feature adds nothing


def _mean(objects: Any) -> np.ndarray:
    return np.asarray(objects.mean(axis=0, dtype=np.float64)).ravel()


def _floats(block: Any) -> np.ndarray:
    block = block.toarray() if sparse.issparse(block) else block
    return np.asarray(block, dtype=np.float64)
