"""Read objects, labels and names from the files that users have. One file a kind of format."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.classes import as_text, classes_in
from protopick.cli.files.hdf5 import open_hdf5
from protopick.cli.files.images import SUFFIXES, open_folder
from protopick.cli.files.numpy_arrays import open_npy, open_npz
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Found, OpenSource, Options, Source, shown_in
from protopick.cli.files.tables import open_delimited, open_feather, open_parquet, open_tabbed
from protopick.cli.files.text import Plain, open_json_lines, open_text
from protopick.cli.files.vectors import labels_in
from protopick.cli.files.zarr_arrays import open_zarr
from protopick.dissimilarity import length, taken_by
from protopick.objects import Ragged

__all__ = ["FORMATS", "Data", "FileError", "Request", "read"]

FORMATS: dict[str, OpenSource] = {
    "npy": open_npy,
    "npz": open_npz,
    "csv": open_delimited,
    "tsv": open_tabbed,
    "parquet": open_parquet,
    "feather": open_feather,
    "arrow": open_feather,
    "txt": open_text,
    "jsonl": open_json_lines,
    "h5": open_hdf5,
    "hdf5": open_hdf5,
    "zarr": open_zarr,
    "folder": open_folder,
}

_WITH_ARRAYS = ("npz", "h5", "hdf5", "zarr")
_WITH_HEADER = ("csv", "tsv")
_FOLDERS = ("zarr", "parquet", "folder")
_PACKED = (".gz", ".bz2", ".zst")


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
    source = _open(request)
    labels = _beside(source, request, "labels")
    if labels is not None:
        labels = classes_in(labels, str(request.labels))
    ids = _beside(source, request, "ids")
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
                f"There must be one for each.{_on_first_line(option, len(values), n, source, request)}"
            )
    if labels is not None and request.label_names is not None:
        labels = _named(labels, _beside(source, request, "label-names"))
    return Data(found, labels, ids, "standard input" if request.file == "-" else Path(request.file).name)


def _on_first_line(option: str, n_values: int, n: int, source: Source, request: Request) -> str:
    """Return a word on the first line of a table that is one value short."""
    name = request.beside[option]
    if name in source.names or _ending(name) not in _WITH_HEADER or not request.options.header:
        return ""
    if n_values != n - 1:
        return ""
    return (
        f" The first line of {name} is taken for a name. If it is a value, let the file end in .txt, or pass "
        "--no-header if no file has a line of names."
    )


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


def _open(request: Request) -> Source:
    file, named_format, options = request.file, request.format, request.options
    if named_format is not None and named_format not in FORMATS:
        raise FileError(f"--format={named_format} is not known. Allowed are {', '.join(FORMATS)}.")
    if file == "-":
        if named_format is None:
            raise FileError(
                "Standard input has no name to tell its format by. Pass --format, such as --format csv."
            )
        if named_format in ("zarr", "folder"):
            raise FileError(f"--format={named_format} is a folder and cannot come from standard input.")
        _check_options(request, named_format)
        return FORMATS[named_format](io.BytesIO(sys.stdin.buffer.read()), options)  # a pipe cannot be sought
    path = Path(file)
    if not path.exists():
        raise FileError(f"{file} does not exist.{_like(path)}")
    format = named_format or _format_of(path)
    if path.is_dir() and format not in _FOLDERS:
        raise FileError(f"{file} is a folder, and --format={format} is a file. Name a file in it.")
    if path.is_file() and format in ("zarr", "folder"):
        raise FileError(f"{file} is a file, and --format={format} is a folder.")
    _check_options(request, format)
    if path.is_file():
        path.open("rb").close()  # says in the same words for all formats that it may not be read
    return FORMATS[format](path, options)


def _check_options(request: Request, format: str) -> None:
    """Refuse what is said about a file of another format."""
    options = request.options
    beside = {_ending(name) for name in request.beside.values()}
    for option, is_given, formats, read in (
        ("--array", options.array is not None, _WITH_ARRAYS, {format}),
        ("--no-header", not options.header, _WITH_HEADER, {format, *beside}),
        ("--image-size", options.image_size is not None, ("folder",), {format}),
    ):
        if is_given and read.isdisjoint(formats):
            raise FileError(
                f"{option} applies to {_files_of(formats)}, not to {_files_of([format])}. Leave it out."
            )


def _files_of(formats: Sequence[str]) -> str:
    return ", ".join("folders of pictures" if name == "folder" else f".{name}" for name in formats)


def _format_of(path: Path) -> str:
    suffix = _ending(path)
    if path.is_dir() and suffix not in ("zarr", "parquet"):
        kinds = _kinds_in(path)
        if len(kinds) > 1 and ".parquet" in kinds:
            raise FileError(
                f"{path} holds files of several kinds: {', '.join(kinds)}. Name one of them, or pass "
                "--format parquet for the tables or --format folder for the pictures."
            )
        if kinds == [".parquet"]:
            return "parquet"
        marks = ("zarr.json", ".zarray", ".zgroup")
        return "zarr" if any((path / mark).exists() for mark in marks) else "folder"
    if path.suffix.lower() in _PACKED and path.with_suffix("").suffix.lower() in (".csv", ".tsv"):
        return _format_of(path.with_suffix(""))
    if suffix in FORMATS:
        return suffix
    if path.suffix.lower() in SUFFIXES:
        raise FileError(f"{path} is one picture. Name the folder that holds it and the others.")
    ending = f"ends in .{suffix}" if suffix else "has no ending"
    raise FileError(
        f"{path} {ending}, which does not tell its format. Pass --format with one of {', '.join(FORMATS)}."
    )


def _kinds_in(folder: Path) -> list[str]:
    """Return the endings of tables, arrays and pictures in a folder; what is hidden is none of them."""
    known = {f".{name}" for name in FORMATS if name not in ("folder", "txt")} | set(SUFFIXES)
    found = {path.suffix.lower() for path in shown_in(folder)}
    return sorted(found & known)


def _like(path: Path) -> str:
    """Return a word on a file with nearly that name."""
    import difflib

    beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, beside, n=1)
    return f" Did you mean {path.parent / close[0]}?" if close else ""


def _beside(source: Source, request: Request, option: str) -> np.ndarray | None:
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
    format = _ending(path)
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


def _ending(name: str | Path) -> str:
    return Path(name).suffix.lower().removeprefix(".")


def _named(labels: np.ndarray, names: np.ndarray | None) -> np.ndarray:
    """Return the names of labels that are numbers from 0."""
    assert names is not None
    if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= len(names):
        raise FileError(
            f"--label-names gives {len(names)} names, but the labels are not whole numbers from 0 to "
            f"{len(names) - 1}."
        )
    return names[labels]
