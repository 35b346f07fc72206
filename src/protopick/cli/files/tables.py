"""Open ``.csv``, ``.tsv``, ``.parquet`` and ``.feather``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from protopick.cli.files.arrow import arrow, is_text, told
from protopick.cli.files.dialect import CONVERT, HEAD, Dialect, dialect_of
from protopick.cli.files.lines import Glance, check_even, check_quotes, count_blank, glance_at
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import (
    FileError,
    Opened,
    Options,
    Source,
    listed,
    named,
    on_blank_lines,
    shown_in,
)
from protopick.objects import Stored
from protopick.objects.parquet import parquet_rows
from protopick.objects.stored import is_large


def open_delimited(file: Opened, options: Options, delimiter: str | None = None) -> Source:
    """Open a table as text. Without a line of names, the columns are called 0, 1, 2 and so on."""
    pa = arrow()
    where = named(file)
    data = None if isinstance(file, Path) else pa.py_buffer(file.read())

    def opened() -> Any:
        return pa.BufferReader(data) if data is not None else pa.input_stream(str(file), compression="detect")

    with told(where):
        with opened() as stream:
            dialect = dialect_of(stream.read(HEAD), where, options.header, delimiter)
        with opened() as stream:
            glance = glance_at(stream)
        if not glance.quotes_are_paired:
            with opened() as stream:
                check_quotes(stream, dialect, where)
        table = _parsed(opened, dialect, where)
        notes = [*dialect.notes, *_on_blank_lines(opened, dialect, glance)]
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise FileError(f"{where}: column {field.name!r} is no text in UTF-8. {CONVERT}")
    if glance.n_quotes:
        notes += _on_blanks_around_text(table)
    else:
        table = _without_blanks_around_text(table)
    return Rows(table, where, remarks=notes)


def _parsed(opened: Callable[[], Any], dialect: Dialect, where: str) -> Any:
    """Return a table of text as a table of Arrow."""
    pa = arrow()
    read = pa.csv.ReadOptions(autogenerate_column_names=not dialect.header, skip_rows=dialect.skipped)
    parse = pa.csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True)
    convert = pa.csv.ConvertOptions(decimal_point=dialect.decimal)
    try:
        with opened() as stream:
            table = pa.csv.read_csv(stream, read, parse, convert)
    except pa.ArrowInvalid:
        with opened() as stream:
            check_even(stream, dialect, where)  # knows the line, which Arrow does not
        raise
    named = [name.strip() for name in table.column_names]
    return table.rename_columns(named if dialect.header else [str(j) for j in range(table.num_columns)])


def _on_blank_lines(opened: Callable[[], Any], dialect: Dialect, glance: Glance) -> list[str]:
    """Return a word on blank lines, which are no objects and are not counted by an index."""
    if not glance.may_have_blank_lines:
        return []
    with opened() as stream:
        blank = count_blank(stream, dialect)
    return [on_blank_lines(blank)] if blank else []


def _without_blanks_around_text(table: Any) -> Any:
    """Return a table whose text neither begins nor ends with blanks, as is so for numbers."""
    trim = arrow().compute.utf8_trim_whitespace
    columns = [trim(column) if is_text(column.type) else column for column in table.columns]
    return arrow().table(columns, names=table.column_names)


def _on_blanks_around_text(table: Any) -> list[str]:
    """Return a word on blanks around text, which may be in quotes and count then."""
    trimmed = _without_blanks_around_text(table)
    names = [
        name
        for name, column, other in zip(table.column_names, table.columns, trimmed.columns, strict=True)
        if is_text(column.type) and not column.equals(other)
    ]
    return [f"Text that begins or ends with blanks is kept so: {listed(names)}."] if names else []


def open_tabbed(file: Opened, options: Options) -> Source:
    """Open a table whose columns are separated by tabs."""
    return open_delimited(file, options, "\t")


def open_parquet(file: Opened, options: Options) -> Source:
    """Open a Parquet file, or a folder of them. Only the columns that are needed are read, in blocks."""
    pa = arrow()
    where = named(file)
    with told(where, "Parquet"):
        if isinstance(file, Path):
            rows = pa.dataset.dataset(_parts(file), format="parquet", partitioning="hive")
            table = _Counted(rows.schema, rows.count_rows())
            return Rows(table, where, partial(_blocks, rows), stored=partial(_stored, rows, table.num_rows))
        return Rows(pa.parquet.read_table(pa.BufferReader(file.read())), where)


def open_feather(file: Opened, options: Options) -> Source:
    """Open a Feather file, mapped where it is not compressed."""
    pa = arrow()
    where = named(file)
    with told(where, "Feather"):
        source = str(file) if isinstance(file, Path) else pa.BufferReader(file.read())
        return Rows(pa.feather.read_table(source, memory_map=isinstance(file, Path)), where)


class _Counted:
    """What `Rows` has to know of a table that is not read yet."""

    def __init__(self, schema: Any, num_rows: int) -> None:
        self.schema, self.num_rows = schema, num_rows


def _blocks(rows: Any, names: list[str]) -> Iterator[Any]:
    """Read columns of a dataset block by block, in their order."""
    unbuffered = arrow().dataset.ParquetFragmentScanOptions(
        pre_buffer=False
    )  # else it keeps the file in memory
    few = {"batch_readahead": 1, "fragment_readahead": 1, "fragment_scan_options": unbuffered}
    return iter(rows.to_batches(columns=names, **few))


def _stored(rows: Any, n: int, names: list[str], allows_nan: bool) -> Stored | None:
    """Return columns that are too large to be read at once."""
    if not is_large(8 * n * len(names)):
        return None
    return Stored(*parquet_rows(rows, names), allows_nan)


def _parts(path: Path) -> str | list[str]:
    """Return the files of a folder: what begins with a dot or an underscore is none of its parts."""
    if path.is_file():
        return str(path)
    parts = sorted(part for part in shown_in(path) if part.suffix == ".parquet")
    if not parts:
        raise FileError(f"The folder {path} holds no files that end in .parquet.")
    return [str(part) for part in parts]
