"""A matrix of dissimilarities that the user has: nothing to compute, only to look up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only


@dataclass(frozen=True)
class Precomputed(Dissimilarity):
    """Rows are objects, columns are candidates; the matrix need be neither symmetric nor metric.

    Notes
    -----
    The rows that the engine passes are rows of the matrix, the columns are column numbers.
    """

    names: ClassVar[Mapping[str, str]] = {
        "precomputed": "the file or array holds the dissimilarities",
    }
    takes: ClassVar[Any] = "matrix"

    symmetric: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    checks_values: bool = True

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        only(name, params)
        return cls()

    def fit(self, objects: Any) -> Precomputed:
        return replace(self, dtype=arithmetic_dtype(objects.dtype))

    def unchecked(self) -> Precomputed:
        return replace(self, checks_values=False)

    def block(self, rows: Any, cols: np.ndarray, out: np.ndarray, at: np.ndarray, start: int) -> None:
        values = np.asarray(rows)[:, cols].T
        if self.checks_values and values.size and values.min() < 0:  # by rounding: `checked` refuses the rest
            values = np.maximum(values, 0)
        out[at, start : start + len(rows)] = values
