"""How a table of text is written: what parts its columns, and whether its first line names them."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import IO

from protopick.cli.files.source import FileError

HEAD = 1 << 20
"""Bytes of a table that are looked at."""

_DELIMITERS = ",;\t|"
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+")
_WITH_POINT = re.compile(r"[-+]?\d*\.\d+")
_LINES = 100


@dataclass(frozen=True)
class Dialect:
    """How a table is written."""

    delimiter: str
    decimal: str = "."
    header: bool = True
    skipped: int = 0
    """Lines before the table."""

    notes: tuple[str, ...] = ()


def dialect_of(head: bytes, where: str, header: bool, delimiter: str | None = None) -> Dialect:
    """Return how a table is written.

    Parameters
    ----------
    head : bytes
        How the file begins.
    where : str
        The file, for messages.
    header : bool
        Whether the first line may hold names. One of numbers only does not.
    delimiter : str, optional
        What parts the columns, where that is known.

    Examples
    --------
    >>> dialect_of(b'"size; in cm";name\\n1,5;a\\n', "x.csv", True).decimal
    ','
    """
    if b"\0" in head:
        raise FileError(f"{where} is no text in UTF-8, but binary or UTF-16. Save it as UTF-8.")
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    skipped = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if skipped == len(lines):
        raise FileError(f"{where} is empty. It should hold a table, its first line the names of the columns.")
    said = re.fullmatch(r"sep=(.)", lines[skipped])  # the way in which spreadsheets say it
    if said is not None:
        delimiter, skipped = said[1], skipped + 1
    first, *others = lines[skipped : skipped + _LINES] or [""]
    delimiter = delimiter or _most_frequent(first)
    names = next(csv.reader([first], delimiter=delimiter), [])
    numbers = [name for name in names if _reads_as_number(name)]
    notes = []
    if header and 0 < len(numbers) < len(names):
        notes.append(
            f"The first line is taken for names, though it holds numbers such as {numbers[0]}. If it is an "
            "object like the others, pass --no-header."
        )
    decimal = _decimal(others, delimiter)
    if decimal == ",":
        notes.append("Numbers are read with a decimal comma, since columns are separated by semicolons.")
    return Dialect(delimiter, decimal, header and len(numbers) < len(names), skipped, tuple(notes))


def check_even(stream: IO[bytes], dialect: Dialect, where: str) -> None:
    """Refuse a line that has more or fewer values than the first, and say which one.

    Parameters
    ----------
    stream : file
        The whole table.
    dialect : Dialect
        How it is written.
    where : str
        The file, for messages.
    """
    lines = TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
    rows = csv.reader(islice(lines, dialect.skipped, None), delimiter=dialect.delimiter)
    expected, line = 0, dialect.skipped + 1
    with suppress(csv.Error):  # of values that are too long for it: then Arrow's words have to do
        for row in rows:
            expected = expected or len(row)
            if row and len(row) != expected:
                raise FileError(
                    f"{where}, line {line}: {_values(len(row))}, where the first line has {expected}. Mend "
                    f"the line; a value that holds {dialect.delimiter!r} stands in double quotes."
                )
            line = dialect.skipped + rows.line_num + 1  # a value in quotes may hold several


def _values(n: int) -> str:
    return f"{n} value{'s' * (n != 1)}"


CONVERT = "Convert it, e.g. by iconv -f latin1 -t utf-8."


def _most_frequent(line: str) -> str:
    """Return what parts the columns of a line, what is in quotes not counted."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=bare.count)


def _decimal(lines: list[str], delimiter: str) -> str:
    """Return what begins a fraction: a comma only where it parts no columns and no number has a point."""
    if delimiter != ";":
        return "."
    cells = [cell.strip() for row in csv.reader(lines, delimiter=delimiter) for cell in row]
    with_comma = any(_WITH_COMMA.fullmatch(cell) for cell in cells)
    return "," if with_comma and not any(_WITH_POINT.fullmatch(cell) for cell in cells) else "."


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
