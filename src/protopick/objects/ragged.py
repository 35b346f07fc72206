"""Objects of unequal length in one array: series, streamlines, whatever is a run of points."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from protopick import checks
from protopick.objects.columns import is_missing
from protopick.objects.sequence import ObjectSequence, as_objects, column_of_rows, is_gap, is_row
from protopick.objects.table import spoken

_POINTS_AT_ONCE = 1 << 20
_BUT = ", but metric compares series: arrays of numbers of shape (time,) or (time, channels)."


class Ragged:
    """Objects of unequal length that lie one after the other in one array.

    Slices share the memory of the points, also of a memory map. A selector takes it as ``X``, and
    returns its ``prototypes_`` as another one.

    Parameters
    ----------
    points : array of shape (p,) or (p, d)
        All points of all objects.
    offsets : array of n + 1 whole numbers
        Object i is ``points[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> from protopick import Ragged
    >>> series = Ragged([1.0, 2.0, 3.0, 9.0, 8.0], [0, 3, 5])
    >>> len(series), series[1]
    (2, array([9., 8.]))
    >>> series[[1, 0]].offsets
    array([0, 2, 5])
    """

    def __init__(self, points: Any, offsets: Any) -> None:
        self.points: np.ndarray = (
            points
            if isinstance(points, np.ndarray)
            else checks.as_array("points", points, "Give all points as many coordinates.")
        )
        self.offsets: np.ndarray = checks.as_array("offsets", offsets)
        if np.ma.is_masked(self.points):
            raise ValueError(
                "points is a masked array, but masks are not looked at. Fill the gaps, for instance by "
                "interpolation, or leave such points out."
            )
        if self.points.ndim not in (1, 2):
            raise ValueError(
                f"points must have 1 or 2 dimensions, (points,) or (points, coordinates), got shape "
                f"{self.points.shape}. Stack the points of all objects one below the other."
            )
        fits = self.offsets.ndim == 1 and self.offsets.size > 0 and self.offsets.dtype.kind in "iu"
        if not fits or self.offsets[0] < 0 or self.offsets[-1] > len(self.points):
            raise ValueError(
                f"offsets must be n + 1 whole numbers from 0 to the number of points, {len(self.points)}, "
                f"got {checks.shown(offsets)}. Object i is points[offsets[i]:offsets[i + 1]]."
            )
        self.offsets = self.offsets.astype(np.int64, copy=False)
        if (np.diff(self.offsets) < 0).any():
            i = int(np.flatnonzero(np.diff(self.offsets) < 0)[0])
            raise ValueError(f"offsets must not fall, but offsets[{i + 1}] is below offsets[{i}]. Sort them.")

    @property
    def shape(self) -> tuple[int]:
        """The number of objects, as scikit-learn asks for it."""
        return (len(self),)

    @property
    def lengths(self) -> np.ndarray:
        """The number of points of each object."""
        return np.diff(self.offsets)

    @property
    def used(self) -> np.ndarray:
        """The points of these objects alone, where others lie before or after them."""
        return self.points[self.offsets[0] : self.offsets[-1]]

    @property
    def used_offsets(self) -> np.ndarray:
        """The offsets of these objects in ``used``."""
        return self.offsets - self.offsets[0]

    @property
    def nbytes(self) -> int:
        """The memory that the points of these objects take."""
        return self.used.nbytes

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Ragged, (self.used, self.used_offsets)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, tuple):
            which = _only_index(which)
        if isinstance(which, (int, np.integer)) and not isinstance(which, bool):
            if not -len(self) <= which < len(self):
                raise IndexError(f"index {which} is out of range for {len(self)} objects")
            i = int(which) % len(self)
            return self.points[self.offsets[i] : self.offsets[i + 1]]
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step == 1:
                return Ragged(self.points, self.offsets[start : max(start, stop) + 1])
        which = np.arange(len(self))[which]
        if which.ndim == 0:
            return self[int(which)]
        if which.ndim > 1:
            raise IndexError(
                "A Ragged takes one index: a position, a slice, a list of positions or a mask of booleans."
            )
        starts, lengths = self.offsets[:-1][which], self.lengths[which]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        rows = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return Ragged(self.points[rows], offsets)

    def __repr__(self) -> str:
        return f"Ragged({len(self)} objects, {self.offsets[-1] - self.offsets[0]} points)"


def _only_index(which: tuple[Any, ...]) -> Any:
    """Return the index in ``X[which, ...]``, as scikit-learn writes it."""
    if len(which) == 1 or (len(which) == 2 and which[1] is Ellipsis):
        return which[0]
    raise IndexError(
        f"A Ragged takes one index, got {len(which)}. X[i] is an array of points: take from that, such as "
        "X[i][j]."
    )


def as_ragged(X: Any) -> Ragged:
    """Return series as a `Ragged` of points in two dimensions, or say which one is none.

    Rows of a matrix are series of one channel; an array of three dimensions holds (series, time,
    channels); in a list, or in a frame of one column, each series is an array of shape (time,) or (time,
    channels).
    """
    if sparse.issparse(X):
        raise ValueError("X is sparse, but metric compares series. Pass X.toarray().")
    objects = X if isinstance(X, Ragged) else as_objects(column_of_rows(X))
    if isinstance(objects, np.ndarray) and objects.dtype == object:
        objects = _of_numbers(objects)
    if isinstance(objects, np.ndarray) and objects.dtype.kind in "biuf":
        objects = _of_equal_length(objects)
    elif not isinstance(objects, Ragged):
        objects = _stacked(objects)
    if objects.points.ndim == 1:
        objects = Ragged(objects.points[:, None], objects.offsets)
    _refuse_unusable(objects)
    return objects


def _of_numbers(values: np.ndarray) -> np.ndarray:
    """Return objects as numbers where all are, such as those of a frame whose columns may have gaps."""
    if any(isinstance(value, (str, bytes)) for value in values.flat):  # which NumPy would read as numbers
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values


def _of_equal_length(X: np.ndarray) -> Ragged:
    if X.ndim not in (2, 3):
        raise ValueError(
            f"X of shape {X.shape} holds no series. Pass (series, time), (series, time, channels), a list "
            "of arrays, or a Ragged."
        )
    points = X.reshape(-1, 1 if X.ndim == 2 else X.shape[2])
    return Ragged(points, np.arange(len(X) + 1) * X.shape[1])


def _stacked(objects: Any) -> Ragged:
    series = [_one_series(item, i) for i, item in enumerate(objects)]
    if not series:
        raise ValueError("X has 0 objects, expected at least 1. Pass a collection that is not empty.")
    channels = [s.shape[1] for s in series]
    other = next((i for i, c in enumerate(channels) if c != channels[0]), None)
    if other is not None:
        raise ValueError(
            f"X[{other}] has {channels[other]} numbers a point, but X[0] has {channels[0]}. "
            "All series need the same channels."
        )
    return Ragged(np.concatenate(series), np.concatenate(([0], np.cumsum([len(s) for s in series]))))


def _one_series(item: Any, position: int) -> np.ndarray:
    if is_gap(item):
        raise ValueError(f"X[{position}] is missing ({item}), but metric compares series. Drop such objects.")
    if not is_row(item):
        raise TypeError(f"X[{position}] is of type {type(item).__name__}{_BUT}")
    try:
        values = np.asarray(item)
    except ValueError as error:
        raise ValueError(
            f"X[{position}] has points of several lengths{_BUT} Give all points as many numbers."
        ) from error
    others = values.ravel()[:1].tolist() if values.dtype.kind in "US" else []
    if values.dtype == object:
        others = [value for value in values.flat if not _is_real(value)]
    if any(map(is_missing, others)) or np.ma.is_masked(item):
        raise ValueError(
            f"X[{position}] has a missing value. Fill the gaps, for instance by interpolation, or drop the "
            "series."
        )
    if others:
        raise TypeError(f"X[{position}] holds {spoken(others[0])}{_BUT}")
    if values.dtype == object:
        values = values.astype(np.float64)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"X[{position}] holds values of type {values.dtype}{_BUT}")
    if values.ndim not in (1, 2):
        raise TypeError(f"X[{position}] is an array of shape {values.shape}{_BUT}")
    return values[:, None] if values.ndim == 1 else values


def _is_real(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not is_missing(value)


def _refuse_unusable(series: Ragged) -> None:
    if len(series) == 0:
        raise ValueError("X has 0 objects, expected at least 1. Pass a collection that is not empty.")
    if series.points.dtype.kind not in "biuf":
        raise TypeError(f"X has points of type {series.points.dtype}, but metric needs numbers.")
    empty = np.flatnonzero(series.lengths == 0)
    if len(empty):
        raise ValueError(f"X[{empty[0]}] has no points. Drop empty series.")
    first, last = int(series.offsets[0]), int(series.offsets[-1])
    for start in range(first, last, _POINTS_AT_ONCE):
        good = np.isfinite(series.points[start : min(last, start + _POINTS_AT_ONCE)]).all(axis=1)
        if not good.all():
            point = start + int(np.argmin(good))
            i = int(np.searchsorted(series.offsets, point, side="right")) - 1
            raise ValueError(
                f"X[{i}] contains NaN or infinity at its point {point - series.offsets[i]}. Fill the gaps, "
                "for instance by interpolation, or drop the series."
            )


def ragged_lengths(X: Any) -> str | None:
    """Say how two rows of ``X`` differ in length, or return None where they do not."""
    if isinstance(X, Ragged):
        lengths = X.lengths.tolist()
    elif isinstance(X, (list, tuple, ObjectSequence)) or (isinstance(X, np.ndarray) and X.dtype == object):
        if not all(map(is_row, X)):
            return None
        lengths = [len(row) if getattr(row, "ndim", 1) else 1 for row in X]
    else:
        return None
    other = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    return None if other is None else f"X[0] has length {lengths[0]}, X[{other}] has length {lengths[other]}"
