"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import uuid4

__all__ = ["check_writable", "whole_file"]


def check_writable(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return ``path`` if a file can be written there, before the work whose result it will hold.

    Parameters
    ----------
    path : str or path
        The file. What is there is left alone.
    name : str
        The parameter, for the error.

    Examples
    --------
    >>> check_writable("/no/such/folder/page.html")
    Traceback (most recent call last):
    ...
    FileNotFoundError: path=/no/such/folder/page.html: the folder /no/such/folder does not exist. Make it \
first, or name another.
    """
    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        raise IsADirectoryError(f"{name}={target} is a folder. Name a file in it.")
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{name}={target}: the folder {folder} does not exist. Make it first, or name another."
        )
    try:
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise PermissionError(
            f"{name}={target}: no file can be written in {folder} ({error.strerror}). Name another folder."
        ) from error
    return target


@contextmanager
def whole_file(path: str | os.PathLike[str], mode: str = "w", name: str = "path") -> Iterator[IO[Any]]:
    """Open a file for writing that replaces ``path`` at the end, or leaves it as it was.

    Parameters
    ----------
    path : str or path
        The file to write.
    mode : {"w", "wb"}
        Text is written as UTF-8.
    name : str
        The parameter, for the error.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/page.html") as file:
    ...         _ = file.write("whole")
    ...     Path(folder, "page.html").read_text()
    'whole'
    """
    target = check_writable(path, name)
    handle, temporary = _beside(target.resolve())
    try:
        text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
        with open(handle, mode, **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target.resolve())
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(target)) from error  # a full disk names no file
        raise


def _beside(target: Path) -> tuple[int, Path]:
    """Open a new file in the folder of ``target``, with the permissions that a new file has there."""
    temporary = target.with_name(f".protopick-{uuid4().hex}")
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    return os.open(temporary, flags, 0o666), temporary
