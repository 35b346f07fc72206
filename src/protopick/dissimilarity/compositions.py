"""Dissimilarities made of others: sums over columns, functions of values, both directions in one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from protopick.dissimilarity.base import Dissimilarity, Run, in_turn, length
from protopick.objects import Table, checked

_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "log1p": np.log1p}
_WAYS: dict[str, Callable[..., Any]] = {
    "mean": lambda there, back: (there + back) / 2,
    "min": np.minimum,
    "max": np.maximum,
}


def weighted_sum(parts: Mapping[Any, tuple[Any, ...]]) -> Dissimilarity:
    """Compare the columns of a table each by its own metric, and add up the weighted results.

    Parameters
    ----------
    parts : dict
        For each column ``(metric, weight)`` or ``(metric, weight, metric_params)``. A tuple of columns
        is compared together, as one vector or one smaller table, unless it is itself the name of a column.
        Columns of an array go by their number. Columns that are not named do not matter.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Notes
    -----
    Nothing is scaled: a weight says how much one unit of a column's metric counts.

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
            f"weighted_sum needs a dict of columns, such as {{'age': ('euclidean', 0.7)}}, got {parts!r}."
        )
    metrics, weights = [], []
    for column, part in parts.items():
        if not isinstance(part, (tuple, list)) or len(part) not in (2, 3):
            raise ValueError(
                f"weighted_sum has {part!r} for column {column!r}, expected (metric, weight) or "
                "(metric, weight, metric_params)."
            )
        metric, weight, *params = part
        if not isinstance(weight, Real) or not (0 < float(weight) < math.inf):
            raise ValueError(
                f"weighted_sum has the weight {weight!r} for column {column!r}, expected above 0."
            )
        metrics.append(_part(metric, *params))
        weights.append(float(weight))
    told = f"weighted_sum({_told(parts)})"
    return WeightedSum(tuple(parts), tuple(metrics), tuple(weights), told=told)


def transformed(
    metric: Any, function: str | Callable[..., Any], *, metric_params: Mapping[str, Any] | None = None
) -> Dissimilarity:
    """Apply a function to the values of a metric.

    Parameters
    ----------
    metric : str, callable or Dissimilarity
        Anything that a selector takes as ``metric``, except ``"precomputed"``.
    function : {"sqrt", "log1p"} or callable
        A callable gets an array of dissimilarities, and returns as many numbers of 0 or more.
    metric_params : dict, optional
        Parameters of ``metric``.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector, transformed
    >>> words = ["a", "abcde", "a"]
    >>> selector = FarthestFirstSelector(1, metric=transformed("levenshtein", "sqrt"), fixed=[0])
    >>> selector.fit_transform(words).ravel().tolist()
    [0.0, 2.0, 0.0]
    """
    if not callable(function) and not (isinstance(function, str) and function in _FUNCTIONS):
        raise ValueError(
            f"transformed has function={function!r}, allowed are 'sqrt', 'log1p' and a function."
        )
    told = f"transformed({_told(metric)}, {_told(function)}{_told_params(metric_params)})"
    return Transformed(_part(metric, metric_params), function, told=told)


def symmetrized(
    metric: Any, how: str = "mean", *, metric_params: Mapping[str, Any] | None = None
) -> Dissimilarity:
    """Make a metric symmetric by the mean, the smaller or the larger one of both directions.

    Parameters
    ----------
    metric : str, callable or Dissimilarity
        Anything that a selector takes as ``metric``, except ``"precomputed"``: of a matrix D, pass
        ``(D + D.T) / 2`` or the like.
    how : {"mean", "min", "max"}, default="mean"
        What is taken of both directions. A selector counts them as one dissimilarity.
    metric_params : dict, optional
        Parameters of ``metric``.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector, symmetrized
    >>> def missing_letters(a, b):
    ...     return len(set(a) - set(b))
    >>> metric = symmetrized(missing_letters, "max")
    >>> FarthestFirstSelector(1, metric=metric, fixed=[0]).fit_transform(["abc", "a"]).ravel().tolist()
    [0.0, 2.0]
    """
    if how not in _WAYS:
        raise ValueError(f"symmetrized has how={how!r}, allowed are 'mean', 'min' and 'max'.")
    inner = _part(metric, metric_params)
    told = f"symmetrized({_told(metric)}, {how!r}{_told_params(metric_params)})"
    return inner if inner.symmetric else Symmetrized(inner, how, told=told)


def _part(metric: Any, params: Mapping[str, Any] | None = None) -> Dissimilarity:
    from protopick.dissimilarity import resolve  # which knows the compositions

    inner = resolve(metric, params)
    if inner.takes == "matrix":
        raise ValueError(
            "metric='precomputed' cannot be part of another metric. Change the matrix itself, for instance "
            "np.sqrt(D) or (D + D.T) / 2."
        )
    return inner


