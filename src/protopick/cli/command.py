"""What every command gets: groups of options, and errors as one sentence."""

from __future__ import annotations

import errno
import inspect
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console
from rich.markup import escape

from protopick.cli.files.source import FileError
from protopick.cli.words import in_options, of_a_model
from protopick.output import all_or_none, is_written_into

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "command",
    "note",
    "outputs",
    "progress_console",
    "result_console",
    "shown_command",
]

FAILED = 1
INTERRUPTED = 130

_IN_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
_EXPECTED = (ValueError, OSError, ImportError, MemoryError)
_Debug = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function into a command.

    A parameter whose type is a dataclass becomes one option for each of its fields, so that commands
    can share groups of options. The option ``--debug`` is added; without it, errors and warnings are
    told in plain sentences.
    """
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            parameters |= _fields(groups[name])
        else:
            parameters[name] = _keyword(name, hints[name], parameter.default)
    parameters["debug"] = _keyword("debug", _Debug, False)

    @wraps(function)
    def run(debug: bool = False, **values: Any) -> None:
        with _told(debug, "metric" in parameters):
            own = {name: values.pop(name) for name in list(values) if name in hints}
            for name, kind in groups.items():
                own[name] = kind(**{field: values[field] for field in _fields(kind)})
            function(**own)

    ordered = sorted(parameters.values(), key=lambda p: p.default is not inspect.Parameter.empty)
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__doc__ = _unwrapped(function.__doc__ or "")
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return run


def _unwrapped(text: str) -> str:
    """Return a docstring with a line for each paragraph: terminals of any width break them themselves."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def note(sentence: str) -> None:
    """Say something that the user should know, beside the result."""
    progress_console().print(f"[yellow]Note:[/] {escape(sentence)}", soft_wrap=True)


def result_console() -> Console:
    """Return where results go that are more than plain lines."""
    return _ResultConsole(highlight=False)


class _ResultConsole(Console):
    def on_broken_pipe(self) -> None:
        """Tell a reader who has seen enough like everything else does, where rich would end the program."""
        raise BrokenPipeError


def progress_console() -> Console:
    """Return where remarks go: not into the result."""
    return Console(stderr=True, highlight=False)


@contextmanager
def outputs(unnamed: str | None = None) -> Iterator[None]:
    """Let all files of a command appear at its end, or none; tell where one replaced what nobody named.

    Parameters
    ----------
    unnamed : str, optional
        The file that is written where ``--out`` is not passed, if it is not.
    """
    was_there = unnamed is not None and os.path.exists(unnamed)
    with all_or_none():
        yield
    if was_there:
        note(f"{unnamed} was there before, and was replaced. Name another file by --out to keep it.")


def shown_command(arguments: Sequence[str]) -> str:
    """Return a command as a page shows it that others get: without the folders of whoever ran it.

    Examples
    --------
    >>> shown_command(["pick", "/home/ann/flowers.csv", "--labels=/home/ann/y.txt", "--save", "a/b.model"])
    'protopick pick flowers.csv --labels=y.txt --save a/b.model'
    """
    return shlex.join(["protopick", *map(_without_folders, arguments)])


def _without_folders(argument: str) -> str:
    """Return an argument, or the name of the file where it is a whole path."""
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    if os.path.isabs(value) and not is_written_into(value):  # /dev/stdin is nobody's folder
        value = os.path.basename(os.path.normpath(value))
    return f"{option}{equals}{value}"


def _fields(group: Any) -> dict[str, inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return {
        name: _keyword(name, hints[name], parameter.default)
        for name, parameter in inspect.signature(group).parameters.items()
    }


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@contextmanager
def _told(debug: bool, chooses_metric: bool) -> Iterator[None]:
    """Tell errors and warnings in plain sentences, unless they are to be shown as they are."""
    try:
        with _plain_warnings():
            yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:  # the reader of the output has seen enough
        sys.stderr.close()
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        _complain("Stopped. Files that were there before are as they were.")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if debug:
            raise
        _complain(_sentence(error, chooses_metric))
        raise typer.Exit(FAILED) from None


def _complain(sentence: str) -> None:
    progress_console().print(f"[bold red]Error:[/] {escape(sentence)}", soft_wrap=True)


def _sentence(error: Exception, chooses_metric: bool) -> str:
    if isinstance(error, MemoryError):
        return f"Not enough memory ({error}). Pass a smaller --memory, or fewer objects."
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        kept = " Files that were there before are as they were." if error.errno in _IN_WRITING else ""
        return f"{where}{error.strerror}.{kept}"
    text = " ".join(str(error).split())
    if not isinstance(error, FileError):  # which speaks of the file already
        text = in_options(text)
    if not chooses_metric:
        text = of_a_model(text)
    if isinstance(error, _EXPECTED):
        return text
    return f"Unexpected {type(error).__name__}: {text}. Run again with --debug, and please report it."


@contextmanager
def _plain_warnings() -> Iterator[None]:
    said = set()

    def show(message: Warning | str, *rest: Any, **options: Any) -> None:
        sentence = " ".join(str(message).split())
        if sentence not in said:  # once is enough, from wherever it comes
            said.add(sentence)
            note(in_options(sentence))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
