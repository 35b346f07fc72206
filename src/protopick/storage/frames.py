"""Data frames and columns of pandas, polars, Arrow and narwhals, as bytes in Arrow's own format.

Columns of Python objects that Arrow does not give back as they were, such as sets, are kept beside these.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from protopick.checks import shown
from protopick.storage.archive import DamagedFileError
from protopick.storage.values import Kind, Reader, Writer, type_name

_FORMS = {
    "pandas": ("DataFrame", "Series", "Index"),
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "ChunkedArray", "array"),
}
_FRAMES = ("DataFrame", "Table", "RecordBatch")
_COLUMN = "column"


def _is_frame(value: Any) -> bool:
    return _form(value) in _FORMS.get(_library(value), ())


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _form(value: Any) -> str:
    library = _library(value)
    if library == "pyarrow" and isinstance(value, sys.modules["pyarrow"].Array):
        return "array"
    if library == "pandas" and isinstance(value, sys.modules["pandas"].Index) and value.nlevels == 1:
        return "Index"
    return type(value).__name__


def _write(value: Any, to: Writer, where: str) -> Any:
    library, form = _library(value), _form(value)
    pa = _pyarrow(f"{where} is a {type_name(value)}: to save it")
    frame = _as_frame(value, form, pa)
    objects = _places_of_objects(frame, library)
    beside = [i for i in objects if not _arrow_keeps(_column(frame, i), library, pa)]
    rest = _without(frame, library, beside)
    try:
        content, restored = _there_and_back(rest, library, objects, pa)
    except _refusals(pa) as error:
        raise _not_kept(value, where, f"Arrow does not take ({error})") from error
    if not _same(rest, restored, library):
        raise _not_kept(value, where, "Arrow does not give back as they were")
    fields = {
        "name": None if form in _FRAMES else getattr(value, "name", None),
        "content": np.frombuffer(content, np.uint8),
    }
    named = {i: f"{where}[{shown(frame.columns[i])}]" if form in _FRAMES else where for i in beside}
    values = [[i, to.items(_values(frame, i), named[i])] for i in beside]
    return {"library": library, "form": form, "objects": objects, "beside": values, **to.named(fields, where)}


def _read(body: Any, of: Reader) -> Any:
    library, form = body["library"], body["form"]
    if form not in _FORMS.get(library, ()):
        raise DamagedFileError(f"its header names the library {library!r} for a data frame")
    pa = _pyarrow("The file holds a data frame: to read it")
    frame = _as_native(_table(of.value(body["content"]), pa), library, body["objects"])
    for i, values in body["beside"]:
        frame = _with_values(frame, library, i, of.value(values))
    return _as_form(frame, form, of.value(body["name"]))


def _pyarrow(what_for: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"{what_for}, pyarrow is needed. Install it by: pip install 'protopick[frames]'"
        ) from error
    return pyarrow


def _as_frame(value: Any, form: str, pa: Any) -> Any:
    """Return a frame, of one column where the value is a column."""
    if form == "RecordBatch":
        return pa.Table.from_batches([value])
    if form in _FRAMES:
        return value
    if form == "Index":
        return value.to_frame(index=False, name=_COLUMN)
    return pa.table({_COLUMN: value}) if _library(value) == "pyarrow" else value.to_frame(_COLUMN)


def _as_form(frame: Any, form: str, name: Any) -> Any:
    """Return what `_as_frame` made a frame of."""
    if form == "RecordBatch":
        return frame.combine_chunks().to_batches()[0]
    if form in _FRAMES:
        return frame
    if _library(frame) == "pyarrow":
        column = frame.column(_COLUMN)
        return column.combine_chunks() if form == "array" else column
    column = frame[_COLUMN].rename(name)
    return sys.modules["pandas"].Index(column) if form == "Index" else column


def _places_of_objects(frame: Any, library: str) -> list[int]:
    """Return the numbers of the columns that hold Python objects."""
    if library == "pyarrow":
        return []
    return [i for i, dtype in enumerate(frame.dtypes) if str(dtype).lower() == "object"]


def _column(frame: Any, i: int) -> Any:
    """Return a frame of one of the columns."""
    return frame.iloc[:, [i]].reset_index(drop=True) if hasattr(frame, "iloc") else frame[:, [i]]


def _values(frame: Any, i: int) -> list[Any]:
    return list(frame.iloc[:, i]) if hasattr(frame, "iloc") else frame[:, i].to_list()


def _without(frame: Any, library: str, which: list[int]) -> Any:
    """Return a frame with nothing in some of its columns."""
    for i in which:
        frame = _with_values(frame, library, i, None)
    return frame


def _with_values(frame: Any, library: str, i: int, values: list[Any] | None) -> Any:
    """Return a frame with other objects, or none, in one of its columns."""
    if library == "polars":
        polars, name = sys.modules["polars"], frame.columns[i]
        column = polars.lit(None) if values is None else polars.Series(values, dtype=polars.Object)
        return frame.with_columns(column.alias(name))
    objects = np.full(len(frame), None)
    if values is not None:
        for row, value in enumerate(values):  # never taken apart where they are sequences
            objects[row] = value
    frame = frame.copy(deep=False)
    frame.isetitem(i, objects)
    return frame


def _refusals(pa: Any) -> tuple[type[Exception], ...]:
    return pa.ArrowException, TypeError, ValueError, OverflowError


def _arrow_keeps(column: Any, library: str, pa: Any) -> bool:
    """Say whether Arrow gives back a frame of one column of Python objects as it was."""
    if library == "polars":  # which would write their addresses
        return False
    try:
        return _same(column, _there_and_back(column, library, [0], pa)[1], library)
    except _refusals(pa):
        return False


def _there_and_back(frame: Any, library: str, objects: list[int], pa: Any) -> tuple[Any, Any]:
    """Return a frame as the bytes of an Arrow stream, and what is read from these."""
    content = _content(_as_table(frame, pa), pa)
    return content, _as_native(_table(content, pa), library, objects)


def _as_table(frame: Any, pa: Any) -> Any:
    if _library(frame) == "pandas":
        with warnings.catch_warnings(action="ignore"):  # what it warns of is found by comparing
            return pa.Table.from_pandas(frame)
    return frame.to_arrow() if _library(frame) == "polars" else frame


def _content(table: Any, pa: Any) -> Any:
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
        raise _not_installed(library) from error
    for i in objects:  # which Arrow took for text
        column = frame.iloc[:, i]
        frame.isetitem(i, column.astype(object).where(column.notna(), None))
    return frame


def _not_installed(library: str) -> ImportError:
    return ImportError(
        f"The file holds a data frame of {library}, which is not installed. Install it by: "
        f"pip install {library}"
    )


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


def _is_of_narwhals(value: Any) -> bool:
    narwhals = sys.modules.get("narwhals")
    return narwhals is not None and type(value) in (narwhals.DataFrame, narwhals.Series)


def _read_narwhals(body: Any, of: Reader) -> Any:
    try:
        import narwhals
    except ImportError as error:
        raise _not_installed("narwhals") from error
    return narwhals.from_native(of.value(body), eager_only=True, allow_series=True)


FRAMES = (
    Kind("frame", _is_frame, _write, _read),
    Kind(
        "narwhals",
        _is_of_narwhals,
        lambda value, to, where: to.value(value.to_native(), where),
        _read_narwhals,
    ),
)
