"""The minimum average direct-flip distance of streamlines (Garyfallidis et al., 2012)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.resampled import at_least_two
from protopick.dissimilarity.series import contiguous, resampled
from protopick.dissimilarity.vectors import refuse_overflow
from protopick.objects import Ragged

_DEFAULT_POINTS = 20


@dataclass(frozen=True)
class MDF(Dissimilarity):
    """The mean distance of the points of two streamlines, in the better one of both directions.

    Streamlines are resampled to ``n_points`` points, evenly spaced along the curve, 20 unless told. But where
    it is not given and all fitted streamlines have as many points, these points are compared: streamlines of
    that number are taken as they are, also afterwards, and others are resampled to it.
    """

    names: ClassVar[Mapping[str, str]] = {
        "mdf": "the mean distance of the points of two streamlines, in the better direction (n_points)",
    }
    takes: ClassVar[Any] = "series"

    n_points: int = 0  # not given
    as_they_are: bool = False  # streamlines that have so many points
    n_coordinates: int = 3
    dtype: np.dtype = np.dtype(np.float64)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        n_points = only(name, params, "n_points").get("n_points")
        return cls(n_points=0 if n_points is None else at_least_two(name, n_points))

    def fit(self, objects: Ragged) -> MDF:
        n_coordinates = objects.points.shape[1]
        if n_coordinates not in (2, 3):
            raise ValueError(
                f"metric='mdf' needs streamlines of points in 2 or 3 dimensions, got {n_coordinates}. Pass "
                "an array of shape (n, points, 3), a list of arrays of shape (points, 3), or a Ragged."
            )
        shortest, longest = objects.lengths.min(), objects.lengths.max()
        as_they_are = not self.n_points and shortest == longest >= 2
        return replace(
            self,
            n_points=int(longest) if as_they_are else self.n_points or _DEFAULT_POINTS,
            as_they_are=as_they_are,
            n_coordinates=n_coordinates,
            dtype=arithmetic_dtype(objects.points.dtype),
        )

    def encoded_bytes(self, objects: Ragged) -> int:
        return len(objects) * self.n_points * self.n_coordinates * self.dtype.itemsize

    def encode(self, batch: Ragged) -> np.ndarray:
        """Return an array (n, 2, coordinates, half): the first half of the points, the other from its end.

        A streamline that is flipped then has its halves exchanged. The middle one of an odd number of
        points is in both halves, there with half of its weight.
        """
        refuse_overflow(batch.used, self.dtype, self.n_coordinates)
        lines = contiguous(batch, self.dtype, self.n_coordinates, "mdf")
        kept = np.flatnonzero(lines.lengths == self.n_points) if self.as_they_are else np.empty(0, np.intp)
        if len(kept) < len(lines):
            points = resampled(lines, self.n_points, by_length=True)
            points[kept] = lines[kept].points.reshape(len(kept), self.n_points, self.n_coordinates)
        else:
            points = lines.used.reshape(-1, self.n_points, self.n_coordinates)
        half = (self.n_points + 1) // 2
        halves = np.empty((len(points), 2, self.n_coordinates, half), self.dtype)
        halves[:, 0] = points[:, :half].transpose(0, 2, 1)
        halves[:, 1] = points[:, ::-1][:, :half].transpose(0, 2, 1)
        return halves

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        _direct_or_flipped(rows, cols, self.n_points, out, at, start)


@kernel(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _direct_or_flipped(rows, cols, n_points, out, at, start):  # type: ignore[no-untyped-def]
    n_coordinates, half = rows.shape[2], rows.shape[3]
    whole = n_points // 2  # pairs of points without the middle one
    two = rows.dtype.type(2)
    for j in range(cols.shape[0]):
        y_begin, y_end = cols[j, 0], cols[j, 1]
        target = out[at[j], start : start + rows.shape[0]]
        for i in range(rows.shape[0]):
            begin, end = rows[i, 0], rows[i, 1]
            direct = flipped = rows.dtype.type(0)
            for p in range(half):
                bb = ee = be = eb = rows.dtype.type(0)
                for f in range(n_coordinates):
                    b, e, yb, ye = begin[f, p], end[f, p], y_begin[f, p], y_end[f, p]
                    bb += (b - yb) * (b - yb)
                    ee += (e - ye) * (e - ye)
                    be += (b - ye) * (b - ye)
                    eb += (e - yb) * (e - yb)
                # Both ends at once: d(x, y) and d(y, x) are then rounded alike.
                one_way, other_way = np.sqrt(bb) + np.sqrt(ee), np.sqrt(be) + np.sqrt(eb)
                direct += one_way if p < whole else one_way / two
                flipped += other_way if p < whole else other_way / two
            target[i] = min(direct, flipped) / n_points
