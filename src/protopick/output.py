"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import uuid4

__all__ = ["all_or_none", "check_writable", "is_written_into", "whole_file"]

_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_waiting: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("waiting", default=None)


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
    if _descriptor(target) is not None:
        return target
    mode = _mode(target, name)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{name}={target} is a folder. Name a file in it.")
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(
            f"{name}={target} exists and may not be written. Allow it by chmod u+w, or name another file."
        )
    if is_written_into(target):
        return target
    folder = target.resolve().parent
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


def is_written_into(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is no file to replace, but a device, a pipe, or an open stream.

    Examples
    --------
    >>> is_written_into("/dev/stdout"), is_written_into("page.html")
    (True, False)
    """
    target = Path(path)
    if _descriptor(target) is not None:
        return True
    mode = _mode(target, "path")
    return mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def whole_file(path: str | os.PathLike[str], mode: str = "w", name: str = "path") -> Iterator[IO[Any]]:
    """Open a file for writing that replaces ``path`` at the end, or leaves it as it was.

    What is no regular file, such as a pipe, a device or ``/dev/stdout``, is written into as it is. Inside
    `all_or_none`, the file takes its place when that ends.

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
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        if is_written_into(target):
            with open(_inlet(target), mode, **text) as file:  # type: ignore[call-overload]
                yield file
        else:
            with _replacing(target, mode, text) as file:
                yield file
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(target)) from error  # a full disk names no file
        raise


@contextmanager
def all_or_none() -> Iterator[None]:
    """Let the files that `whole_file` writes in this block appear at its end, or none of them.

    Standard output is flushed before, as it may go to a disk that is full. A reader who closes it has seen
    enough, so the files appear then too.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with all_or_none():
    ...         with whole_file(f"{folder}/page.html") as file:
    ...             _ = file.write("whole")
    ...         before = os.path.exists(f"{folder}/page.html")
    ...     before, os.path.exists(f"{folder}/page.html")
    (False, True)
    """
    waiting: list[tuple[Path, Path]] = []
    outside = _waiting.set(waiting)
    try:
        try:
            yield
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            _place(waiting)
            raise
        _place(waiting)
    finally:
        _waiting.reset(outside)
        for temporary, _ in waiting:
            with suppress(OSError):
                os.unlink(temporary)


def _place(waiting: list[tuple[Path, Path]]) -> None:
    """Move files to where they belong."""
    while waiting:
        os.replace(*waiting[0])
        del waiting[0]


@contextmanager
def _replacing(target: Path, mode: str, text: dict[str, str]) -> Iterator[IO[Any]]:
    """Open a new file beside ``target`` that takes its place at the end, of `all_or_none` in one."""
    handle, temporary = _beside(target.resolve())
    try:
        with open(handle, mode, **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        waiting = _waiting.get()
        if waiting is None:
            os.replace(temporary, target.resolve())
        else:
            waiting.append((temporary, target.resolve()))
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _beside(target: Path) -> tuple[int, Path]:
    """Open a file in the folder of ``target``, with its permissions, or those that a new file has there."""
    temporary = target.with_name(f".protopick-{uuid4().hex}")
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
    return os.open(temporary, flags, mode), temporary


def _inlet(target: Path) -> int:
    """Open what is written into. A stream keeps its place in the file that it is redirected to."""
    number = _descriptor(target)
    if number is None:
        return os.open(target, os.O_WRONLY)
    sys.stdout.flush()  # what was said before comes first, where both go to one place
    return os.dup(number)


def _descriptor(target: Path) -> int | None:
    """Return the number of an open stream, for a path that means one."""
    named = os.path.abspath(target)
    found = _DESCRIPTOR.fullmatch(named)
    return int(found[1]) if found else _STREAMS.get(named)


def _mode(target: Path, name: str) -> int | None:
    """Return what is at a path, None where nothing is."""
    try:
        return target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # such as a name that is too long
        raise type(error)(f"{name}={target}: {error.strerror}. Name another file.") from error
