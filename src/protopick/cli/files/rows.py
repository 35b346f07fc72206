"""A table whose rows are the objects: which columns are compared, and as what."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

import numpy as np

from protopick.cli.files.arrow import (
    arrow,
    innermost,
    is_list,
    is_number,
    is_text,
    is_time,
    numbers,
    told,
)
from protopick.cli.files.lists import OF_SETS, found_in_lists
from protopick.cli.files.source import FileError, Found, listed
from protopick.cli.files.vectors import span_in, takes_gaps
from protopick.dissimilarity import taken_by
from protopick.objects import Stored

_SMALL = ("halffloat", "float", "int8", "uint8", "int16", "uint16", "bool")  # float32 holds them exactly
_FEW = 5


@dataclass(frozen=True)
class _Needs:
    """What a metric compares that one column holds."""

    what: str
    fits: Callable[[Any], bool]
    """Whether a column of this type does."""

    or_numbers: bool = False
    """Whether a row of numbers does too."""


def _has_numbers(kind: Any) -> bool:
    return is_list(kind) and is_number(innermost(kind))


def _has_points(kind: Any) -> bool:
    return _has_numbers(kind) and is_list(kind.value_type)


def _has_elements(kind: Any) -> bool:
    return is_list(kind) and not is_list(kind.value_type)


_SETS = _Needs("sets, a list or a row of 0 and 1 for each object", _has_elements, or_numbers=True)
_NEEDS = {  # by what a metric takes, or by its name
    "strings": _Needs("strings, one for each object", is_text),
    "series": _Needs("series, a list or a row of numbers for each object", _has_numbers, or_numbers=True),
    "mdf": _Needs("streamlines, a list of points for each object", _has_points),
    **dict.fromkeys(OF_SETS, _SETS),
}


class Rows:
    """A table whose rows are the objects.

    Parameters
    ----------
    table : pyarrow.Table, or anything with a ``schema`` and ``num_rows``
        The table.
    where : str
        The file, for messages.
    batches : callable, optional
        Reads the columns that it gets, some rows at a time.
    remarks : sequence of str
        What the user should know of how the file was read.
    stored : callable, optional
        Returns the columns that it gets as rows that stay in their file, None where they are few. Its second
        argument says whether gaps are values.
    """

    def __init__(
        self,
        table: Any,
        where: str,
        batches: Callable[[list[str]], Iterator[Any]] | None = None,
        remarks: Sequence[str] = (),
        stored: Callable[[list[str], bool], Stored | None] | None = None,
    ) -> None:
        self._stored = stored
        self._schema, self._n, self._where, self._remarks = table.schema, table.num_rows, where, remarks
        self.names = list(table.schema.names)
        self._batches = batches or (lambda names: iter(table.select(names).to_batches()))
        if self._n == 0 or not self.names:
            raise FileError(f"{where} is empty: it has {self._n} rows and {len(self.names)} columns.")
        repeated = sorted(name for name, times in Counter(self.names).items() if times > 1)
        if repeated:
            raise FileError(f"{where} has several columns called {repeated[0]!r}. Rename all but one.")

    def column(self, name: str) -> np.ndarray:
        """Return one value for each row."""
        values = self._read([name]).column(0).to_pylist()
        blank = [i for i, value in enumerate(values) if value is None or value == ""]
        if blank:
            row = blank[0]
            raise FileError(
                f"{self._where}: column {name!r} has no value in row {row} (counted from 0). Give it one, or "
                "leave the row out."
            )
        return np.array(values)

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return strings, lists or rows of numbers, or rows of anything."""
        names, remarks = self._chosen(columns, without)
        if len(names) == 1:
            alone = self._one_column(names[0], metric)
            if alone is not None:
                return replace(alone, notes=remarks)
        self._refuse_several(names, without, metric)
        self._refuse_nested(names)
        remarks += self._on_names(names)
        if taken_by(metric) == "table":
            return Found(self._read(names), str(metric), names=names, notes=remarks)
        others = [name for name in names if not is_number(self._schema.field(name).type)]
        if others and metric is not None:
            raise FileError(
                f"--metric={metric} compares numbers, but {self._where} has other columns: "
                f"{listed(others)}. Leave them out by --columns, or compare all kinds by --metric gower."
            )
        if others:
            times = [name for name in others if is_time(self._schema.field(name).type)]
            rest = [name for name in others if name not in times]
            why = f"columns that are no numbers: {listed(rest)}" if rest else f"times in {listed(times)}"
            return Found(self._read(names), "gower", why, names, notes=remarks)
        rows = None if self._stored is None else self._stored(names, takes_gaps(metric))
        if rows is not None:
            return Found(rows, "euclidean", names=names, notes=remarks)
        matrix = self._matrix(names)
        missing = _those(names, np.isnan(matrix.min(axis=0)))
        if missing and metric is None:
            why = f"missing values in {listed(missing)}"
            return Found(self._read(names), "gower", why, names, notes=remarks)
        if missing and not takes_gaps(metric):
            raise FileError(
                f"--metric={metric} needs all values, but {self._where} lacks some in {listed(missing)}. "
                "Leave these columns out by --columns, or compare what is there by --metric gower or "
                "nan_euclidean."
            )
        return Found(matrix, "euclidean", names=names, notes=remarks)

    def _chosen(
        self, columns: Sequence[str] | None, without: Sequence[str]
    ) -> tuple[list[str], tuple[str, ...]]:
        """Return what is compared, and a word on what is not."""
        asked, (columns, apart) = columns, self._named(columns or (), without)
        if asked and not columns:
            raise FileError(
                f"--columns has only {listed(apart)} of {self._where}, which tells the labels or names, so "
                "there is nothing to compare. Name other columns."
            )
        left = [name for name in self.names if name not in without]
        blank = [name for name in columns or left if arrow().types.is_null(self._schema.field(name).type)]
        if columns and blank:
            raise FileError(f"--columns: {self._where} has no values in {listed(blank)}. Leave it out.")
        index = self._index(left)
        apart_from = {*blank, *index}
        names = list(columns or (name for name in left if name not in apart_from))
        if not names:
            beside = f" beside {listed(list(without))}" if without else ""
            raise FileError(f"{self._where} has no column left to compare{beside}.")
        remarks = list(self._remarks)
        if apart:
            remarks.append(f"Left out, since it tells the labels or names: {listed(apart)}.")
        if blank:
            remarks.append(f"Left out, since without any value: {listed(blank)}.")
        if index and not columns:
            remarks.append(
                f"Left out, since an index: {listed(index)}. To show it, pass --ids {quote(index[0])}."
            )
        return names, tuple(remarks)

    def _named(self, columns: Sequence[str], without: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the names of columns; a number or a span counts where no column is called so.

        Beside them, those ``without`` that a span has. One that is named is refused.
        """
        names: list[str] = []
        known = set(self.names)
        for text in columns:
            counted = [self.names[j] for j in span_in(text, len(self.names))]
            found = [text] if text in known else counted
            if len(found) == 1 and found[0] in without:
                raise FileError(
                    f"--columns has {text!r}, but column {found[0]!r} of {self._where} tells the labels or "
                    "names: to compare by it says nothing. Leave it out."
                )
            if not found:
                raise FileError(
                    f"{self._where} has no column {text!r} to compare. It has {listed(self.names, 20)}. "
                    f"Name them, or give numbers from 0 to {len(self.names) - 1}, or spans such as "
                    f"0:{len(self.names)}."
                )
            names += found
        names = list(dict.fromkeys(names))
        return [name for name in names if name not in without], [name for name in names if name in without]

    def _index(self, names: list[str]) -> list[str]:
        """Return those of the columns that were the index of a pandas frame."""
        about = json.loads((self._schema.metadata or {}).get(b"pandas", b"{}"))
        index = [name for name in about.get("index_columns", ()) if isinstance(name, str)]
        return [name for name in names if name in index]

    def _refuse_nested(self, names: list[str]) -> None:
        types = arrow().types
        nested = [name for name in names if types.is_nested(self._schema.field(name).type)]
        if nested:
            kind = self._schema.field(nested[0]).type
            raise FileError(
                f"{self._where}: column {nested[0]!r} holds a {kind} in each row, which cannot be compared "
                "beside other columns. Leave it out by --columns, or name it alone if it holds lists."
            )

    def _one_column(self, name: str, metric: str | None) -> Found | None:
        """Return what is in the only column, if it is strings or lists."""
        kind = self._schema.field(name).type
        if is_text(kind) and taken_by(metric) != "table":
            return Found(self.column(name).tolist(), "levenshtein", f"strings in {name!r}", names=[name])
        if not is_list(kind):
            return None
        lists = self._read([name]).column(0).combine_chunks()
        found = found_in_lists(lists, None, metric, f"{name} in {self._where}")
        return replace(found, names=[name], why=f"{found.why} in {name!r}" if found.why else "")

    def _refuse_several(self, names: list[str], without: Sequence[str], metric: str | None) -> None:
        """Refuse columns where a metric compares what one column holds, and say which would do."""
        needs = _NEEDS.get(str(metric)) or _NEEDS.get(taken_by(metric) or "")
        kinds = {name: self._schema.field(name).type for name in self.names if name not in without}
        if needs is None or (needs.or_numbers and all(is_number(kinds[name]) for name in names)):
            return
        fitting = [name for name, kind in kinds.items() if needs.fits(kind)]
        those_of_numbers = [name for name, kind in kinds.items() if is_number(kind)]
        if fitting:
            way_out = f"Choose one of these by --columns: {listed(fitting)}."
        elif needs.or_numbers and those_of_numbers:
            way_out = f"Choose those of numbers by --columns: {listed(those_of_numbers)}."
        else:
            way_out = "No column holds that; `protopick metrics` tells which metrics suit others."
        given = f"{listed(names)} of {self._where}"
        raise FileError(f"--metric={metric} compares {needs.what}, but is given {given}. {way_out}")

    def _matrix(self, names: list[str]) -> np.ndarray:
        small = all(str(self._schema.field(name).type) in _SMALL for name in names)
        matrix = np.empty((self._n, len(names)), np.float32 if small else np.float64)
        start = 0
        with told(self._where):
            for batch in self._batches(names):
                for j, name in enumerate(names):
                    matrix[start : start + len(batch), j] = numbers(batch.column(name))
                start += len(batch)
        ends = np.fmin.reduce(matrix), np.fmax.reduce(matrix)  # NaN is told later
        infinite = _those(names, np.isinf(ends[0]) | np.isinf(ends[1]))
        if infinite:
            raise FileError(
                f"{self._where} holds infinity in {listed(infinite)}, which nothing can be compared with. "
                "Leave these columns out by --columns, or the rows out of the file."
            )
        return matrix

    def _read(self, names: list[str]) -> Any:
        with told(self._where):
            batches = list(self._batches(names))
            return arrow().Table.from_batches(batches).select(names)

    def _on_names(self, names: list[str]) -> tuple[str, ...]:
        """Return a word on columns that look like names of the rows."""
        for name in names:
            kind = str(self._schema.field(name).type)
            if (
                self._n > _FEW
                and name.lower() in ("", "id", "index", "unnamed: 0")
                and kind in ("int64", "string")
            ):
                said = f"Column {name!r} looks like a name of each row, but is compared."
                return (f"{said} If it is one, pass --ids {quote(name)}.",)
        return ()


def _those(names: list[str], which: np.ndarray) -> list[str]:
    return [names[j] for j in np.flatnonzero(which)]
