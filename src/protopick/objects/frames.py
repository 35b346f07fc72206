"""Data frames of pandas, polars and Arrow, read through narwhals."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.objects.columns import CATEGORIES, WHOLE, ZONED, is_missing, typed

_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals")


def native(X: Any) -> Any:
    """Return the frame or column that one of narwhals holds, anything else as it is."""
    is_one = type(X).__module__.partition(".")[0] == "narwhals" and hasattr(X, "to_native")
    return X.to_native() if is_one else X


def is_frame(X: Any) -> bool:
    """Say whether ``X`` is a table of a data frame library, without importing one."""
    is_one = hasattr(X, "iloc") or type(X).__module__.partition(".")[0] in _LIBRARIES
    return is_one and len(getattr(X, "shape", ())) == 2


def names_in(frame: Any) -> list[Any]:
    """Return the names of the columns of a table."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def columns_of(frame: Any) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the columns: numbers and times as numbers, NaN where missing; the rest as objects or None.

    And the kinds of those whose values were looked at, as `typed` tells them, and of declared categories.
    """
    frame = _read(frame)
    columns = {name: _values(frame.get_column(name)) for name in frame.columns}
    declared = {name: CATEGORIES for name, dtype in frame.schema.items() if _is_category(dtype)}
    others = [name for name in columns if name not in declared]
    found, kinds = typed({name: columns[name] for name in others if columns[name].dtype.kind not in "iuf"})
    zoned = {name: ZONED for name, dtype in frame.schema.items() if getattr(dtype, "time_zone", None)}
    return columns | found, kinds | declared | zoned  # NumPy's times, which were looked at, know no zones


def _read(frame: Any) -> Any:
    try:
        import narwhals as nw
    except ImportError as error:
        raise ImportError(
            "X is a data frame, and metric compares its columns: that needs narwhals. "
            "Install it by: pip install 'protopick[frames]'"
        ) from error
    if type(frame).__name__ == "RecordBatch":  # of Arrow, narwhals reads tables alone
        frame = type(frame.schema.empty_table()).from_batches([frame])
    names = names_in(frame)
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise ValueError(
            f"X has several columns named {again!r}, but metric goes by names. Rename all but one."
        )
    return nw.from_native(frame, eager_only=True)


def _is_category(dtype: Any) -> bool:
    """Say whether the type of a column makes its values categories, whatever they are."""
    import narwhals as nw

    return any(dtype == one for one in (nw.String, nw.Boolean, nw.Categorical, nw.Enum))


def _values(column: Any) -> np.ndarray:
    values = _of_numpy(column)
    if values is not None:
        return values
    objects = np.empty(len(column), object)
    missing = column.is_null().to_list()
    for i, value in enumerate(column.to_list()):
        objects[i] = None if missing[i] else value
    return objects


def _of_numpy(column: Any) -> np.ndarray | None:
    """Return numbers and times as an array of such, None where only objects hold them as they are."""
    import narwhals as nw

    if column.dtype.is_numeric() and column.null_count():
        ends = () if column.dtype.is_float() else (column.min(), column.max())
        if not all(is_missing(end) or -WHOLE < end < WHOLE for end in ends):
            return None  # floats, which know gaps, would make one of several
        column = column.cast(nw.Float64)
    if column.dtype in (nw.Int128, nw.UInt128):
        return None  # NumPy has no such integers
    if column.dtype.is_numeric() or any(column.dtype == one for one in (nw.Date, nw.Datetime, nw.Duration)):
        values: np.ndarray = column.to_numpy()
        return values if values.dtype.kind in "iufmM" else None
    return None


def lists_of(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a small frame as lists of Python's own values, None where one is missing."""
    frame = _read(frame)
    return {name: frame.get_column(name).to_list() for name in frame.columns}
