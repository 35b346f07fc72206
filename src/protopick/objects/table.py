"""Tables whose columns are of different kinds: numbers, categories, text, anything."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from protopick.objects.columns import CATEGORIES, NUMBERS, stray, typed
from protopick.objects.frames import columns_of, is_frame
from protopick.objects.sequence import ObjectSequence, as_objects, is_row


class Table:
    """Named columns of the same length; its objects are the rows.

    A column is an array of numbers, NaN where one is missing, or an array of Python objects, None
    where one is missing.

    Examples
    --------
    >>> eyes = np.array(["blue", "brown", None], object)
    >>> table = Table({"age": np.array([30.0, 41.0, 25.0]), "eyes": eyes})
    >>> table[[2, 0]]["eyes"].tolist()
    [None, 'blue']
    """

    def __init__(
        self,
        columns: Mapping[Any, np.ndarray],
        kinds: Mapping[Any, str] | None = None,
        whole: Table | None = None,
    ) -> None:
        self.columns = dict(columns)
        self.kinds = dict(kinds or {})  # of columns whose type does not tell it, and of declared categories
        self._whole = whole

    @property
    def whole(self) -> Table:
        """What this is a stretch of, so that an error can say where in that something is."""
        return self if self._whole is None else self._whole

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.columns, self.kinds)

    @property
    def names(self) -> list[Hashable]:
        """The names of the columns; their numbers where an array has none."""
        return list(self.columns)

    @property
    def nbytes(self) -> int:
        """The memory that the columns take."""
        return sum(column.nbytes for column in self.columns.values())

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, which: Any) -> Any:
        """Return a column by its name, or a table of some rows."""
        if isinstance(which, (slice, np.ndarray, list)):
            some = {name: column[which] for name, column in self.columns.items()}
            return Table(some, self.kinds, self.whole if isinstance(which, slice) else None)
        if which in self.columns:
            return self.columns[which]
        raise ValueError(
            f"X has no column {which!r}, but metric compares it. Its columns are "
            f"{', '.join(map(repr, self.names))}."
        )

    def kind(self, name: Any) -> str | None:
        """Return what the numbers of a column count, such as times; None for text and other objects."""
        kind = self.kinds.get(name, NUMBERS if self[name].dtype.kind in "iuf" else None)
        return None if kind == CATEGORIES else kind

    def stray(self, name: Any) -> tuple[str, int] | None:
        """Return what kind of numbers a column mixes with others, and the row of the first other.

        None where it does not, or where a frame says that these are categories.
        """
        may_mix = self.columns[name].dtype == object and name not in self.kinds
        return stray(self.columns[name]) if may_mix else None

    def part(self, names: Iterable[Any]) -> Table:
        """Return a table of some columns."""
        names = list(names)
        whole = None if self.whole is self else self.whole.part(names)
        return Table({name: self[name] for name in names}, self.kinds, whole)

    def kinds_in(self, name: Any) -> set[str]:
        """Return the kinds of the values that a column has; of other objects, the names of their types."""
        column, kind = self[name], self.kind(name)
        if kind is not None:
            return set() if column.dtype.kind == "f" and np.isnan(column).all() else {kind}
        if column.dtype.kind == "b":
            return {"bool"}
        return {_kind_of(one) for one in set(map(type, column)) - {type(None)}}

    def refuse_other_kinds(self, name: Any, fitted: str) -> None:
        """Refuse a column that held values of one kind in fit, and holds others now."""
        others = self.kinds_in(name) - {fitted}
        if others:
            raise ValueError(
                f"Column {name!r} of X was fitted as {fitted}, but holds {', '.join(sorted(others))} now. "
                f"Pass {fitted}."
            )


def _kind_of(one: type) -> str:
    return NUMBERS if issubclass(one, (Real, Decimal)) and not issubclass(one, bool) else one.__name__


def as_table(X: Any) -> Table:
    """Return a data frame, a numeric matrix or a list of rows as a `Table`."""
    if isinstance(X, Table):
        return X
    if sparse.issparse(X):
        raise ValueError("X is sparse, but metric compares tables column by column. Pass X.toarray().")
    if is_frame(X):
        table = Table(*columns_of(X))
        _refuse_infinite(table)
    else:
        table = _of_rows(X)
    if not table.columns or len(table) == 0:
        raise ValueError("X has no rows or no columns. Pass a table with at least one of each.")
    return table


def _of_rows(X: Any) -> Table:
    rows = X if isinstance(X, np.ndarray) else as_objects(X)
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf":
        rows = check_array(rows, dtype="numeric", ensure_all_finite="allow-nan", ensure_min_features=1)
        return Table({j: rows[:, j] for j in range(rows.shape[1])})
    if isinstance(rows, ObjectSequence):
        rows = _matrix(rows.items)
    if not isinstance(rows, np.ndarray) or rows.ndim != 2:
        raise ValueError(
            "X is no table, but metric compares tables. Pass a data frame, a matrix, or a list of rows."
        )
    table = Table(*typed({j: rows[:, j] for j in range(rows.shape[1])}))
    _refuse_infinite(table)
    return table


def _matrix(rows: list[Any]) -> np.ndarray:
    width = None
    for i, row in enumerate(rows):
        if not is_row(row):
            raise TypeError(
                f"X[{i}] is of type {type(row).__name__}, but metric compares rows of a table. Pass a data "
                "frame, or a list of rows in the same order of columns."
            )
        width = len(row) if width is None else width
        if len(row) != width:
            raise ValueError(
                f"X[{i}] has {len(row)} values, but X[0] has {width}. Rows need the same columns."
            )
    matrix = np.empty((len(rows), width or 0), object)
    for i, row in enumerate(rows):
        matrix[i] = row
    return matrix


def _refuse_infinite(table: Table) -> None:
    for name, column in table.columns.items():
        if column.dtype.kind == "f" and np.isinf(column).any():
            i = int(np.flatnonzero(np.isinf(column))[0])
            raise ValueError(f"Column {name!r} of X contains infinity in row {i}. Replace or drop it.")


def spoken(value: Any) -> str:
    """Return what a value is, for an error that refuses it.

    Examples
    --------
    >>> spoken("x")
    "'x' of type str"
    """
    return "missing (None)" if value is None else f"{value!r:.40} of type {type(value).__name__}"
