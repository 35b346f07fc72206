"""How a table of text is written: what parts its columns, and whether its first line names them."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from protopick.cli.files.source import FileError

HEAD = 1 << 20
"""Bytes of a table that are looked at."""

_DELIMITERS = ",;\t|"
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+")
_WITH_POINT = re.compile(r"[-+]?\d*\.\d+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
_LINES = 100

csv.field_size_limit(2**31 - 1)  # one value may hold a series, or the sequence of a genome


@dataclass(frozen=True)
class Dialect:
    """How a table is written."""

    delimiter: str
    decimal: str = "."
    header: bool = True
    skipped: int = 0
    """Lines before the table."""

    notes: tuple[str, ...] = ()


def dialect_of(head: bytes, where: str, header: bool | None, delimiter: str | None = None) -> Dialect:
    """Return how a table is written.

    Parameters
    ----------
    head : bytes
        How the file begins.
    where : str
        The file, for messages.
    header : bool or None
        Whether the first line holds names. If None, one of numbers only does not.
    delimiter : str, optional
        What parts the columns, where that is known.

    Examples
    --------
    >>> dialect_of(b'"size; in cm";name\\n1,5;a\\n', "x.csv", None).decimal
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
    decimal = _decimal(others, delimiter)
    numbers = [name for name in names if _reads_as_number(name, decimal)]
    is_object = 0 < len(numbers) == len(names)
    notes = []
    if header is None and is_object:
        notes.append(
            "The first line is taken as an object, since it holds numbers only. If it holds names, pass "
            "--header."
        )
    elif header is None and numbers:
        notes.append(
            f"The first line is taken for names, though it holds numbers such as {numbers[0]}. If it is an "
            "object like the others, pass --no-header."
        )
    if decimal == ",":
        notes.append("Numbers are read with a decimal comma.")
    has_names = not is_object if header is None else header
    return Dialect(delimiter, decimal, has_names, skipped, tuple(notes))


CONVERT = "Convert it, e.g. by iconv -f latin1 -t utf-8."


def _most_frequent(line: str) -> str:
    """Return what parts the columns of a line, what is in quotes not counted."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=bare.count)


def _decimal(lines: list[str], delimiter: str) -> str:
    """Return what begins a fraction: a comma only where no number has a point.

    Semicolons are what those write who write a decimal comma. Elsewhere it may part thousands.
    """
    cells = [cell.strip() for row in csv.reader(lines, delimiter=delimiter) for cell in row]
    with_comma = [cell for cell in cells if _WITH_COMMA.fullmatch(cell)]
    parts_thousands = delimiter != ";" and all(_THOUSANDS.fullmatch(cell) for cell in with_comma)
    if not with_comma or parts_thousands or any(_WITH_POINT.fullmatch(cell) for cell in cells):
        return "."
    return ","


def _reads_as_number(text: str, decimal: str) -> bool:
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return True
