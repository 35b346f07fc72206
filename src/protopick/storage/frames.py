"""Data frames and columns of pandas, polars and Arrow, as bytes in Arrow's own format."""

from __future__ import annotations

import sys
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
    frame = _as_frame(value, library) if is_column else value
    try:
        table = _as_table(frame, library)
        content = _content(table)
        objects = _object_columns(frame, library)
        restored = _as_native(_table(content), library, objects)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _not_kept(value, where, f"Arrow does not take ({error})") from error
    if not _same(frame, restored, library):
        raise _not_kept(value, where, "Arrow does not give back as they were")
    name = getattr(value, "name", None) if is_column else None
    fields = {"name": name, "content": np.frombuffer(content, np.uint8)}
    return {"library": library, "form": form, "objects": objects, **to.named(fields, where)}


def _read(body: Any, of: Reader) -> Any:
    library = body["library"]
    if library not in _FRAMES:
        raise DamagedFileError(f"its header names the library {library!r} for a data frame")
    _pyarrow("The file holds a data frame: to read it")
    frame = _as_native(_table(of.value(body["content"])), library, body["objects"])
    if body["form"] == _FRAMES[library]:
        return frame
    if library == "pyarrow":
        column = frame.column(_COLUMN)
        return column.combine_chunks() if body["form"] == "array" else column
    return frame[_COLUMN].rename(of.value(body["name"]))


def _pyarrow(what_for: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"{what_for}, pyarrow is needed. Install it by: pip install protopick[frames]"
        ) from error
    return pyarrow


def _as_frame(column: Any, library: str) -> Any:
    """Return a frame of one column."""
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table({_COLUMN: column})
    return column.to_frame(_COLUMN)


def _as_table(frame: Any, library: str) -> Any:
    import pyarrow

    if library == "pandas":
        return pyarrow.Table.from_pandas(frame)
    return frame.to_arrow() if library == "polars" else frame


def _content(table: Any) -> Any:
    """Return the bytes of an Arrow stream."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def _table(content: Any) -> Any:
    import pyarrow

    with pyarrow.ipc.open_stream(pyarrow.py_buffer(content)) as stream:
        table = stream.read_all()
    table.validate(full=True)  # offsets and the like may lie
    return table


def _object_columns(frame: Any, library: str) -> list[int]:
    """Return the columns of Python objects in a frame of pandas, which Arrow takes for text."""
    return [i for i, dtype in enumerate(frame.dtypes) if dtype == "object"] if library == "pandas" else []


def _as_native(table: Any, library: str, objects: list[int]) -> Any:
    """Return an Arrow table as a frame of a library."""
    if library == "pandas":
        frame = table.to_pandas()
        for i in objects:
            column = frame.iloc[:, i]
            frame.isetitem(i, column.astype(object).where(column.notna(), None))
        return frame
    if library == "polars":
        try:
            import polars
        except ImportError as error:
            raise ImportError(
                "The file holds a data frame of polars. Install it by: pip install polars"
            ) from error
        return polars.from_arrow(table)
    return table


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
