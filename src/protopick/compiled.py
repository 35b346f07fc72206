"""Kernels: plain loops that numba compiles when they are first called, not when they are imported."""

from __future__ import annotations

import functools
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Plain = TypeVar("Plain", bound=Callable[..., Any])

_compiling = threading.RLock()
_inlined: list[Callable[..., Any]] = []


def inlined(function: Plain) -> Plain:
    """Mark a small plain function that kernels call: it is compiled into each of them.

    A function that makes kernels out of inlined functions is the way to write a loop once for many
    purposes. Kernels on disk are renewed when their own file changes, so an inlined function that may
    still change belongs in the file of its kernels.
    """
    _inlined.append(function)
    return function


def kernel(
    function: Callable[..., Any] | None = None, *, fastmath: Any = False, error_model: str = "python"
) -> Any:
    """Compile ``function`` with numba at its first call, to run without the GIL.

    Importing numba takes a while, so it waits until a kernel is needed. What was compiled is kept on disk,
    where there is a place for it.
    A kernel cannot call another kernel; it may call functions marked with `inlined`. Divisions vectorise
    with ``error_model="numpy"`` only, where division by zero is no error.
    """
    if function is None:
        return functools.partial(kernel, fastmath=fastmath, error_model=error_model)
    dispatcher: Any = None

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        nonlocal dispatcher
        if dispatcher is None:
            with _compiling, _no_garbage_collection():
                if dispatcher is None:
                    dispatcher = _dispatcher(function, fastmath=fastmath, error_model=error_model)
                return dispatcher(*args)
        return dispatcher(*args)

    return call


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keep Python from looking for garbage in what numba makes as it starts, all of which stays.

    That would take as long as the start itself.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _dispatcher(function: Callable[..., Any], **options: Any) -> Any:
    import numba

    while _inlined:
        numba.extending.register_jitable(_inlined.pop())
    try:
        return numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # neither the folder of the package nor that of the user may be written to
        return numba.njit(nogil=True, **options)(function)
