"""Dynamic time warping of series, 32 pairs at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from protopick.checks import shown
from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.series import contiguous, points_bytes
from protopick.dissimilarity.vectors import too_large
from protopick.objects import Ragged

_LANES = 32
"""Pairs that are compared side by side; fewer, and the compiler no longer vectorises the loop."""

_NO_LIMIT = 1 << 31
"""No series is as long. Kernels add to a window, so it must not be near the largest number."""


@dataclass(frozen=True)
class DTW(Dissimilarity):
    """The root of the smallest sum of squared differences over all ways to align two series.

    Series may differ in length and have several channels. ``window`` limits how far an alignment may
    stray from the diagonal: a whole number of steps, or a share of the length of the longer series.
    Where lengths differ, it counts from the band between the diagonals through both ends.
    """

    names: ClassVar[Mapping[str, str]] = {
        "dtw": "dynamic time warping of series, of any length (window)",
    }
    takes: ClassVar[Any] = "series"

    share: float = -1.0
    steps: int = -1  # the window where share is below 0
    n_channels: int = 1
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = 256  # a tile takes long, and there should be some for each thread

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        window = only(name, params, "window").get("window")
        if window is None:
            return cls(share=1.0)
        if isinstance(window, Integral) and not isinstance(window, bool) and int(window) >= 0:
            return cls(steps=min(int(window), _NO_LIMIT))
        if isinstance(window, Real) and not isinstance(window, Integral) and 0 <= float(window) <= 1:
            return cls(share=float(window))
        raise ValueError(
            f"metric_params has window={shown(window)}, but metric='dtw' needs a whole number of steps of 0 "
            "or more, or a share of the length such as 0.1. Leave it out for no limit."
        )

    def fit(self, objects: Ragged) -> DTW:
        dtype = arithmetic_dtype(objects.points.dtype)
        return replace(self, dtype=dtype, n_channels=objects.points.shape[1])

    def encoded_bytes(self, objects: Ragged) -> int:
        return points_bytes(objects, self.dtype)

    def encode(self, batch: Ragged) -> Ragged:
        return contiguous(batch, self.dtype, self.n_channels, "dtw")

    def block(self, rows: Ragged, cols: Ragged, out: np.ndarray, at: np.ndarray, start: int) -> None:
        # The side with more series fills the lanes. Both ways round give the same, to the last bit.
        side_by_side, single = (rows, cols) if len(rows) >= len(cols) else (cols, rows)
        values = np.empty((len(single), len(side_by_side)), self.dtype)
        order = np.argsort(side_by_side.lengths, kind="stable")  # of a like length side by side
        series = (side_by_side.points, side_by_side.offsets, single.points, single.offsets)
        _align(*series, order, self.share, self.steps, values)
        if not np.isfinite(values).all():  # the result is short beside the work
            largest = max(float(np.abs(batch.used).max()) for batch in (rows, cols))
            raise too_large(largest, self.dtype)
        out[at, start : start + len(rows)] = values if single is cols else values.T

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return np.sqrt(keys, out=keys)


@kernel(error_model="numpy")  # no fused operations: which of both loops takes a pair depends on its company
def _align(points, offsets, y_points, y_offsets, order, share, steps, out):  # type: ignore[no-untyped-def]
    """Write the squared dissimilarity of series ``order[i]`` and single series j to ``out[j, order[i]]``."""
    n, n_channels = len(order), points.shape[1]
    longest = y_longest = 0
    for i in range(n):
        longest = max(longest, offsets[i + 1] - offsets[i])
    for j in range(len(y_offsets) - 1):
        y_longest = max(y_longest, y_offsets[j + 1] - y_offsets[j])
    inf = points.dtype.type(np.inf)
    x = np.zeros((longest, n_channels, _LANES), points.dtype)
    best = np.empty((2, y_longest + 1, _LANES), points.dtype)  # two rows of the table; place 0 is its edge
    cost = np.empty(_LANES, points.dtype)
    found = np.empty(_LANES, points.dtype)
    sizes, low, high = np.empty(_LANES, np.int64), np.empty_like(cost), np.empty_like(cost)
    for first in range(0, n, _LANES):
        for lane in range(_LANES):
            i = order[min(first + lane, n - 1)]  # where fewer are left, the last again
            begin, sizes[lane] = offsets[i], offsets[i + 1] - offsets[i]
            for t in range(sizes[lane]):
                for f in range(n_channels):
                    x[t, f, lane] = points[begin + t, f]
        for j in range(len(y_offsets) - 1):
            y = y_points[y_offsets[j] : y_offsets[j + 1]]
            size = len(y)
            for lane in range(_LANES):
                longer = max(sizes[lane], size)
                window = steps if share < 0 else np.int64(share * longer + 1e-9)
                low[lane] = min(0, size - sizes[lane]) - window
                high[lane] = max(0, size - sizes[lane]) + window
            lowest, highest = int(low.min()), int(high.max())
            alike = low.min() == low.max() and high.min() == high.max()
            best[:] = inf
            best[0, 0] = 0
            for i in range(sizes.max()):
                above, here = best[i % 2], best[(i + 1) % 2]
                begin, end = max(0, i + lowest), min(size, i + highest + 1)
                here[begin] = inf
                if n_channels == 1 and alike:
                    xs = x[i, 0]
                    for t in range(begin, end):
                        value = y[t, 0]
                        corner, up, left, target = above[t], above[t + 1], here[t], here[t + 1]
                        for lane in range(_LANES):
                            difference = xs[lane] - value
                            least = min(min(corner[lane], up[lane]), left[lane])
                            target[lane] = least + difference * difference
                else:
                    for t in range(begin, end):
                        cost[:] = 0
                        for f in range(n_channels):
                            value, xs = y[t, f], x[i, f]
                            for lane in range(_LANES):
                                difference = xs[lane] - value
                                cost[lane] += difference * difference
                        corner, up, left, target = above[t], above[t + 1], here[t], here[t + 1]
                        off = points.dtype.type(t - i)  # the diagonal; a lane is infinite outside of its band
                        for lane in range(_LANES):
                            least = min(min(corner[lane], up[lane]), left[lane])
                            outside = (off < low[lane]) | (off > high[lane])
                            target[lane] = inf if outside else least + cost[lane]
                if end < size:
                    here[end + 1] = inf
                for lane in range(_LANES):
                    if i == sizes[lane] - 1:
                        found[lane] = here[size, lane]
            for lane in range(min(_LANES, n - first)):
                out[j, order[first + lane]] = found[lane]
