"""Data frames and columns of pandas, polars and Arrow, as bytes in Arrow's own format."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from protopick.storage.archive import DamagedFileError
from protopick.storage.values import Kind, Reader, Writer, type_name

_FRAMES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "Table"}
_COLUMNS = {"pandas": "Series", "polars": "Series", "pyarrow": "ChunkedArray"}
_COLUMN = "column"


def _is_frame(value: Any) -> bool:
    library, name = _library(value), type(value).__name__
    return name in (_FRAMES.get(library), _COLUMNS.get(library)) or _is_arrow_array(value)


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _is_arrow_array(value: Any) -> bool:
    return _library(value) == "pyarrow" and isinstance(value, sys.modules["pyarrow"].Array)


def _write(value: Any, to: Writer, where: str) -> Any:
    library = _library(value)
    form = "array" if _is_arrow_array(value) else type(value).__name__
    is_column = form != _FRAMES[library]
    pa = _pyarrow(f"{where} is a {type_name(value)}: to save it")
    frame = _as_frame(value, pa) if is_column else value
    objects = [i for i, dtype in enumerate(frame.dtypes) if dtype == "object"] if library == "pandas" else []
    try:
        content = _content(_as_table(frame, pa), pa)
        restored = _as_native(_table(content, pa), library, objects)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _not_kept(value, where, f"Arrow does not take ({error})") from error
    if not _same(frame, restored, library):
        raise _not_kept(value, where, "Arrow does not give back as they were")
    name = getattr(value, "name", None) if is_column else None
    fields = {"name": name, "content": np.frombuffer(content, np.uint8)}
    return {"library": library, "form": form, "objects": objects, **to.named(fields, where)}


def _read(body: Any, of: Reader) -> Any:
    library, form = body["library"], body["form"]
    if library not in _FRAMES:
        raise DamagedFileError(f"its header names the library {library!r} for a data frame")
    pa = _pyarrow("The file holds a data frame: to read it")
    frame = _as_native(_table(of.value(body["content"]), pa), library, body["objects"])
    if form == _FRAMES[library]:
        return frame
    if library == "pyarrow":
        column = frame.column(_COLUMN)
        return column.combine_chunks() if form == "array" else column
    return frame[_COLUMN].rename(of.value(body["name"]))


def _pyarrow(what_for: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"{what_for}, pyarrow is needed. Install it by: pip install 'protopick[frames]'"
        ) from error
    return pyarrow


def _as_frame(column: Any, pa: Any) -> Any:
    """Return a frame of one column."""
    return pa.table({_COLUMN: column}) if _library(column) == "pyarrow" else column.to_frame(_COLUMN)


def _as_table(frame: Any, pa: Any) -> Any:
    if _library(frame) == "pandas":
        with warnings.catch_warnings(action="ignore"):  # what it warns of is found by comparing
            return pa.Table.from_pandas(frame)
    return frame.to_arrow() if _library(frame) == "polars" else frame


def _content(table: Any, pa: Any) -> Any:
    """Return a table as the bytes of an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def _table(content: Any, pa: Any) -> Any:
    with pa.ipc.open_stream(pa.py_buffer(content)) as stream:
        table = stream.read_all()
    table.validate(full=True)  # its offsets may point outside
    return table


def _as_native(table: Any, library: str, objects: list[int]) -> Any:
    """Return a table as a frame of a library; ``objects`` are columns of pandas that hold Python objects."""
    if library == "pyarrow":
        return table
    try:
        if library == "polars":
            import polars

            return polars.from_arrow(table)
        frame = table.to_pandas()
    except ImportError as error:
        raise ImportError(
            f"The file holds a data frame of {library}, which is not installed. Install it by: "
            f"pip install {library}"
        ) from error
    for i in objects:  # which Arrow took for text
        column = frame.iloc[:, i]
        frame.isetitem(i, column.astype(object).where(column.notna(), None))
    return frame


def _same(frame: Any, restored: Any, library: str) -> bool:
    if library == "pandas":
        return bool(frame.equals(restored)) and list(frame.dtypes) == list(restored.dtypes)
    if library == "polars":
        return bool(frame.equals(restored)) and frame.schema == restored.schema
    return True  # in its own format


def _not_kept(value: Any, where: str, what: str) -> TypeError:
    return TypeError(
        f"{where} is a {type_name(value)} with columns that {what}. Make them numbers, text, times or "
        "categories before fitting."
    )


FRAMES = (Kind("frame", _is_frame, _write, _read),)
