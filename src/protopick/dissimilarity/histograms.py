"""Dissimilarities of histograms: rows of counts or shares, 0 or more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from protopick.checks import as_array, shown
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.elementwise import distributions, refuse_negative
from protopick.dissimilarity.kernels.folds import FOLDS, SHORT
from protopick.dissimilarity.vectors import in_format, refuse_overflow

_FOLD = {"chi2": "chi2", "hellinger": "sqeuclidean", "wasserstein_1d": "cityblock"}


@dataclass(frozen=True)
class Histograms(Dissimilarity):
    """Chi-squared, Hellinger and Wasserstein.

    ``"chi2"`` is the sum of ``(x - y)**2 / (x + y)`` over the bins, of rows as they are. The others
    scale rows to the sum 1. ``"hellinger"`` is the length of the difference of the roots over the root
    of 2. ``"wasserstein_1d"`` is what it costs to move one histogram into the other along a line;
    ``positions`` says where the bins lie, by default at 0, 1, 2 and so on.
    """

    names: ClassVar[Mapping[str, str]] = {
        "chi2": "chi-squared of histograms",
        "hellinger": "Hellinger distance of histograms",
        "wasserstein_1d": "earth mover's distance of histograms on a line (positions)",
    }

    name: str = "chi2"
    positions: tuple[float, ...] | None = None
    gaps: np.ndarray = field(default_factory=lambda: np.zeros(1), repr=False)
    dtype: np.dtype = np.dtype(np.float64)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        allowed = ("positions",) if name == "wasserstein_1d" else ()
        positions = only(name, params, *allowed).get("positions")
        if positions is None:
            return cls(name)
        places = np.ravel(as_array("metric_params['positions']", positions))
        is_numeric = places.dtype.kind in "biuf"
        if not is_numeric or not (np.isfinite(places).all() and (np.diff(places) >= 0).all()):
            raise ValueError(
                f"metric_params has positions={shown(positions)}, but metric='wasserstein_1d' needs finite "
                "numbers, from the lowest to the highest. Sort them, and the bins with them."
            )
        return cls(name, tuple(places.astype(float).tolist()))

    def fit(self, objects: Any) -> Histograms:
        n_bins, dtype = objects.shape[1], arithmetic_dtype(objects.dtype)
        places = np.arange(n_bins, dtype=float) if self.positions is None else np.array(self.positions)
        gaps = np.diff(places)
        if len(places) != n_bins:
            raise ValueError(
                f"metric_params has {len(places)} positions, but X has {n_bins} bins. Pass one for each."
            )
        if float(places[-1]) - float(places[0]) > float(np.finfo(dtype).max):
            raise ValueError(
                f"metric_params has positions from {places[0]:g} to {places[-1]:g}, which are too far apart "
                f"for {dtype}. Divide them by a number."
            )
        return replace(self, dtype=dtype, gaps=gaps if n_bins > 1 else np.zeros(1))

    def encoded_bytes(self, objects: Any) -> int:
        return math.prod(objects.shape) * self.dtype.itemsize

    def encode(self, batch: Any) -> Any:
        values = np.ascontiguousarray(in_format(batch, False), self.dtype)
        if self.name == "chi2":
            refuse_negative(values, self.name)
            refuse_overflow(values, self.dtype, values.shape[1])
            return values
        shares = distributions(values, self.name)
        if self.name == "hellinger":
            return np.sqrt(shares)
        below = np.cumsum(shares, axis=1, dtype=np.float64)[:, : max(1, shares.shape[1] - 1)]
        return np.ascontiguousarray(below * self.gaps, self.dtype)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        fold = FOLDS[_FOLD[self.name]]
        compare = fold.of_short if rows.shape[1] <= SHORT else fold.of_long
        compare(rows, cols, 0.0, out, at, start)

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return np.sqrt(keys / 2) if self.name == "hellinger" else keys
