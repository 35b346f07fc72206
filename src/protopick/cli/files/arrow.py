"""pyarrow, and what all readers of tables ask of it. The only file that needs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from protopick.cli.files.dialect import CONVERT
from protopick.cli.files.source import FileError, needed

_OF_A_PART = re.compile(r".*Could not open Parquet input source '([^<].*?)': (.*)")
_LONGEST_TIME = 40
"""Characters: more than the longest way to write a date and a time."""


def arrow() -> Any:
    """Return the module pyarrow, with its readers."""
    with needed("pyarrow", "Tables and lists"):
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.dataset
        import pyarrow.feather
        import pyarrow.parquet
        import pyarrow.types
    return pa


@contextmanager
def told(where: str, format: str | None = None) -> Iterator[None]:
    """Say which file an error is about; with a ``format``, that it is no file of this format."""
    pa = arrow()
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the system, which speaks for itself
        reason = str(error).splitlines()[0].rstrip(".")
        if format is None:
            raise FileError(f"{where} cannot be read: {reason}.") from error
        part = _OF_A_PART.fullmatch(reason)  # of a folder
        where, reason = (part[1], part[2]) if part else (where, reason)
        raise FileError(
            f"{where} is damaged or no {format} file: {reason}. Write it again, or name its format by "
            "--format."
        ) from error
    except UnicodeDecodeError as error:
        raise FileError(f"{where} is no text in UTF-8. {CONVERT}") from error


def is_number(kind: Any) -> bool:
    """Say whether a type of columns is one of numbers."""
    types = arrow().types
    return (
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    )


def is_text(kind: Any) -> bool:
    """Say whether a type of columns is one of text, or of text from a fixed list."""
    types = arrow().types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(kind) or types.is_large_string(kind)


def is_list(kind: Any) -> bool:
    """Say whether a type of columns is one of lists."""
    types = arrow().types
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def innermost(kind: Any) -> Any:
    """Return the type of what lists hold, or the lists in them."""
    while is_list(kind):
        kind = kind.value_type
    return kind


def is_time(kind: Any) -> bool:
    """Say whether a type of columns is one of times, which gower compares by their range."""
    is_one: bool = arrow().types.is_temporal(kind)
    return is_one


def numbers(column: Any) -> np.ndarray:
    """Return a column as numbers, NaN where one is missing."""
    pa = arrow()
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        column = column.cast(pa.float64() if pa.types.is_decimal(column.type) else pa.int8())
    values: np.ndarray = column.to_numpy(zero_copy_only=False)
    return values


def table_of_records(records: list[dict[str, Any]], where: str) -> Any:
    """Return records as a table; a field that one lacks is missing there, one in another is ``a.b``.

    Text that is dates or times throughout becomes such, as in a table of text.
    """
    pa = arrow()
    columns = {}
    for name in dict.fromkeys(name for record in records for name in record):
        try:
            columns[name] = pa.array([record.get(name) for record in records])
        except (pa.ArrowException, OverflowError) as error:
            raise FileError(
                f"{where}: the field {name!r} holds values of several kinds. Make them all numbers, or text."
            ) from error
    table = pa.table(columns)
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return pa.table([_as_times(column) for column in table.columns], table.column_names)


def _as_times(column: Any) -> Any:
    """Return text as the dates or times that it would be in a table of text, if all of it is some."""
    pa = arrow()
    if not is_text(column.type) or pa.compute.max(pa.compute.utf8_length(column)).as_py() > _LONGEST_TIME:
        return column
    written = pa.BufferOutputStream()
    pa.csv.write_csv(pa.table({"": column}), written)
    parse = pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    read = pa.csv.read_csv(pa.BufferReader(written.getvalue()), parse_options=parse).column(0)
    return read if is_time(read.type) else column


def table_of_fields(array: np.ndarray, where: str) -> Any:
    """Return an array of records of NumPy as a table."""
    pa = arrow()
    columns = {}
    for name in array.dtype.names or ():
        values = array[name]
        plain = str if values.dtype.kind == "S" else values.dtype.newbyteorder("=")
        with told(where):
            columns[name] = pa.array(values.astype(plain))
    return pa.table(columns)
