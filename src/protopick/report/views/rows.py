"""Rows of numbers and rows of tables."""

from __future__ import annotations

import datetime
import math
import warnings
from collections import Counter
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from protopick.objects import Table, take
from protopick.objects.columns import is_missing
from protopick.objects.frames import is_frame, lists_of
from protopick.report.views.base import View, evenly, shortened

_CARD_CELLS, _SMALL_CELLS = 8, 6
_FEW_COLUMNS = 12
_BARS = 100
_MOST_ROWS, _LEARNT_FROM = 1000, 10**7  # rows, and numbers in them
_CARD_LENGTH, _SMALL_LENGTH, _NAME_LENGTH = 72, 32, 32
_MISSING = "\u2013"


@dataclass(frozen=True)
class Vectors(View):
    """Rows of numbers; of wide ones the columns in which prototypes differ most, and all as bars."""

    objects: Any
    names: list[str]
    columns: np.ndarray  # those shown
    mean: np.ndarray
    spread: np.ndarray

    noun: ClassVar[str] = "rows"

    @classmethod
    def of(cls, objects: Any, prototypes: np.ndarray, names: Any) -> Vectors:
        width = objects.shape[1]
        n_rows = max(2, min(_MOST_ROWS, _LEARNT_FROM // width))
        some = np.asarray(objects[evenly(len(objects), n_rows)], np.float64)
        picked = np.asarray(objects[prototypes], np.float64)
        with warnings.catch_warnings():  # of columns that are missing in all of these rows
            warnings.simplefilter("ignore", RuntimeWarning)
            mean, spread = np.nanmean(some, axis=0), np.nanstd(some, axis=0)
            judged = picked if len(picked) > 2 else some
            columns = _telling(judged - np.nanmedian(judged, axis=0))
        return cls(objects, _column_names(names, width), columns, mean, spread)

    @property
    def note(self) -> str | None:
        if len(self.columns) == len(self.names):
            return None
        return (
            f"{_which_columns(len(self.names))} The bars are all columns in their order, up above the mean "
            "and down below it, by standard deviations."
        )

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        names = [self.names[c] for c in self.columns]
        rows = np.asarray(self.objects[which])
        wide = len(self.columns) < len(self.names)
        return [
            {
                "kind": "row",
                "cells": [[n, _value(v)] for n, v in zip(names, row[self.columns].tolist(), strict=True)],
                "left_off": len(self.names) - len(names),
                "bars": self._bars(row) if wide else None,
            }
            for row in rows
        ]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        shown = self.columns[:_SMALL_CELLS]
        rows = np.asarray(self.objects[which])[:, shown].tolist()
        cells = [[_value(value, _SMALL_LENGTH) for value in row] for row in rows]
        return {"kind": "rows", "names": [self.names[c] for c in shown], "cells": cells}

    def _bars(self, row: np.ndarray) -> list[int]:
        """Return all columns as percents of three standard deviations; many share their bars."""
        scaled = np.nan_to_num((row - self.mean) / np.where(self.spread > 0, self.spread, np.inf))
        edges = np.linspace(0, len(row), min(len(row), _BARS) + 1).astype(int)
        means = np.add.reduceat(scaled, edges[:-1]) / np.diff(edges)
        return np.rint(np.clip(means / 3, -1, 1) * 100).astype(int).tolist()


@dataclass(frozen=True)
class TableRows(View):
    """Rows of a table of any columns, as the user passed it; of wide ones where prototypes differ most."""

    X: Any
    table: Table
    shown: list[Any]  # names of columns

    noun: ClassVar[str] = "rows"

    @classmethod
    def of(cls, X: Any, table: Table, prototypes: np.ndarray) -> TableRows:
        some = table[evenly(len(table), _MOST_ROWS)]
        judged = table[prototypes] if len(prototypes) > 2 else some
        with warnings.catch_warnings():  # of columns that are missing in all of these rows
            warnings.simplefilter("ignore", RuntimeWarning)
            deviations = [_deviations(judged[name], some[name]) for name in table.names]
            columns = _telling(np.column_stack(deviations))
        return cls(X, table, [table.names[c] for c in columns])

    @property
    def note(self) -> str | None:
        width = len(self.table.names)
        return _which_columns(width) if len(self.shown) < width else None

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        columns = self._columns(which, self.shown)
        left_off = len(self.table.names) - len(columns)
        return [
            {
                "kind": "row",
                "cells": [[_name(name), _value(values[i])] for name, values in columns.items()],
                "left_off": left_off,
                "bars": None,
            }
            for i in range(len(which))
        ]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        columns = self._columns(which, self.shown[:_SMALL_CELLS])
        cells = [[_value(values[i], _SMALL_LENGTH) for values in columns.values()] for i in range(len(which))]
        return {"kind": "rows", "names": [_name(name) for name in columns], "cells": cells}

    def _columns(self, which: np.ndarray, names: list[Any]) -> dict[Any, list[Any]]:
        if is_frame(self.X):  # dates are numbers in the checked table
            lists = lists_of(take(self.X, self.table, which))
            return {name: lists[name] for name in names}
        return {name: self.table[name][which].tolist() for name in names}


@dataclass(frozen=True)
class SparseRows(View):
    """The largest entries of sparse rows."""

    objects: Any
    columns: Any  # names, or None

    noun: ClassVar[str] = "rows"

    @property
    def note(self) -> str | None:
        return "The entries that are farthest from 0."

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        found = []
        for i in which.tolist():
            cells = self._largest(i, _CARD_CELLS)
            left_off = self.objects[[i]].nnz - len(cells)
            found.append({"kind": "row", "cells": cells, "left_off": left_off, "bars": None})
        return found

    def small(self, which: np.ndarray) -> dict[str, Any]:
        return {"kind": "pairs", "cells": [self._largest(i, _SMALL_CELLS) for i in which.tolist()]}

    def _largest(self, i: int, most: int) -> list[list[str]]:
        row = self.objects[[i]].tocsr()
        largest = np.argsort(-np.abs(row.data.astype(np.float64)), kind="stable")[:most]
        places, values = row.indices[largest].tolist(), row.data[largest].tolist()
        return [
            [f"column {c}" if self.columns is None else _name(self.columns[c]), _value(v)]
            for c, v in zip(places, values, strict=True)
        ]


def _telling(deviations: np.ndarray) -> np.ndarray:
    """Return the columns to show, given how far each row is from the middle one in each column.

    All columns where they are few, else those in which rows usually differ most; constant ones come last.
    """
    width = deviations.shape[1]
    if width <= _FEW_COLUMNS:
        return np.arange(width)
    # The usual difference, not the largest: columns that are nearly always 0 tell little.
    usual = np.nanmedian(np.abs(deviations), axis=0)
    differ = np.nan_to_num(np.stack([np.nanvar(deviations, axis=0), usual]))
    return np.sort(np.lexsort(-differ)[:_CARD_CELLS])


def _deviations(values: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return how far values of a column are from the middle one, from 0 to 1 so that columns compare.

    Numbers by the range of the column; of others, which are told by what the card says, the middle is the
    most frequent, and all others are as far from it.
    """
    if values.dtype.kind not in "biuf":
        said = [_value(value) for value in values.tolist()]
        most_frequent = Counter(said).most_common(1)[0][0]
        return np.array([float(one != most_frequent) for one in said])
    numbers, known = values.astype(np.float64), np.concatenate([values, some]).astype(np.float64)
    span = np.nanmax(known) - np.nanmin(known)
    return (numbers - np.nanmedian(numbers)) / (span if span > 0 else np.inf)


def _which_columns(width: int) -> str:
    return f"Of {width:,} columns, the {_CARD_CELLS} in which the prototypes differ most."


def _column_names(names: Any, width: int) -> list[str]:
    if names is None:
        return [f"column {c}" for c in range(width)]
    return [_name(name) for name in names]


def _name(name: Any) -> str:
    return f"column {name}" if isinstance(name, Integral) else shortened(str(name), _NAME_LENGTH)


def _value(value: Any, longest: int = _CARD_LENGTH) -> str:
    """Return a value of a table as people write it, text of at most so many characters."""
    if is_missing(value):
        return _MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{int(value):,}"
    if isinstance(value, Real):
        return _number(float(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "minutes").removesuffix(" 00:00")
    return shortened(str(value), longest)


def _number(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"
