"""``.txt``: one string a line; ``.jsonl``: one JSON value a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from protopick.cli.files.arrow import table_of_records
from protopick.cli.files.lists import lists_of
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Found, Opened, Options, Source, named, on_blank_lines


def open_text(file: Opened, options: Options) -> Source:
    """Read strings, one a line. Blank lines are left out, with a note where other lines follow."""
    lines = _lines(file)
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise FileError(f"{named(file)} is empty. It should hold one string a line.")
    strings = [line for line in lines if line.strip()]
    blank = len(lines) - len(strings)
    notes = (on_blank_lines(blank),) if blank else ()
    return Plain(Found(strings, "levenshtein", "strings", notes=notes), named(file))


def open_json_lines(file: Opened, options: Options) -> Source:
    """Read records, strings, or lists of numbers or strings, one a line."""
    values = []
    for number, line in enumerate(_lines(file), 1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except ValueError as error:
                raise FileError(f"{named(file)}, line {number}: not JSON ({error}).") from error
    if not values:
        raise FileError(f"{named(file)} is empty. It should hold one JSON value a line.")
    kind = type(values[0])
    for number, value in enumerate(values, 1):
        if type(value) is not kind:
            raise FileError(
                f"{named(file)}: value {number} is a {_spoken(type(value))}, but the first is a "
                f"{_spoken(kind)}. All lines must be of one kind."
            )
    if kind is dict:
        return Rows(table_of_records(values, named(file)), named(file))
    if kind is str:
        return Plain(Found(values, "levenshtein", "strings"), named(file))
    if kind is list:
        return lists_of(values, named(file))
    raise FileError(f"{named(file)} holds {_spoken(kind)}s. Allowed are records, strings and lists.")


class Plain:
    """Objects that have no columns."""

    names: Sequence[str] = ()

    def __init__(self, found: Found, where: str) -> None:
        self._found, self._where = found, where

    def column(self, name: str) -> np.ndarray:
        """Return nothing: there are no names."""
        raise KeyError(name)

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the objects."""
        if columns is not None:
            raise FileError(
                f"{self._where} has no columns, so --columns={','.join(columns)} cannot be chosen."
            )
        return self._found


def _lines(file: Opened) -> list[str]:
    data = file.read_bytes() if isinstance(file, Path) else file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        raise FileError(
            f"{named(file)}, line {number}: not UTF-8 text. Convert it, e.g. by iconv -f latin1 -t utf-8."
        ) from error
    if "\0" in text:
        raise FileError(f"{named(file)} holds zero bytes, so it is no text. Name its format by --format.")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _spoken(kind: type) -> str:
    spoken = {dict: "record", str: "string", list: "list", bool: "true or false", type(None): "null"}
    return spoken.get(kind, "number")
