"""The other vector metrics of SciPy and scikit-learn, by their own compiled code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.spatial import distance
from sklearn.metrics.pairwise import haversine_distances

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, floats_of, only

_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")


@dataclass(frozen=True)
class SciPyVectors(Dissimilarity):
    """Haversine distance by scikit-learn; and with weights, what SciPy's ``cdist`` computes."""

    names: ClassVar[Mapping[str, str]] = {
        "haversine": "the angle between two points on a sphere, (latitude, longitude) in radians",
    }

    name: str = "haversine"
    params: Mapping[str, Any] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(name=name, params=dict(only(name, params)))

    def fit(self, objects: Any) -> SciPyVectors:
        d = objects.shape[1]
        if self.name == "haversine" and d != 2:
            raise ValueError(
                f"metric='haversine' needs X with 2 columns, latitude and longitude in radians, "
                f"got {d}. Choose these columns or another metric."
            )
        params = dict(self.params)
        if "w" in params:
            params["w"] = _weights(params["w"], d, self.name)
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
        if self.name == "haversine":
            values = haversine_distances(cols, rows)
        else:
            values = distance.cdist(cols, rows, self.name, **self.params)
            if self.name in ("braycurtis", *_BOOLEAN):
                values[np.isnan(values)] = 0  # two rows of zeros, which are equal
        out[at, start : start + len(rows)] = values

    def _dense(self, batch: Any) -> np.ndarray:
        return self.encode(batch.toarray()) if sparse.issparse(batch) else batch


def _weights(w: Any, n_features: int, metric: str) -> np.ndarray:
    what = f"a weight of 0 or more for each of {n_features} features, not all 0"
    weights = floats_of("w", w, (n_features,), metric, what)
    if (weights < 0).any() or not weights.any():
        raise ValueError(f"metric_params has w from {weights.min():g} to {weights.max():g}. Pass {what}.")
    return weights
