"""Open ``.csv``, ``.tsv``, ``.parquet`` and ``.feather``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from protopick.cli.files.arrow import arrow, told
from protopick.cli.files.dialect import CONVERT, HEAD, check_even, dialect_of
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Opened, Options, Source, named, shown_in
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
        names = [name.strip() for name in table.column_names]
    if not dialect.header:
        names = [str(j) for j in range(table.num_columns)]
    table = table.rename_columns(names)
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise FileError(f"{where}: column {field.name!r} is no text in UTF-8. {CONVERT}")
    return Rows(table, where, remarks=dialect.notes)


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


def _stored(rows: Any, n: int, names: list[str]) -> Stored | None:
    """Return columns that are too large to be read at once."""
    if not is_large(8 * n * len(names)):
        return None
    return Stored(*parquet_rows(rows, names))


def _parts(path: Path) -> str | list[str]:
    """Return the files of a folder: what begins with a dot or an underscore is none of its parts."""
    if path.is_file():
        return str(path)
    parts = sorted(part for part in shown_in(path) if part.suffix == ".parquet")
    if not parts:
        raise FileError(f"The folder {path} holds no files that end in .parquet.")
    return [str(part) for part in parts]
