"""Labels and names: columns or arrays beside the objects, or files of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from protopick.cli.files.formats import FORMATS, WITH_HEADER, ending_of
from protopick.cli.files.source import FileError, Options, Request, Source
from protopick.cli.files.vectors import labels_in


def values_beside(source: Source, request: Request, option: str) -> np.ndarray | None:
    """Return a column or array of the file, or what another file holds."""
    name = request.beside.get(option)
    if name is None:
        return None
    if name in source.names:
        return source.column(name)
    path = Path(name)
    if not path.is_file():
        has = ", ".join(map(repr, source.names[:20]))
        known = f"It has {has}. " if has else "It has no named columns. "
        raise FileError(
            f"--{option}={name}: {request.file} has no column or array of this name, and there is no such "
            f"file. {known}Name one of them, or a file with one value a line."
        )
    return _values_of(path, Options(header=request.options.header))


def _values_of(path: Path, options: Options) -> np.ndarray:
    """Return the values of a file that holds one for each object."""
    format = ending_of(path)
    opened = FORMATS[format if format in FORMATS else "txt"](path, options)
    if len(opened.names) == 1:
        return opened.column(opened.names[0])
    if opened.names:
        raise FileError(f"{path} has {len(opened.names)} columns, where one is needed. Keep one.")
    if format == "npy":
        return labels_in(np.load(path, allow_pickle=False), str(path))
    found = opened.objects(None, (), None)
    if found.notes:  # without its blank lines, the others would be values of other objects
        raise FileError(
            f"{path} has blank lines between others. Each line has to hold the value of an object."
        )
    return np.array(found.X)


def named_classes(labels: np.ndarray, names: np.ndarray | None) -> np.ndarray:
    """Return the names of labels that are numbers from 0."""
    assert names is not None
    if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= len(names):
        raise FileError(
            f"--label-names gives {len(names)} names, but the labels are not whole numbers from 0 to "
            f"{len(names) - 1}."
        )
    return names[labels]


def on_first_line(option: str, n_values: int, n: int, source: Source, request: Request) -> str:
    """Return a word on the first line of a table that is one value short."""
    name = request.beside[option]
    if name in source.names or ending_of(name) not in WITH_HEADER or request.options.header is False:
        return ""
    if n_values != n - 1:
        return ""
    return (
        f" The first line of {name} is taken for a name. If it is a value, let the file end in .txt, or pass "
        "--no-header if no file has a line of names."
    )
