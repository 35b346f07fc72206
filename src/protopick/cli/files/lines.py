"""The lines of a table of text: which are blank or uneven, and where a quote stands open."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import IO

from protopick.cli.files.dialect import Dialect
from protopick.cli.files.source import FileError

_BLOCK = 1 << 22


@dataclass(frozen=True)
class Glance:
    """What the bytes of a table tell without taking it apart, which takes far longer."""

    n_quotes: int
    may_have_blank_lines: bool

    @property
    def quotes_are_paired(self) -> bool:
        """Whether no quote can stand open."""
        return self.n_quotes % 2 == 0


def glance_at(stream: IO[bytes]) -> Glance:
    """Return what the bytes of a table tell. Blank lines at its end do not count."""
    n_quotes, may_have_blank_lines, before = 0, False, b""
    while block := stream.read(_BLOCK):
        n_quotes += block.count(b'"')
        text = before + block
        before = text[len(text.rstrip(b"\r\n")) :]  # the end of the table, or lines between others
        lines = text[: len(text) - len(before)]
        may_have_blank_lines = may_have_blank_lines or _has_blank_lines(lines)
    return Glance(n_quotes, may_have_blank_lines)


def _has_blank_lines(text: bytes) -> bool:
    if b"\n\n" in text:
        return True
    return b"\r" in text and (b"\n\r\n" in text or b"\r\r" in text)  # two long searches that few need


def count_blank(stream: IO[bytes], dialect: Dialect) -> int:
    """Return how many blank lines stand between others; in a value in quotes, a line is none."""
    blank = since = 0
    for _, row in _rows(stream, dialect):
        since = 0 if row else since + 1
        blank += not row
    return blank - since


def check_quotes(stream: IO[bytes], dialect: Dialect, where: str) -> None:
    """Refuse a value whose quote is not closed: it would hold all lines that follow.

    Parameters
    ----------
    stream : file
        The whole table.
    dialect : Dialect
        How it is written.
    where : str
        The file, for messages.
    """
    line = dialect.skipped + 1
    try:
        for end, _ in _rows(stream, dialect, strict=True):
            line = end + 1
    except csv.Error as error:
        raise FileError(
            f"{where}, line {line}: a double quote begins a value and is not closed. Close it; one that "
            "belongs to a value is written twice, and the value stands in double quotes."
        ) from error


def check_even(stream: IO[bytes], dialect: Dialect, where: str) -> None:
    """Refuse a line that has more or fewer values than the first, and say which one."""
    expected, line = 0, dialect.skipped + 1
    for end, row in _rows(stream, dialect):
        expected = expected or len(row)
        if row and len(row) != expected:
            raise FileError(
                f"{where}, line {line}: {_values(len(row))}, where the first line has {expected}. Mend "
                f"the line; a value that holds {dialect.delimiter!r} stands in double quotes."
            )
        line = end + 1


def _rows(stream: IO[bytes], dialect: Dialect, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Return the values of each line, none of a blank one, and the number of the last line they are in."""
    lines = TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
    rows = csv.reader(islice(lines, dialect.skipped, None), delimiter=dialect.delimiter, strict=strict)
    for row in rows:
        yield dialect.skipped + rows.line_num, row  # a value in quotes may hold several


def _values(n: int) -> str:
    return f"{n} value{'s' * (n != 1)}"
