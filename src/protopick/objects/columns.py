"""What kind of values the columns of a table hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

NUMBERS, TIMES, ZONED, SPANS = "numbers", "times", "times with a zone", "spans of time"

WHOLE = 2.0**53
"""Below this, floats hold every whole number."""


@dataclass(frozen=True)
class _Times:
    """Times of one kind, which cannot be compared with those of another."""

    name: str
    holds: Callable[[Any], bool]
    plain: Callable[[Any], Any]  # what NumPy reads as a time
    dtype: str


_TIMES = (
    _Times(
        TIMES,
        lambda value: isinstance(value, (date, np.datetime64)) and getattr(value, "tzinfo", None) is None,
        lambda value: value,
        "datetime64[us]",
    ),
    _Times(
        ZONED,
        lambda value: isinstance(value, datetime) and value.tzinfo is not None,
        lambda value: value.astimezone(UTC).replace(tzinfo=None),
        "datetime64[us]",
    ),
    _Times(
        SPANS,
        lambda value: isinstance(value, (timedelta, np.timedelta64)),
        lambda value: value.astype("timedelta64[us]") if isinstance(value, np.timedelta64) else value,
        "timedelta64[us]",
    ),
    _Times(
        "times of the day",
        lambda value: isinstance(value, time) and value.tzinfo is None,
        lambda value: datetime.combine(date.min, value) - datetime.min,
        "timedelta64[us]",
    ),
    _Times(
        "periods",  # of pandas, which is not imported for them
        lambda value: type(value).__name__ == "Period" and hasattr(value, "start_time"),
        lambda value: value.start_time,
        "datetime64[us]",
    ),
)


def typed(columns: Mapping[Any, np.ndarray]) -> tuple[dict[Any, np.ndarray], dict[Any, str]]:
    """Return columns with numbers and times as floats, NaN where one is missing, and the kinds of these.

    Anything else becomes objects, None where one is missing. So do numbers too large for floats, which
    would make one of several.

    Examples
    --------
    >>> found, kinds = typed({"a": np.array([1, None], object), "b": np.array(["x", None], object)})
    >>> found["a"].tolist(), found["b"].tolist(), kinds
    ([1.0, nan], ['x', None], {'a': 'numbers'})
    """
    found = {name: _typed(column) for name, column in columns.items()}
    return {name: values for name, (values, _) in found.items()}, {
        name: kind for name, (_, kind) in found.items() if kind is not None
    }


def _typed(column: np.ndarray) -> tuple[np.ndarray, str | None]:
    """Return a column and the kind of its numbers or times, None if it holds others."""
    if column.dtype.kind in "mM":
        return _microseconds(column), TIMES if column.dtype.kind == "M" else SPANS
    values = [None if is_missing(value) else value for value in column.tolist()]
    known = [value for value in values if value is not None]
    if all(map(_is_number, known)):
        return _numbers(values), NUMBERS
    for kind in _TIMES:
        if all(map(kind.holds, known)):
            plain = ["NaT" if value is None else kind.plain(value) for value in values]
            return _microseconds(np.array(plain, kind.dtype)), kind.name
    return _objects(values), None


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.timedelta64))


def _numbers(values: list[Any]) -> np.ndarray:
    """Return numbers as floats, or as they are where a float would stand for several of them."""
    numbers = np.array(values, np.float64)
    large = np.flatnonzero(np.abs(numbers) >= WHOLE)
    if len(large) == 0 or np.isinf(numbers).any():  # infinity is refused
        return numbers
    exact = [value.item() if isinstance(value, np.generic) else value for value in values]
    return numbers if all(exact[i] == numbers.item(i) for i in large) else _objects(exact)


def _objects(values: list[Any]) -> np.ndarray:
    return np.array([*values, None], object)[:-1]  # never two dimensions


def _microseconds(times: np.ndarray) -> np.ndarray:
    """Return times, or spans of time, as numbers."""
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
