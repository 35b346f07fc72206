"""A sum over the columns of a table, each compared by its own metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from protopick.checks import shown
from protopick.dissimilarity.base import Dissimilarity, Run, in_turn, length
from protopick.dissimilarity.composition import Composition, inner_metric, told_as, values_to
from protopick.objects import Table, checked
from protopick.objects.columns import NUMBERS, POINTS_IN_TIME, above, least

_LEAST, _LARGEST = 1e-100, 1e100
"""What a weight may be."""

_SMALL, _LARGE = 1e-18, 1e18
"""Between these, a weight makes a dissimilarity in float32 neither 0 nor infinite."""


def weighted_sum(parts: Mapping[Any, tuple[Any, ...]]) -> Dissimilarity:
    """Compare the columns of a table each by its own metric, and add up the weighted results.

    Parameters
    ----------
    parts : dict
        For each column ``(metric, weight)`` or ``(metric, weight, metric_params)``. A tuple of columns
        is compared together, as one vector or one smaller table, unless it is itself the name of a column.
        Columns of an array go by their number. Columns that are not named are not compared, but they are
        part of X: ``transform`` expects them too, and infinity is refused in all.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Notes
    -----
    Nothing is scaled: a weight says how much one unit of a column's metric counts. Metrics see spans of time
    and times of the day in microseconds, dates and times in microseconds since the earliest one in ``fit``.

    Examples
    --------
    >>> import pandas as pd
    >>> from protopick import FarthestFirstSelector, weighted_sum
    >>> people = pd.DataFrame({"name": ["Ann", "Anna", "Bob"], "age": [30.0, 33.0, 31.0]})
    >>> metric = weighted_sum({"name": ("levenshtein", 0.5), "age": ("euclidean", 0.1)})
    >>> FarthestFirstSelector(1, metric=metric, fixed=[0]).fit_transform(people).round(2).ravel().tolist()
    [0.0, 0.8, 1.6]
    """
    if not isinstance(parts, Mapping) or not parts:
        raise ValueError(
            f"weighted_sum needs a dict of columns, such as {{'age': ('euclidean', 0.7)}}, got "
            f"{shown(parts)}."
        )
    metrics, weights = [], []
    for column, part in parts.items():
        if not isinstance(part, (tuple, list)) or len(part) not in (2, 3):
            raise ValueError(
                f"weighted_sum has {shown(part)} for column {column!r}, expected (metric, weight) or "
                "(metric, weight, metric_params)."
            )
        metric, weight, *params = part
        if not isinstance(weight, Real) or not _LEAST <= float(weight) <= _LARGEST:
            raise ValueError(
                f"weighted_sum has the weight {weight!r} for column {column!r}, expected a number from "
                f"{_LEAST} to {_LARGEST}."
            )
        try:
            metrics.append(inner_metric(metric, *params))
        except (TypeError, ValueError) as error:
            raise _named(error, f"In weighted_sum, for column {column!r}") from error
        weights.append(float(weight))
    return WeightedSum(tuple(parts), tuple(metrics), tuple(weights), told=f"weighted_sum({told_as(parts)})")


@dataclass(frozen=True, repr=False)
class WeightedSum(Composition):
    """A sum over columns. Made by `weighted_sum`."""

    takes: ClassVar[Any] = "table"

    columns: tuple[Any, ...]
    metrics: tuple[Dissimilarity, ...]
    weights: tuple[float, ...]
    kinds: Mapping[Any, str] = field(default_factory=dict, hash=False)
    """What the numbers of each column counted in fit, such as times."""
    origins: Mapping[Any, float] = field(default_factory=dict, hash=False)
    """The earliest of the dates or times of each column in fit."""

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return all(metric.symmetric for metric in self.metrics)

    @property
    def bulk(self) -> bool:  # type: ignore[override]
        return all(metric.bulk for metric in self.metrics)

    @property
    def threads(self) -> bool:  # type: ignore[override]
        return all(metric.threads for metric in self.metrics)

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        holds = np.float32 if all(_SMALL <= weight <= _LARGE for weight in self.weights) else np.float64
        return np.result_type(holds, *(metric.dtype for metric in self.metrics))

    @property
    def tile_rows(self) -> int | None:  # type: ignore[override]
        return max((metric.tile_rows for metric in self.metrics if metric.tile_rows), default=None)

    def fit(self, objects: Table) -> WeightedSum:
        names = [name for column in self.columns for name in _names(objects, column)]
        kinds = {name: kind for name in names if (kind := objects.kind(name)) and objects.kinds_in(name)}
        origins = {name: least(objects[name]) for name, kind in kinds.items() if kind in POINTS_IN_TIME}
        fitted = replace(self, kinds=kinds, origins=origins)
        parts = zip(self.columns, self.metrics, fitted._split(objects), strict=True)
        return replace(fitted, metrics=tuple(_fitted(*part) for part in parts))

    def unchecked(self) -> WeightedSum:
        return replace(self, metrics=tuple(metric.unchecked() for metric in self.metrics))

    def encoded_bytes(self, objects: Table) -> int:
        some = objects[: min(len(objects), 256)]
        parts = zip(self.metrics, self._split(some), strict=True)
        each = sum(metric.encoded_bytes(part) + 8 * len(some) for metric, part in parts)
        return each * len(objects) // len(some)

    def encode(self, batch: Table) -> Parts:
        return self.encode_all(batch, in_turn)

    def encode_all(self, objects: Table, run: Run) -> Parts:
        for name, kind in self.kinds.items():
            if objects.kind(name) is not None:
                objects.refuse_other_kinds(name, kind)
        parts = zip(self.metrics, self._split(objects), strict=True)
        return Parts([metric.encode_all(part, run) for metric, part in parts])

    def against(self, cols: Parts) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        values = [values_to(*part) for part in zip(self.metrics, cols.parts, strict=True)]
        weights = [self.dtype.type(weight) for weight in self.weights]

        def block(rows: Parts, out: np.ndarray, at: np.ndarray, start: int) -> None:
            total = np.zeros((len(cols), len(rows)), self.dtype)
            for weight, values_of, part in zip(weights, values, rows.parts, strict=True):
                total += weight * values_of(part)
            out[at, start : start + len(rows)] = total

        return block

    def _split(self, table: Table) -> list[Any]:
        return [_taken(table, *part, self.origins) for part in zip(self.columns, self.metrics, strict=True)]


class Parts:
    """The encoded columns of some rows."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return length(self.parts[0])

    def __getitem__(self, which: Any) -> Parts:
        return Parts([part[which] for part in self.parts])


