"""Gower's dissimilarity of rows with numbers, categories and gaps (Gower, 1971)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from protopick.checks import as_array, shown
from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.objects import Table
from protopick.objects.columns import NUMBERS, above, is_missing, least
from protopick.objects.table import spoken
from protopick.warned import warn

_UNKNOWN = -1.0  # a category that was not there when the metric was fitted


@dataclass(frozen=True)
class Gower(Dissimilarity):
    """The mean over all columns of what two rows differ by in each, from 0 to 1.

    Numbers differ by the share of the range that the column had when the metric was fitted, categories
    by 0 or 1. Where one of both rows has no value, the column is left out, and the mean is taken over
    the others. Two rows that have no known column in common are at 1, and a row without any value is
    refused. Text, booleans and categories of a frame are compared as categories, numbers as numbers
    unless ``categorical`` names their column. ``weights`` has a number for each column, or for some by
    their name, the others having 1. A pandas Series of weights, or of booleans, goes by its labels.
    """

    names: ClassVar[Mapping[str, str]] = {
        "gower": "the mean difference over columns of numbers and of categories (categorical, weights)",
    }
    takes: ClassVar[Any] = "table"

    categorical: Any = ()
    given_weights: Any = None
    dtype: np.dtype = np.dtype(np.float64)
    columns: tuple[Numbers | Categories, ...] = field(default=(), repr=False)  # numbers first
    weights: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)  # in this order

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        params = only(name, params, "categorical", "weights")
        categorical = params.get("categorical")
        if isinstance(categorical, str) or not (categorical is None or hasattr(categorical, "__iter__")):
            raise ValueError(
                f"metric_params has categorical={shown(categorical)}, but metric='gower' needs a list of "
                "columns."
            )
        columns = [
            c.item() if isinstance(c, np.generic) else c for c in (() if categorical is None else categorical)
        ]
        by_label = _is_series(categorical) and _is_mask(columns)
        return cls(categorical if by_label else tuple(columns), params.get("weights"))

    def fit(self, objects: Table) -> Gower:
        weights = self._weight_of(objects)
        categorical = self._categorical_of(objects)
        found: list[Numbers | Categories] = []
        for name, column in objects.columns.items():
            kind = None if name in categorical else objects.kind(name)
            numbers = None if kind is None else _numbers(name, column, weights[name], kind)
            found.append(_categories(objects, name) if numbers is None else numbers)
        columns = tuple(sorted(found, key=lambda column: isinstance(column, Categories)))
        dtypes = [c.dtype for name, c in objects.columns.items() if c.dtype != object or objects.kind(name)]
        dtype = np.result_type(np.float32, *map(arithmetic_dtype, dtypes))
        in_order = np.array([weights[column.name] for column in columns], dtype)
        fitted = replace(self, dtype=dtype, columns=columns, weights=in_order)
        counted = [column.name for column in fitted._counted]
        _refuse_blank(objects, counted)
        _warn_of_strays(objects, [name for name in counted if name not in categorical])
        return fitted

    def encoded_bytes(self, objects: Table) -> int:
        return len(objects) * len(self.columns) * self.dtype.itemsize

    def encode(self, batch: Table) -> np.ndarray:
        values = np.empty((len(batch), len(self.columns)), self.dtype)
        for f, column in enumerate(self.columns):
            column.refuse_other_kind(batch)
            with np.errstate(over="ignore"):  # of the float type of the values
                values[:, f] = column.encode(batch)
        if (np.abs(values) > self._farthest).any():
            self._refuse_far(batch.whole)
        if np.isnan(values[:, self.weights > 0]).all(axis=1).any():
            _refuse_blank(batch.whole, [column.name for column in self._counted])
        return values

    @property
    def _counted(self) -> list[Numbers | Categories]:
        """The columns that have a weight."""
        return [column for column, weight in zip(self.columns, self.weights, strict=True) if weight > 0]

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        n_numbers = sum(isinstance(column, Numbers) for column in self.columns)
        _compare(rows, cols, n_numbers, self.weights, out, at, start)

    @property
    def _farthest(self) -> float:
        """What the place of a value may be, so that no sum of differences is infinite."""
        return float(np.finfo(self.dtype).max) / (2 * len(self.columns))

    def _refuse_far(self, table: Table) -> None:
        """Refuse the first number that is too far from those of the fit."""
        for column in self.columns:
            far = np.abs(column.encode(table)) > self._farthest
            if far.any():
                row = int(np.argmax(far))
                raise ValueError(
                    f"Column {column.name!r} of X holds {table[column.name][row]!s} in row {row}, too far "
                    f"from the numbers in fit for {self.dtype}. Drop the row, or fit to such numbers too."
                )

    def _categorical_of(self, table: Table) -> set[Any]:
        given, names = _by_label(self.categorical, "categorical", table), table.names
        if isinstance(given, dict):
            _refuse_unknown("categorical", given, table)
            return {name for name, is_one in given.items() if is_one}
        if _is_mask(given):
            if len(given) != len(names):
                raise ValueError(
                    f"metric_params has a mask categorical of {len(given)} columns, but X has {len(names)}. "
                    "Pass one for each, or the names of those that are."
                )
            return {name for name, is_one in zip(names, given, strict=True) if is_one}
        for name in given:
            if not isinstance(name, Hashable):
                raise ValueError(
                    f"metric_params has categorical with {name!r} of type {type(name).__name__}. Pass the "
                    "names of columns, or a mask of booleans."
                )
        _refuse_unknown("categorical", given, table)
        return set(given)

    def _weight_of(self, table: Table) -> dict[Any, float]:
        """Return the weights of all columns, the largest brought to about 1: only their ratios matter."""
        given, names = _by_label(self.given_weights, "weights", table), table.names
        if given is None:
            given = {}
        elif not isinstance(given, Mapping):
            given = list(np.ravel(as_array("metric_params['weights']", given)))
            if len(given) != len(names):
                raise ValueError(
                    f"metric_params has {len(given)} weights, but X has {len(names)} columns. "
                    "Pass one for each, or a dict of some."
                )
            given = dict(zip(names, given, strict=True))
        _refuse_unknown("weights", given, table)
        try:
            values = np.array([float(given.get(name, 1.0)) for name in names])
        except (TypeError, ValueError):
            values = np.full(len(names), np.nan)
        if not (np.isfinite(values).all() and (values >= 0).all() and values.any()):
            raise ValueError(
                f"metric_params has weights={shown(self.given_weights)}, but metric='gower' needs numbers of "
                "0 or more that are not all 0."
            )
        scaled = np.ldexp(values, -np.frexp(values.max())[1])  # by a power of two, which rounds nothing
        return dict(zip(names, scaled.tolist(), strict=True))


@dataclass(frozen=True)
class Numbers:
    """A column whose values differ by their share of a range."""

    name: Any
    low: float
    range: float
    weight: float
    kind: str = NUMBERS

    def refuse_other_kind(self, table: Table) -> None:
        """Refuse a column that is of another kind than the fitted one."""
        table.refuse_other_kinds(self.name, self.kind)

    def encode(self, table: Table) -> np.ndarray:
        """Return the place of each value in the range, times the weight."""
        with np.errstate(over="ignore"):
            return above(table[self.name], self.low) / self.range * self.weight


@dataclass(frozen=True)
class Categories:
    """A column whose values are equal or not."""

    name: Any
    codes: Mapping[Any, float]
    kinds: frozenset[str]

    def refuse_other_kind(self, table: Table) -> None:
        """Refuse a column none of whose values is of a kind that was fitted."""
        fitted, new = self.kinds, table.kinds_in(self.name)
        if fitted and new and fitted.isdisjoint(new):
            raise ValueError(
                f"Column {self.name!r} of X was fitted to categories of type {', '.join(sorted(fitted))}, "
                f"but holds {', '.join(sorted(new))} now. Pass it as it was in fit."
            )

    def encode(self, table: Table) -> np.ndarray:
        """Return the number of each category, NaN where it is missing."""
        column = table[self.name]
        if column.dtype != object:
            values, inverse = np.unique(column, return_inverse=True)
            return np.array([self._code(value) for value in values.tolist()], np.float64)[inverse]
        try:
            return np.array([self._code(value) for value in column], np.float64)
        except TypeError:
            _refuse_unhashable(table.whole, self.name)
            raise

    def _code(self, value: Any) -> float:
        code = self.codes.get(value)
        if code is None:
            return np.nan if is_missing(value) else _UNKNOWN
        return code


def _refuse_blank(table: Table, names: list[Any]) -> None:
    """Refuse a row that has a value in none of the columns ``names``."""
    blank = np.ones(len(table), bool)
    for name in names:
        column = table[name]
        if column.dtype == object:
            blank &= np.fromiter(map(is_missing, column), bool, len(column))
        else:
            blank &= np.isnan(column)
        if not blank.any():
            return
    raise ValueError(
        f"X has no known value in row {int(np.argmax(blank))}, so metric='gower' cannot compare it. Drop "
        "rows without values."
    )


def _refuse_unhashable(table: Table, name: Any) -> None:
    """Refuse a value that is no category, as a list is."""
    for i, value in enumerate(table[name]):
        try:
            hash(value)
        except TypeError as error:
            raise TypeError(
                f"Column {name!r} of X holds a {type(value).__name__} in row {i}, which is neither a number "
                "nor a category. Drop the column, or compare it by metric=weighted_sum({...})."
            ) from error


def _refuse_unknown(parameter: str, named: Iterable[Any], table: Table) -> None:
    """Refuse a name that a parameter has for a column, where X has none of it."""
    for name in named:
        if name not in table.columns:
            raise ValueError(
                f"metric_params has {parameter} with {name!r}, but X has no such column. Its columns are "
                f"{', '.join(map(repr, table.names))}."
            )


def _warn_of_strays(table: Table, names: list[Any]) -> None:
    """Warn of columns that would be numbers or times, but for some values."""
    strays = {name: found for name in names if (found := table.stray(name)) is not None}
    if not strays:
        return
    told = [
        f"Column {name!r} of X holds {kind}, but {spoken(table[name][row])} in row {row}."
        for name, (kind, row) in strays.items()
    ]
    warn(
        f"{' '.join(told)} metric='gower' only tells whether values of such a column are equal. Clean it, or "
        f"name it in metric_params={{'categorical': {list(strays)}}} if it holds categories."
    )


def _is_series(value: Any) -> bool:
    """Say whether something is a column of pandas, which has labels, without importing it."""
    return hasattr(value, "iloc") and getattr(value, "ndim", 0) == 1


def _is_mask(given: Any) -> bool:
    return len(given) > 0 and all(isinstance(one, (bool, np.bool_)) for one in given)


def _by_label(given: Any, parameter: str, table: Table) -> Any:
    """Return a column of pandas as a dict, or as a list where its labels are places; others as they are."""
    if not _is_series(given):
        return given
    labels, values = given.index.tolist(), given.tolist()
    are_places = labels == list(range(len(labels)))
    if are_places and (
        table.columns.keys().isdisjoint(labels) or table.names == list(range(len(table.names)))
    ):
        return values
    if len(set(labels)) < len(labels):
        raise ValueError(
            f"metric_params has {parameter} with the labels {labels}, one of them repeated. Name each column "
            "once."
        )
    return dict(zip(labels, values, strict=True))


def _numbers(name: Any, column: np.ndarray, weight: float, kind: str) -> Numbers | None:
    """Return None for a column without a range: its values are equal or not."""
    if column.dtype.kind == "f" and np.isnan(column).all():
        return None
    low = least(column)
    differences = above(column, low)
    range = float(np.nanmax(differences) - np.nanmin(differences))
    if np.isinf(range):
        raise ValueError(
            f"Column {name!r} of X has a range that is too large for float64. Divide its numbers by 2."
        )
    return Numbers(name, low, range, weight, kind) if range > 0 else None


def _categories(table: Table, name: Any) -> Categories:
    column = table[name]
    values = np.unique(column).tolist() if column.dtype != object else column
    codes: dict[Any, float] = {}
    try:
        for value in values:
            if value not in codes and not is_missing(value):
                codes[value] = float(len(codes))
    except TypeError:
        _refuse_unhashable(table, name)
        raise
    return Categories(name, codes, frozenset(table.kinds_in(name)))


@kernel(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _compare(rows, cols, n_numbers, weights, out, at, start):  # type: ignore[no-untyped-def]
    n_rows, n_columns = rows.shape
    zero = rows.dtype.type(0)
    for j in range(cols.shape[0]):
        y = cols[j]
        target = out[at[j], start : start + n_rows]
        for i in range(n_rows):
            x = rows[i]
            total = known = zero
            for f in range(n_numbers):
                difference = abs(x[f] - y[f])
                both = difference == difference  # no NaN
                total += difference if both else zero
                known += weights[f] if both else zero
            for f in range(n_numbers, n_columns):
                both = (x[f] == x[f]) & (y[f] == y[f])
                total += weights[f] if both & (x[f] != y[f]) else zero
                known += weights[f] if both else zero
            target[i] = total / known if known > 0 else rows.dtype.type(1)
