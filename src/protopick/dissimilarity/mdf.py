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
from protopick.objects import Ragged


@dataclass(frozen=True)
class MDF(Dissimilarity):
    """The mean distance of the points of two streamlines, in the better one of both directions.

    Streamlines have ``n_points`` points, 20 by default, evenly spaced along the curve. Others are
    resampled; those of exactly so many points are taken as they are.
    """

    names: ClassVar[tuple[str, ...]] = ("mdf",)
    takes: ClassVar[Any] = "series"

    n_points: int = 20
    n_coordinates: int = 3
    dtype: np.dtype = np.dtype(np.float64)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(n_points=at_least_two(name, only(name, params, "n_points").get("n_points", 20)))

    def fit(self, objects: Ragged) -> MDF:
        n_coordinates = objects.points.shape[1]
        if n_coordinates not in (2, 3):
            raise ValueError(
                f"metric='mdf' needs streamlines of points in 2 or 3 dimensions, got {n_coordinates}. Pass "
                "an array of shape (n, points, 3), a list of arrays of shape (points, 3), or a Ragged."
            )
        return replace(self, n_coordinates=n_coordinates, dtype=arithmetic_dtype(objects.points.dtype))

    def encoded_bytes(self, objects: Ragged) -> int:
        return len(objects) * self.n_points * self.n_coordinates * self.dtype.itemsize

    def encode(self, batch: Ragged) -> np.ndarray:
        """Return an array (n, 2, coordinates, half): the first half of the points, the other from its end.

        A streamline that is flipped then has its halves exchanged. The middle one of an odd number of
        points is in both halves, there with half of its weight.
        """
        lines = contiguous(batch, self.dtype, self.n_coordinates, "mdf")
        if (lines.lengths == self.n_points).all():
            first = lines.offsets[0]
            points = lines.points[first : lines.offsets[-1]].reshape(-1, self.n_points, self.n_coordinates)
        else:
            points = resampled(lines, self.n_points, by_length=True)
        half = (self.n_points + 1) // 2
        halves = np.stack([points[:, :half], points[:, ::-1][:, :half]], axis=1)
        return np.ascontiguousarray(halves.transpose(0, 1, 3, 2))

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
