"""The formats of files: which one a file has, and how it is opened."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

from protopick.cli.files.hdf5 import open_hdf5
from protopick.cli.files.images import SUFFIXES, open_folder
from protopick.cli.files.numpy_arrays import open_npy, open_npz
from protopick.cli.files.source import FileError, OpenSource, Request, Source, shown_in
from protopick.cli.files.tables import open_delimited, open_feather, open_parquet, open_tabbed
from protopick.cli.files.text import open_json_lines, open_text
from protopick.cli.files.zarr_arrays import open_zarr

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
WITH_HEADER = ("csv", "tsv")
_FOLDERS = ("zarr", "parquet", "folder")
_PACKED = (".gz", ".bz2", ".zst")


def open_source(request: Request) -> Source:
    """Open the file that holds the objects."""
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
    beside = {ending_of(name) for name in request.beside.values()}
    for option, is_given, formats, read in (
        ("--array", options.array is not None, _WITH_ARRAYS, {format}),
        ("--header/--no-header", options.header is not None, WITH_HEADER, {format, *beside}),
        ("--image-size", options.image_size is not None, ("folder",), {format}),
    ):
        if is_given and read.isdisjoint(formats):
            raise FileError(
                f"{option} applies to {_files_of(formats)}, not to {_files_of([format])}. Leave it out."
            )


def _files_of(formats: Sequence[str]) -> str:
    return ", ".join("folders of pictures" if name == "folder" else f".{name}" for name in formats)


def _format_of(path: Path) -> str:
    suffix = ending_of(path)
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


def ending_of(name: str | Path) -> str:
    """Return what a name ends in, without the dot."""
    return Path(name).suffix.lower().removeprefix(".")