def _names(table: Table, column: Any) -> tuple[Any, ...]:
    """Return the columns of a part: several, unless the tuple is itself a name."""
    return column if isinstance(column, tuple) and column not in table.columns else (column,)


def _taken(table: Table, column: Any, metric: Dissimilarity, origins: Mapping[Any, float]) -> Any:
    """Return a column, or several, as the objects that ``metric`` takes."""
    names = _names(table, column)
    if metric.takes == "table":
        return table.part(names)
    values = [_in_microseconds(table, name, origins.get(name, 0)) for name in names]
    if metric.takes.startswith("vectors"):
        values = [_numbers_if_any(value) for value in values]
    if metric.takes.startswith("vectors") and all(value.dtype != object for value in values):
        objects: Any = values[0][:, None] if len(values) == 1 else np.column_stack(values)
    elif len(values) == 1:
        objects = values[0].tolist()
    else:
        raise ValueError(
            f"weighted_sum cannot compare the columns {column!r} together: their metric takes "
            f"{metric.takes}, and several columns make rows of numbers, or of a table. Name one column, or "
            "another metric."
        )
    try:
        return checked(objects, takes=metric.takes, allows_nan=metric.allows_nan)
    except (TypeError, ValueError) as error:
        if table.whole is not table:  # which says where in all of X that is
            _taken(table.whole, column, metric, origins)
        raise _named(error, f"In column {column!r} of X") from error


def _fitted(column: Any, metric: Dissimilarity, part: Any) -> Dissimilarity:
    try:
        return metric.fit(part)
    except (TypeError, ValueError) as error:
        raise _named(error, f"In column {column!r} of X") from error


def _named(error: Exception, where: str) -> Exception:
    """Return an error that says which column it is about."""
    return (TypeError if isinstance(error, TypeError) else ValueError)(f"{where}: {error}")


def _in_microseconds(table: Table, name: Any, origin: float) -> np.ndarray:
    """Return a column, times and spans of time as microseconds above ``origin``."""
    column: np.ndarray = table[name]
    return column if table.kind(name) in (None, NUMBERS) else above(column, origin) / 1000


def _numbers_if_any(column: np.ndarray) -> np.ndarray:
    """Return objects that are all numbers as an array of numbers."""
    of_numbers = (Real, Decimal, type(None))
    if column.dtype == object and all(isinstance(value, of_numbers) for value in column):
        return column.astype(np.float64)
    return column
