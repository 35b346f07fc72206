"""What kind of values the columns of a table hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np


def typed(columns: Mapping[Any, np.ndarray]) -> tuple[dict[Any, np.ndarray], frozenset[Any]]:
    """Return columns with numbers and times as floats, NaN where one is missing, and the names of the times.

    Anything else becomes objects, None where one is missing.

    Examples
    --------
    >>> found, times = typed({"a": np.array([1, None], object), "b": np.array(["x", None], object)})
    >>> found["a"].tolist(), found["b"].tolist()
    ([1.0, nan], ['x', None])
    """
    found = {name: _typed(column) for name, column in columns.items()}
    return {name: values for name, (values, _) in found.items()}, frozenset(
        name for name, (_, are_times) in found.items() if are_times
    )


def _typed(column: np.ndarray) -> tuple[np.ndarray, bool]:
    if column.dtype.kind in "mM":
        return microseconds(column), True
    values = [None if is_missing(value) else value for value in column.tolist()]
    known = [value for value in values if value is not None]
    if all(isinstance(value, (Real, Decimal)) and not isinstance(value, bool) for value in known):
        return np.array(values, np.float64), False
    for kind, unit in ((date, "datetime64[us]"), (timedelta, "timedelta64[us]")):
        if all(isinstance(value, kind) for value in known) and _without_zone(known):
            return microseconds(np.array(["NaT" if value is None else value for value in values], unit)), True
    return np.array([*values, None], object)[:-1], False  # never two dimensions


def _without_zone(values: list[Any]) -> bool:
    return all(getattr(value, "tzinfo", None) is None for value in values)


def microseconds(times: np.ndarray) -> np.ndarray:
    """Return times, or spans of time, as numbers."""
    if times.dtype == object:  # of the standard library
        times = np.array(times.tolist(), "timedelta64" if hasattr(times[0], "days") else "datetime64")
    numbers = times.astype(f"{times.dtype.str[:3]}[us]").astype(np.float64)
    numbers[np.isnat(times)] = np.nan
    return numbers


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA is neither
        return True
    except ValueError:  # an array
        return False
