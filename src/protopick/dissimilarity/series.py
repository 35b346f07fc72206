"""Series of points as the kernels want them, and series brought to one length."""

from __future__ import annotations

import numpy as np

from protopick.compiled import kernel
from protopick.objects import Ragged


def points_bytes(series: Ragged, dtype: np.dtype) -> int:
    """Return how much memory `contiguous` takes for all series."""
    ready = series.points.dtype == dtype and series.points.flags.c_contiguous
    return (
        0 if ready else int(series.offsets[-1] - series.offsets[0]) * series.points.shape[1] * dtype.itemsize
    )


def contiguous(series: Ragged, dtype: np.dtype, n_channels: int, name: str) -> Ragged:
    """Return series with points of ``dtype`` that follow each other in memory."""
    found = series.points.shape[1]
    if found != n_channels:
        raise ValueError(
            f"metric={name!r} was fitted to points of {n_channels} numbers, but X has points of {found}. "
            "Pass series with the same channels."
        )
    if points_bytes(series, dtype) == 0:
        return Ragged(np.asarray(series.points), series.offsets)
    with np.errstate(over="ignore"):  # DTW refuses what it cannot hold
        points = np.ascontiguousarray(series.used, dtype)
    return Ragged(points, series.used_offsets)


def resampled(series: Ragged, n_points: int, *, by_length: bool) -> np.ndarray:
    """Return ``n_points`` points of each series by linear interpolation, shape (n, n_points, channels).

    They are evenly spaced in time, or, with ``by_length``, along the curve through the points.
    """
    out = np.empty((len(series), n_points, series.points.shape[1]), series.points.dtype)
    _resample(series.points, series.offsets, by_length, out)
    return out


@kernel
def _resample(points, offsets, by_length, out):  # type: ignore[no-untyped-def]
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    along = np.zeros(longest)  # how far each point is from the first
    n_points, n_channels = out.shape[1], out.shape[2]
    for i in range(len(offsets) - 1):
        start, size = offsets[i], offsets[i + 1] - offsets[i]
        for t in range(1, size):
            step = 1.0
            if by_length:
                square = 0.0
                for f in range(n_channels):
                    difference = np.float64(points[start + t, f]) - np.float64(points[start + t - 1, f])
                    square += difference * difference
                step = np.sqrt(square)
            along[t] = along[t - 1] + step
        total = along[size - 1]
        t = 0
        for p in range(n_points):
            wanted = total * p / (n_points - 1)
            while t < size - 2 and along[t + 1] < wanted:
                t += 1
            after = min(t + 1, size - 1)
            gap = along[after] - along[t]
            share = min(1.0, max(0.0, (wanted - along[t]) / gap)) if gap > 0 else 0.0
            for f in range(n_channels):
                low, high = np.float64(points[start + t, f]), np.float64(points[start + after, f])
                out[i, p, f] = high if share == 1.0 else low + share * (high - low)
