"""Euclidean distance of series that are brought to one length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from protopick.checks import shown
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.series import contiguous, resampled
from protopick.dissimilarity.vectors import refuse_overflow
from protopick.objects import Ragged


@dataclass(frozen=True)
class ResampledEuclidean(Dissimilarity):
    """Euclidean distance after linear resampling to ``n_points``, evenly spaced in time.

    By default that is the median length of the fitted series.
    """

    names: ClassVar[Mapping[str, str]] = {
        "resampled_euclidean": "Euclidean after resampling series to one length (n_points)",
    }
    takes: ClassVar[Any] = "series"
    bulk: ClassVar[bool] = True

    n_points: int = 0
    n_channels: int = 1
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = None
    euclidean: Euclidean = field(default_factory=Euclidean)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        n_points = only(name, params, "n_points").get("n_points")
        return cls(n_points=0 if n_points is None else at_least_two(name, n_points))

    def fit(self, objects: Ragged) -> ResampledEuclidean:
        n_points = self.n_points or max(2, int(np.median(objects.lengths)))
        n_channels = objects.points.shape[1]
        dtype = arithmetic_dtype(objects.points.dtype)
        euclidean = Euclidean.of_width(n_points * n_channels, dtype)
        fitted = replace(
            self, n_points=n_points, n_channels=n_channels, dtype=dtype, tile_rows=euclidean.tile_rows
        )
        return replace(fitted, euclidean=euclidean)

    def encoded_bytes(self, objects: Ragged) -> int:
        return len(objects) * self.n_points * self.n_channels * self.dtype.itemsize

    def encode(self, batch: Ragged) -> np.ndarray:
        refuse_overflow(batch.used, self.dtype, self.n_points * self.n_channels)
        series = contiguous(batch, self.dtype, self.n_channels, "resampled_euclidean")
        return resampled(series, self.n_points, by_length=False).reshape(len(series), -1)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.euclidean.block(rows, cols, out, at, start)

    def lone(self, rows: Any, cols: Any, out: np.ndarray) -> None:
        self.euclidean.lone(rows, cols, out)

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return self.euclidean.restore(keys)


def at_least_two(name: str, n_points: Any) -> int:
    """Return the number of points to resample to."""
    if not isinstance(n_points, Integral) or isinstance(n_points, bool) or int(n_points) < 2:
        raise ValueError(
            f"metric_params has n_points={shown(n_points)}, but metric={name!r} needs a whole number of 2 or "
            "more."
        )
    return int(n_points)
