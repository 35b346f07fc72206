"""What a file holds: objects, and beside them columns that may be labels or names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

Opened = Path | IO[bytes]
"""A file or folder, or standard input."""


@dataclass(frozen=True)
class Options:
    """What the user said about the file."""

    array: str | None = None
    header: bool | None = None
    """Whether the first line of a table holds names; None to tell it by the line."""

    image_size: tuple[int, int] | None = None  # width, height


@dataclass(frozen=True)
class Request:
    """What to read: a file, and what the user said about it."""

    file: str
    labels: str | None = None
    label_names: str | None = None
    ids: str | None = None
    columns: Sequence[str] | None = None
    format: str | None = None
    model_columns: Sequence[str] | None = None
    """Those to compare where the user names none and the file has columns."""

    options: Options = field(default_factory=Options)

    @property
    def beside(self) -> dict[str, str]:
        """The columns and files of values of the objects, by their options."""
        named = {"labels": self.labels, "label-names": self.label_names, "ids": self.ids}
        return {option: name for option, name in named.items() if name is not None}


@dataclass(frozen=True)
class Found:
    """Objects as a selector's ``fit`` takes them."""

    X: Any
    metric: str
    """The one that suits them, where the user names none."""

    why: str = ""
    """Why this metric, where that is not plain."""

    names: list[str] | None = None
    """The columns that are compared."""

    image_shape: tuple[int, ...] | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def headings(self) -> list[str | int] | None:
        """What to call each column of rows, those without a name by their number; None of other objects."""
        if self.names is None or getattr(self.X, "shape", ())[1:] != (len(self.names),):
            return None  # such as lists that one column holds
        return [int(name) if name.isdecimal() else name for name in self.names]


class Source(Protocol):
    """An open file."""

    @property
    def names(self) -> Sequence[str]:
        """What can be asked of `column`."""

    def column(self, name: str) -> np.ndarray:
        """Return one value for each object."""

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the objects: these columns, or all but those ``without``."""


OpenSource = Callable[[Opened, Options], Source]


def shown_in(folder: Path) -> list[Path]:
    """Return what is in a folder and those in it, but not what begins with a dot or an underscore."""
    found = folder.rglob("*")
    return [
        path
        for path in found
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]


class FileError(ValueError):
    """A file that is not what it should be. The message is for the user."""


def named(file: Opened) -> str:
    """Return what to call a file in a message."""
    return str(file) if isinstance(file, Path) else "standard input"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names in quotes, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(repr, names[:most])) + (f" and {more} more" if more > 0 else "")


def on_blank_lines(blank: int) -> str:
    """Return a word on lines that hold no object."""
    return f"Left out: {blank:,} blank line{'s' * (blank > 1)} between others."


@contextmanager
def needed(library: str, what: str) -> Iterator[None]:
    """Say how to get a library that is imported here and not installed."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"{what} are read by {library}, which is not installed: pip install 'protopick[files]'"
        ) from error