def _told(value: Any) -> str:
    """Return a value as the code that it was passed in; functions appear by their names."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_told(part)}" for name, part in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(_told, value)) + ")"
    return getattr(value, "__qualname__", repr(value))


def _told_params(params: Mapping[str, Any] | None) -> str:
    return "" if params is None else f", metric_params={_told(params)}"


def _values_to(metric: Dissimilarity, cols: Any) -> Callable[[Any], np.ndarray]:
    """Return a function of rows that gives dissimilarities, not keys, of shape (cols, rows)."""
    block, at = metric.against(cols), np.arange(length(cols))

    def values(rows: Any) -> np.ndarray:
        out = np.empty((len(at), length(rows)), metric.dtype)
        block(rows, out, at, 0)
        return metric.restore(out)

    return values


@dataclass(frozen=True, repr=False)
class Composition(Dissimilarity):
    """What compositions share: they have no name, and hold other dissimilarities."""

    told: str = field(default="", kw_only=True)
    """The code that made it."""

    def __repr__(self) -> str:
        return self.told

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        raise NotImplementedError("a composition has no name")

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.against(cols)(rows, out, at, start)


@dataclass(frozen=True, repr=False)
class WeightedSum(Composition):
    """A sum over columns. Made by `weighted_sum`."""

    takes: ClassVar[Any] = "table"

    columns: tuple[Any, ...]
    metrics: tuple[Dissimilarity, ...]
    weights: tuple[float, ...]
    kinds: Mapping[Any, str] = field(default_factory=dict, hash=False)
    """What the numbers of each column counted in fit, such as times."""

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
        return np.result_type(np.float32, *(metric.dtype for metric in self.metrics))

    @property
    def tile_rows(self) -> int | None:  # type: ignore[override]
        return max((metric.tile_rows for metric in self.metrics if metric.tile_rows), default=None)

    def fit(self, objects: Table) -> WeightedSum:
        parts = zip(self.metrics, self._split(objects), strict=True)
        names = [name for column in self.columns for name in _names(objects, column)]
        kinds = {name: kind for name in names if (kind := objects.kind(name)) and objects.kinds_in(name)}
        return replace(self, metrics=tuple(metric.fit(part) for metric, part in parts), kinds=kinds)

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
        values = [_values_to(*part) for part in zip(self.metrics, cols.parts, strict=True)]
        weights = [self.dtype.type(weight) for weight in self.weights]

        def block(rows: Parts, out: np.ndarray, at: np.ndarray, start: int) -> None:
            total = np.zeros((len(cols), len(rows)), self.dtype)
            for weight, values_of, part in zip(weights, values, rows.parts, strict=True):
                total += weight * values_of(part)
            out[at, start : start + len(rows)] = total

        return block

    def _split(self, table: Table) -> list[Any]:
        return [_taken(table, *part) for part in zip(self.columns, self.metrics, strict=True)]


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


def _taken(table: Table, column: Any, metric: Dissimilarity) -> Any:
    """Return a column, or several, as the objects that ``metric`` takes."""
    names = _names(table, column)
    values = [table[name] for name in names]
    if metric.takes == "table":
        return Table(dict(zip(names, values, strict=True)), table.kinds)
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
            _taken(table.whole, column, metric)
        raise type(error)(f"In column {column!r} of X: {error}") from error


def _numbers_if_any(column: np.ndarray) -> np.ndarray:
    """Return objects that are all numbers as an array of numbers."""
    of_numbers = (Real, Decimal, type(None))
    if column.dtype == object and all(isinstance(value, of_numbers) for value in column):
        return column.astype(np.float64)
    return column


@dataclass(frozen=True, repr=False)
class OfOne(Composition):
    """A change to the values of one other dissimilarity, which says what it takes."""

    inner: Dissimilarity

    @property
    def takes(self) -> Any:  # type: ignore[override]
        return self.inner.takes

    @property
    def bulk(self) -> bool:  # type: ignore[override]
        return self.inner.bulk

    @property
    def threads(self) -> bool:  # type: ignore[override]
        return self.inner.threads

    @property
    def allows_nan(self) -> bool:  # type: ignore[override]
        return self.inner.allows_nan

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        return self.inner.dtype

    @property
    def tile_rows(self) -> int | None:  # type: ignore[override]
        return self.inner.tile_rows

    def fit(self, objects: Any) -> Self:
        return replace(self, inner=self.inner.fit(objects))

    def unchecked(self) -> Self:
        return replace(self, inner=self.inner.unchecked())

    def encoded_bytes(self, objects: Any) -> int:
        return self.inner.encoded_bytes(objects)

    def encode(self, batch: Any) -> Any:
        return self.inner.encode(batch)

    def encode_all(self, objects: Any, run: Run) -> Any:
        return self.inner.encode_all(objects, run)


@dataclass(frozen=True, repr=False)
class Transformed(OfOne):
    """A function of the values. Made by `transformed`."""

    function: str | Callable[..., Any]
    checks_values: bool = True

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.inner.symmetric

    def unchecked(self) -> Self:
        return replace(super().unchecked(), checks_values=False)

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        values_of = _values_to(self.inner, cols)

        def block(rows: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
            out[at, start : start + length(rows)] = self._changed(values_of(rows))

        return block

    def _changed(self, values: np.ndarray) -> np.ndarray:
        function = self.function if callable(self.function) else _FUNCTIONS[self.function]
        with np.errstate(all=None if self.checks_values else "ignore"):
            changed = np.asarray(function(values))
        if changed.shape != values.shape:
            raise ValueError(
                f"The function of transformed returned shape {changed.shape} for an array of shape "
                f"{values.shape}. Return one number for each."
            )
        if self.checks_values and changed.size and not (changed.min() >= 0 and np.isfinite(changed.max())):
            raise ValueError(
                "The function of transformed returned a value that is negative, infinite or missing, "
                "expected finite numbers of 0 or more."
            )
        return changed


@dataclass(frozen=True, repr=False)
class Symmetrized(OfOne):
    """Both directions in one. Made by `symmetrized`."""

    how: str
    symmetric: bool = True

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        there = _values_to(self.inner, cols)

        def block(rows: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
            back = _values_to(self.inner, rows)(cols).T
            out[at, start : start + length(rows)] = _WAYS[self.how](there(rows), back)

        return block
