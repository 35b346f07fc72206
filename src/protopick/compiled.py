"""Kernels: plain loops that numba compiles when they are first called, not when they are imported."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

_compiling = threading.RLock()


def kernel(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function`` with numba at its first call, cached on disk, running without the GIL.

    Importing numba takes as long as importing scikit-learn, so it waits until a kernel is needed.
    A kernel may not call another kernel.
    """
    if function is None:
        return functools.partial(kernel, fastmath=fastmath)
    dispatcher: Any = None

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        nonlocal dispatcher
        if dispatcher is None:
            with _compiling:
                import numba

                dispatcher = numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
        return dispatcher(*args)

    return call
