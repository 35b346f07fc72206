"""Rows of numbers, and what stands among them that is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

from protopick.checks import shown
from protopick.objects.columns import is_missing
from protopick.objects.frames import is_frame, names_in
from protopick.objects.sequence import is_row
from protopick.objects.table import spoken

_BUT = (
    ", but metric compares rows of numbers. For other objects pass metric=f, a function of two of them, or "
    "the name of a metric for them: 'levenshtein' for strings, 'dtw' for series, 'gower' for tables, "
    "'jaccard' for sets."
)

_TIMES = (
    ", but metric compares rows of numbers. Pass metric='gower', which compares times by their range, or "
    "turn them into numbers first, such as days."
)
_FIELDS = (
    ", but metric compares rows of numbers. Pass numpy.lib.recfunctions.structured_to_unstructured(X) where "
    "all fields are numbers, or a data frame of them and metric='gower'."
)
_ROWS_AT_ONCE = 1 << 14

_FILL = (
    "Fill the gaps, drop such rows, or pass a metric that takes gaps: metric='nan_euclidean' for numbers, "
    "metric='gower' for tables."
)


def checked_by(check: Callable[[Any], Any], X: Any, way_out: str = _FILL) -> Any:
    """Return what scikit-learn's ``check`` makes of ``X``, always numbers, or say where there are others.

    ``way_out`` says what to do about gaps.
    """
    if (other := _other_than_row(X)) is not None:  # NumPy would read a graph as the row of its nodes
        raise TypeError(other)
    try:
        rows = _with_gaps(check, X)
        if rows.dtype.kind in "mM":  # which it takes for numbers
            raise TypeError(f"X holds times ({rows.dtype}){_TIMES}")
        # Of lists and frames that hold some gaps, it returns objects, and does not look for these.
        return check(_floats(rows)) if rows.dtype == object else rows
    except (TypeError, ValueError) as error:
        found = _other_than_numbers(X) or _not_finite(X, str(error), way_out)
        if found is None:
            raise
        if isinstance(X, np.ndarray) and isinstance(error, TypeError):
            found = f"{found} ({error})"  # which scikit-learn asks for
        raise (ValueError if isinstance(error, ValueError) else TypeError)(found) from error


def _with_gaps(check: Callable[[Any], Any], X: Any) -> Any:
    """Return what ``check`` makes of ``X``, also where pandas' NA, which is no number, stands for a gap."""
    try:
        return check(X)
    except TypeError:
        rows = np.asarray(X, object)
        if not _gaps(rows).any():
            raise
        return check(X.astype(object).where(X.notna(), None) if hasattr(X, "iloc") else _floats(rows))


def _gaps(rows: np.ndarray) -> np.ndarray:
    """Say of each value of an array of objects whether it is missing."""
    return np.array([is_missing(value) for value in rows.flat], bool).reshape(rows.shape)


def _other_than_numbers(X: Any) -> str | None:
    """Say what in a frame, a list of rows, or an array of objects is no number; None where all are."""
    if is_frame(X):
        for j, name in enumerate(names_in(X)):
            column = np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X[name])
            if column.dtype.kind in "mM":
                return f"Column {name!r} of X holds times ({column.dtype}){_TIMES}"
            found = _no_number(column.tolist())
            if found is not None:
                return _sentence(f"Column {name!r} of X", found[1], f"in row {found[0]}")
        return None
    for i, row in enumerate(_one_by_one(X)):
        found = _no_number(row) if isinstance(row, (list, tuple)) else None
        if found is not None:
            return _sentence(f"X[{i}]", found[1], f"at place {found[0]}")
    return None


def _other_than_row(X: Any) -> str | None:
    """Say what in a list, or in an array of objects, is no row; None where all are, or all are numbers."""
    names = getattr(getattr(X, "dtype", None), "names", None)
    if names:
        return f"X is a structured array with the fields {shown(names)}{_FIELDS}"
    if getattr(X, "ndim", 1) > 1:
        return None
    rows = _one_by_one(X)
    may_be_number = not any(map(is_row, rows))  # which is told of all at once
    for i, row in enumerate(rows):
        if is_row(row) or (may_be_number and isinstance(row, Number)):
            continue
        if is_missing(row):
            return f"X[{i}] is missing ({row}), but metric compares rows of numbers. Drop such objects."
        return f"X[{i}] is {spoken(row)}{_BUT}"
    return None


def _one_by_one(X: Any) -> Sequence[Any]:
    """Return what a list, or an array of objects, holds; nothing for other collections."""
    if isinstance(X, np.ndarray) and X.dtype == object:
        return X.tolist()
    return X if isinstance(X, (list, tuple)) else ()


def _not_finite(X: Any, said: str, way_out: str) -> str | None:
    """Say where the first gap or infinite number is, where that is what scikit-learn ``said`` of rows."""
    if "NaN" not in said and "infinity" not in said:
        return None
    if sparse.issparse(X):
        entries = X.tocoo()
        bad = ~np.isfinite(entries.data)
        places = zip(
            entries.row[bad].tolist(), entries.col[bad].tolist(), entries.data[bad].tolist(), strict=True
        )
        row, column, value = min(places)
        return _where(f"X[{row}, {column}]", value, way_out)
    rows = X if isinstance(X, np.ndarray) else np.asarray(X)
    for start in range(0, len(rows) if rows.ndim == 2 else 0, _ROWS_AT_ONCE):
        block = _floats(rows[start : start + _ROWS_AT_ONCE])
        bad = np.argwhere(~np.isfinite(block))
        if len(bad):
            row, column = start + int(bad[0, 0]), int(bad[0, 1])
            name = f"row {row}, column {names_in(X)[column]!r}" if is_frame(X) else f"X[{row}, {column}]"
            return _where(name, block[tuple(bad[0])], way_out)
    return None


def _floats(rows: np.ndarray) -> np.ndarray:
    """Return numbers as floats, NaN where one is missing."""
    if rows.dtype == object:
        rows = rows.copy()
        rows[_gaps(rows)] = None
    return rows.astype(np.float64)


def _where(name: str, value: float, way_out: str) -> str:
    if np.isnan(value):
        return f"Input X contains NaN, first at {name}. {way_out}"
    return f"Input X contains infinity, first at {name}. Replace or drop it."


def refuse_lists_as_sets(X: Any) -> None:
    """Refuse rows of a list that hold other than flags, where a metric compares flags or sets."""
    for i, row in enumerate(X if isinstance(X, (list, tuple)) else ()):
        other = [value for value in row if not _is_flag(value)] if isinstance(row, (list, tuple)) else []
        known = [value for value in other if not is_missing(value)]  # a gap is told as that of any row
        if known:
            without = "" if len(known) == len(other) else " - {None}"
            raise ValueError(
                f"X[{i}] is a {type(row).__name__} that holds {spoken(known[0])}, but metric compares rows "
                f"of flags, 0 and 1, or sets. For sets, pass [set(x){without} for x in X]."
            )


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.generic)) and value in (0, 1)


def _sentence(what: str, value: Any, where: str) -> str:
    if is_missing(value):
        return f"{what} has no value {where}, but metric compares rows of numbers. {_FILL}"
    return f"{what} holds {spoken(value)} {where}{_BUT}"


def _no_number(values: Iterable[Any]) -> tuple[int, Any] | None:
    return next(((j, value) for j, value in enumerate(values) if not _is_number(value)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (Number, np.generic, list, tuple, np.ndarray)) and not isinstance(
        value, (np.str_, complex)
    )
