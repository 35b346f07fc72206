"""What kind of values the columns of a table hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

NUMBERS, TIMES, ZONED, SPANS = "numbers", "times", "times with a zone", "spans of time"
_TIMES_OF_THE_DAY, _PERIODS = "times of the day", "periods"

POINTS_IN_TIME = frozenset({TIMES, ZONED, _PERIODS})
"""Kinds of times that are counted from a day that means nothing, 1970-01-01."""

CATEGORIES = "categories"
"""What a frame declares to be equal or not, whatever it holds."""

WHOLE = 2.0**53
"""Below this, floats hold every whole number."""

_HALF_INT64 = 1 << 62
"""The difference of two integers below this is one of NumPy's."""

_FINE = ("ns", "ps", "fs", "as")
"""The units of NumPy's times that are finer than microseconds."""


@dataclass(frozen=True)
class _Times:
    """Times of one kind, which cannot be compared with those of another."""

    name: str
    holds: Callable[[Any], bool]
    plain: Callable[[Any], Any]  # what NumPy reads as a time
    dtype: str


def _of_pandas(value: Any) -> Any:
    """Return a time of pandas as one of NumPy, which keeps its nanoseconds; others as they are."""
    return getattr(value, "asm8", value)


def _span(value: Any) -> Any:
    """Return a span of time that NumPy compares with others: of months and years it does not."""
    is_numpy = isinstance(value, np.timedelta64)
    if is_numpy and np.datetime_data(value.dtype)[0] in ("Y", "M", "generic"):
        return value.astype("timedelta64[us]")
    return _of_pandas(value)


_TIMES = (
    _Times(
        TIMES,
        lambda value: isinstance(value, (date, np.datetime64)) and getattr(value, "tzinfo", None) is None,
        _of_pandas,
        "datetime64",
    ),
    _Times(
        ZONED,
        lambda value: isinstance(value, datetime) and value.tzinfo is not None,
        lambda value: _of_pandas(value.astimezone(UTC).replace(tzinfo=None)),
        "datetime64",
    ),
    _Times(SPANS, lambda value: isinstance(value, (timedelta, np.timedelta64)), _span, "timedelta64"),
    _Times(
        _TIMES_OF_THE_DAY,
        lambda value: isinstance(value, time) and value.tzinfo is None,
        lambda value: datetime.combine(date.min, value) - datetime.min,
        "timedelta64",
    ),
    _Times(
        _PERIODS,  # of pandas, which is not imported for them
        lambda value: type(value).__name__ == "Period" and hasattr(value, "start_time"),
        lambda value: _of_pandas(value.start_time),
        "datetime64",
    ),
)


def typed(columns: Mapping[Any, np.ndarray]) -> tuple[dict[Any, np.ndarray], dict[Any, str]]:
    """Return columns with numbers and times as numbers, NaN where one is missing, and the kinds of these.

    Times count nanoseconds. Anything else becomes objects, None where one is missing. So do numbers too
    large for floats, which would make one of several, unless they are integers of NumPy.

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
        return _nanoseconds(column), TIMES if column.dtype.kind == "M" else SPANS
    values = [None if is_missing(value) else value for value in column.tolist()]
    known = [value for value in values if value is not None]
    if all(map(_is_number, known)):
        return _numbers(values), NUMBERS
    for kind in _TIMES:
        if all(map(kind.holds, known)):
            plain = ["NaT" if value is None else kind.plain(value) for value in values]
            return _nanoseconds(_in_one_unit(plain, kind.dtype)), kind.name
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


def _in_one_unit(times: list[Any], dtype: str) -> np.ndarray:
    """Return times in the finest of their units, or in microseconds where that cannot hold all years."""
    finest, coarse = np.array(times, dtype), np.array(times, f"{dtype}[us]")
    has_wrapped = (finest.astype(coarse.dtype) != coarse) & ~np.isnat(coarse)
    return coarse if has_wrapped.any() else finest


def _nanoseconds(times: np.ndarray) -> np.ndarray:
    """Return times, or spans of time, as numbers: whole ones, since floats round those of our days."""
    unit, each = ("ns", 1) if np.datetime_data(times.dtype)[0] in _FINE else ("us", 1000)
    counts = times.astype(f"{times.dtype.str[:3]}[{unit}]").astype(np.int64)
    gaps = np.isnat(times)
    if not gaps.any() and _size(counts) <= np.iinfo(np.int64).max // each:
        return counts * each
    pairs = zip(counts.tolist(), gaps.tolist(), strict=True)
    return _numbers([None if gap else count * each for count, gap in pairs])


def _size(integers: np.ndarray) -> int:
    """Return how far from 0 the farthest is."""
    return max(-int(integers.min(initial=0)), int(integers.max(initial=0)))


def least(column: np.ndarray) -> float:
    """Return the least number of a column that has one, rounded down where NumPy has no such numbers."""
    if column.dtype == object:
        return math.floor(min(_exact(value) for value in column if value is not None))
    return float(np.nanmin(column)) if column.dtype.kind == "f" else int(column.min())


def above(column: np.ndarray, low: float) -> np.ndarray:
    """Return how far numbers are above ``low``, as floats; NaN where one is missing.

    Only the differences are rounded, whatever the size of the numbers. One that no float holds is infinite.

    Examples
    --------
    >>> above(np.array([2**62, 2**62 + 1]), 2**62).tolist()
    [0.0, 1.0]
    """
    kind = column.dtype.kind
    if kind in "iu" and isinstance(low, int) and max(abs(low), _size(column)) < _HALF_INT64:
        return (column.astype(np.int64) - low).astype(np.float64)
    if float(low) == low and (kind == "f" or (kind in "iu" and _size(column) < WHOLE)):
        with np.errstate(over="ignore"):
            return np.subtract(column, float(low), dtype=np.float64)
    origin = _exact(low)
    return np.array(
        [np.nan if is_missing(one) else _rounded(_exact(one) - origin) for one in column.tolist()]
    )


def _exact(value: Any) -> Any:
    return value if isinstance(value, int) else Fraction(*value.as_integer_ratio())


def _rounded(exact: Any) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def stray(column: np.ndarray) -> tuple[str, int] | None:
    """Return the kind of the numbers or times in a column of objects, and the row of the first other value.

    None where there is nothing else, or no numbers and times.

    Examples
    --------
    >>> stray(np.array([20, None, "?", 30], object))
    ('numbers', 2)
    """
    if set(map(type, column)) <= {str, type(None)}:  # as nearly always
        return None
    known = [(i, _kind_of(value)) for i, value in enumerate(column) if value is not None]
    kind = next((kind for _, kind in known if kind is not None), None)
    others = (i for i, other in known if other != kind)
    row = next(others, None)
    return None if kind is None or row is None else (kind, row)


def _kind_of(value: Any) -> str | None:
    return NUMBERS if _is_number(value) else next((one.name for one in _TIMES if one.holds(value)), None)


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
