"""Tables: ``.csv``, ``.tsv``, ``.parquet`` and ``.feather``, read by pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.source import FileError, Found, Opened, Options, Source, named, needed
from protopick.cli.files.vectors import found_in
from protopick.dissimilarity import METRICS
from protopick.objects import Ragged

_DELIMITERS = ",;\t|"
_SMALL = ("halffloat", "float", "int8", "uint8", "int16", "uint16", "bool")  # float32 holds them exactly
_SHOWN = 5


def _arrow() -> Any:
    with needed("pyarrow", "Tables"):
        import pyarrow as pa
        import pyarrow.types
    return pa


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
    """

    def __init__(
        self, table: Any, where: str, batches: Callable[[list[str]], Iterator[Any]] | None = None
    ) -> None:
        self._schema, self._n, self._where = table.schema, table.num_rows, where
        self._batches = batches or (lambda names: iter(table.select(names).to_batches()))
        if self._n == 0 or not self.names:
            raise FileError(f"{where} is empty: it has {self._n} rows and {len(self.names)} columns.")
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated:
            raise FileError(f"{where} has several columns called {repeated[0]!r}. Rename all but one.")

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self._schema.names)

    def column(self, name: str) -> np.ndarray:
        """Return one value for each row."""
        values = self._read([name]).column(0).to_pylist()
        blank = [i for i, value in enumerate(values) if value is None or value == ""]
        if blank:
            row = blank[0]
            raise FileError(f"{self._where}: column {name!r} has no value in row {row} (counted from 0).")
        return np.array(values)

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return strings, lists or rows of numbers, or rows of anything."""
        names = self._chosen(columns, without)
        takes = METRICS[metric].takes if metric in METRICS else None
        if len(names) == 1:
            alone = self._one_column(names[0], takes)
            if alone is not None:
                return alone
        if takes == "table":
            return Found(self._read(names), str(metric), names=names, notes=self._notes(names))
        others = [name for name in names if not _is_number(self._schema.field(name).type)]
        if others and metric is not None:
            raise FileError(
                f"--metric={metric} compares numbers, but {self._where} has other columns: "
                f"{_listed(others)}. Leave them out by --columns, or compare all kinds by --metric gower."
            )
        if others:
            why = f"columns that are no numbers: {_listed(others)}"
            return Found(self._read(names), "gower", why, names, notes=self._notes(names))
        matrix = self._matrix(names)
        missing = [name for name, has in zip(names, np.isnan(matrix).any(axis=0), strict=True) if has]
        if missing and metric is None:
            return Found(matrix, "gower", f"missing values in {_listed(missing)}", names)
        return Found(matrix, "euclidean", names=names, notes=self._notes(names))

    def _chosen(self, columns: Sequence[str] | None, without: Sequence[str]) -> list[str]:
        unknown = [name for name in columns or () if name not in self.names]
        if unknown:
            raise FileError(
                f"--columns: {self._where} has no column {unknown[0]!r}. It has {_listed(self.names, 20)}."
            )
        names = list(columns) if columns else [name for name in self.names if name not in without]
        if not names:
            raise FileError(f"{self._where} has no column left to compare beside {_listed(list(without))}.")
        return names

    def _one_column(self, name: str, takes: str | None) -> Found | None:
        """Return what is in the only column, if it is strings or lists."""
        pa = _arrow()
        kind = self._schema.field(name).type
        if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and takes != "table":
            return Found(self.column(name).tolist(), "levenshtein", f"strings in {name!r}", names=None)
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
            return None
        lists = self._read([name]).column(0).combine_chunks()
        if not _is_number(kind.value_type) or lists.null_count:
            raise FileError(f"{self._where}: column {name!r} holds lists of other things than numbers.")
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
        points = _numbers(lists.flatten())
        if (lengths == lengths[0]).all():
            where = f"{name} in {self._where}"
            metric = "dtw" if takes == "series" else None
            return found_in(points.reshape(len(lists), -1), None, metric, where)
        series = Ragged(points, np.concatenate([[0], np.cumsum(lengths)]))
        return Found(series, "dtw", f"series of unequal length in {name!r}")

    def _matrix(self, names: list[str]) -> np.ndarray:
        small = all(str(self._schema.field(name).type) in _SMALL for name in names)
        matrix = np.empty((self._n, len(names)), np.float32 if small else np.float64)
        start = 0
        with _told(self._where):
            for batch in self._batches(names):
                for j, name in enumerate(names):
                    matrix[start : start + len(batch), j] = _numbers(batch.column(name))
                start += len(batch)
        return matrix

    def _read(self, names: list[str]) -> Any:
        with _told(self._where):
            batches = list(self._batches(names))
            return _arrow().Table.from_batches(batches).select(names)

    def _notes(self, names: list[str]) -> tuple[str, ...]:
        """Return a word on columns that look like names of the rows."""
        for name in names:
            kind = str(self._schema.field(name).type)
            if (
                self._n > _SHOWN
                and name.lower() in ("", "id", "index", "unnamed: 0")
                and kind in ("int64", "string")
            ):
                return (
                    f"Column {name!r} looks like a name of each row, but is compared. Pass --ids={name}.",
                )
        return ()


def open_delimited(file: Opened, options: Options, delimiter: str | None = None) -> Source:
    """Open a table as text. Without a line of names, the columns are called 0, 1, 2 and so on."""
    from pyarrow import csv

    where = named(file)
    data = file if isinstance(file, Path) else _arrow().py_buffer(file.read())
    first = _first_line(data)
    if not first.strip():
        raise FileError(f"{where} is empty. It should hold a table, its first line the names of the columns.")
    delimiter = delimiter or max(_DELIMITERS, key=first.count)
    header = options.header and not all(map(_reads_as_number, first.split(delimiter)))
    read = csv.ReadOptions(autogenerate_column_names=not header)
    with _told(where):
        source = str(data) if isinstance(data, Path) else _arrow().BufferReader(data)
        table = csv.read_csv(source, read, csv.ParseOptions(delimiter=delimiter, newlines_in_values=True))
    if not header:
        table = table.rename_columns([str(j) for j in range(table.num_columns)])
    return Rows(table, where)


def open_tabbed(file: Opened, options: Options) -> Source:
    """Open a table whose columns are parted by tabs."""
    return open_delimited(file, options, "\t")


def open_parquet(file: Opened, options: Options) -> Source:
    """Open a Parquet file, or a folder of them. Only the columns that are needed are read, in blocks."""
    pa = _arrow()
    from pyarrow import dataset

    where = named(file)
    with _told(where):
        if isinstance(file, Path):
            rows = dataset.dataset(str(file), format="parquet")
            return Rows(_Counted(rows.schema, rows.count_rows()), where, partial(_blocks, rows))
        from pyarrow import parquet

        return Rows(parquet.read_table(pa.BufferReader(file.read())), where)


def open_feather(file: Opened, options: Options) -> Source:
    """Open a Feather file, mapped where it is not compressed."""
    from pyarrow import feather

    where = named(file)
    with _told(where):
        source = str(file) if isinstance(file, Path) else _arrow().BufferReader(file.read())
        return Rows(feather.read_table(source, memory_map=isinstance(file, Path)), where)


def table_of_records(records: list[dict[str, Any]], where: str) -> Any:
    """Return records as a table; a field that one lacks is missing there."""
    with _told(where):
        names = list(dict.fromkeys(name for record in records for name in record))
        return _arrow().table({name: [record.get(name) for record in records] for name in names})


class _Counted:
    """What `Rows` has to know of a table that is not read yet."""

    def __init__(self, schema: Any, num_rows: int) -> None:
        self.schema, self.num_rows = schema, num_rows


def _blocks(rows: Any, names: list[str]) -> Iterator[Any]:
    """Read columns of a dataset block by block, in their order."""
    return iter(rows.to_batches(columns=names, batch_readahead=1, fragment_readahead=1))


@contextmanager
def _told(where: str) -> Iterator[None]:
    pa = _arrow()
    try:
        yield
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise FileError(f"{where} cannot be read: {reason}.") from error


def _first_line(data: Any) -> str:
    if isinstance(data, Path):
        with data.open("rb") as file:
            line = file.readline(1 << 20)
    else:
        line = bytes(data[: 1 << 20]).partition(b"\n")[0]
    return line.decode("utf-8-sig", errors="replace").strip("\r\n")


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_number(kind: Any) -> bool:
    types = _arrow().types
    return (
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    )


def _numbers(column: Any) -> np.ndarray:
    """Return a column as numbers, NaN where one is missing."""
    pa = _arrow()
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        column = column.cast(pa.float64() if pa.types.is_decimal(column.type) else pa.int8())
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values


def _listed(names: Sequence[str], most: int = _SHOWN) -> str:
    more = len(names) - most
    return ", ".join(map(repr, names[:most])) + (f" and {more} more" if more > 0 else "")
