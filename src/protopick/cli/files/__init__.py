"""Read objects, labels and names from the files that users have. One file a kind of format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.beside import named_classes, on_first_line, values_beside
from protopick.cli.files.classes import as_text, classes_in
from protopick.cli.files.formats import FORMATS, open_source
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Found, Request, Source
from protopick.cli.files.text import Plain
from protopick.dissimilarity import length, taken_by
from protopick.objects import Ragged

__all__ = ["FORMATS", "Data", "FileError", "Request", "read"]


@dataclass(frozen=True)
class Data:
    """The objects of a file, and what is known of each."""

    found: Found
    labels: np.ndarray | None
    ids: np.ndarray | None
    name: str

    @property
    def X(self) -> Any:  # noqa: N802 - the name that it has everywhere
        """The objects."""
        return self.found.X

    @property
    def n(self) -> int:
        """How many there are."""
        return length(self.found.X)

    def called(self, index: int) -> str:
        """Return the name of an object, a string or set being its own; nothing where it has none."""
        if self.ids is not None:
            return as_text(self.ids[index])
        if not isinstance(self.X, list):
            return ""
        one = self.X[index]
        return one if isinstance(one, str) else "{" + ", ".join(sorted(map(str, one))) + "}"


def read(request: Request, metric: str | None = None) -> Data:
    """Read objects, and labels and names where they are asked for.

    Parameters
    ----------
    request : Request
        The file.
    metric : str, optional
        What the objects will be compared by; it tells series from vectors.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "words.txt")
    ...     _ = file.write_text("colour\\nnight\\n")
    ...     read(Request(str(file))).X
    ['colour', 'night']
    """
    source = open_source(request)
    labels = values_beside(source, request, "labels")
    if labels is not None:
        labels = classes_in(labels, str(request.labels))
    ids = values_beside(source, request, "ids")
    if ids is None and isinstance(source.names, tuple) and "file" in source.names:
        ids = source.column("file")
    without = [name for name in (request.labels, request.ids) if name is not None]
    of_model = None if request.columns else _of_model(source, request)
    # A model compares what it was fitted to, also where that tells the labels now.
    found = source.objects(of_model or request.columns, [] if of_model else without, metric)
    _check_kind(found, metric, request.file)
    n = length(found.X)
    for option, values in (("labels", labels), ("ids", ids)):
        if values is not None and len(values) != n:
            raise FileError(
                f"--{option} gives {len(values):,} values, but {request.file} holds {n:,} objects. "
                f"There must be one for each.{on_first_line(option, len(values), n, source, request)}"
            )
    if labels is not None and request.label_names is not None:
        labels = named_classes(labels, values_beside(source, request, "label-names"))
    return Data(found, labels, ids, "standard input" if request.file == "-" else Path(request.file).name)


def _check_kind(found: Found, metric: str | None, file: str) -> None:
    """Refuse strings for a metric of numbers, and the like."""
    takes = taken_by(metric) or "objects"
    held = _held(found.X)
    suits = takes != "strings" if held == "numbers" else held in takes
    if takes != "objects" and not suits:
        raise FileError(
            f"{metric} compares {takes}, but {file} holds {held}. `protopick metrics` tells which suit."
        )


def _held(X: Any) -> str:
    """Return what objects are; rows of numbers may also be series, or rows of a table."""
    if isinstance(X, list):
        return "sets" if isinstance(X[0], set) else "strings"
    return "series" if isinstance(X, Ragged) or len(X.shape) > 2 else "numbers"


def _of_model(source: Source, request: Request) -> Sequence[str] | None:
    """Return the columns that a model compares, unless the file has no names to find them by."""
    names = request.model_columns
    if names is None or isinstance(source, Plain):
        return None
    return names if isinstance(source, Rows) or all(map(str.isdecimal, names)) else None
