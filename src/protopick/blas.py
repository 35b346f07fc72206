"""How many threads BLAS takes, and how to keep it to one."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

_lock = threading.Lock()
_open: list[tuple[Any, int | None]] = []  # for each open context, what ends the limit and what was before it


def n_blas_threads() -> int | None:
    """Return how many threads a matrix product takes, None where that is not to be known.

    Within `one_blas_thread`, how many it takes outside.
    """
    with _lock:
        return _open[0][1] if _open else _n_now()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread while the context lasts.

    The number of threads belongs to the whole process. Where contexts of several threads overlap, the
    first one sets it and the last one sets it back.
    """
    with _lock:
        _open.append(_open[0] if _open else _limited())
    try:
        yield
    finally:
        with _lock:
            limiter, _ = _open.pop()
            if not _open:
                _disown()  # another thread may have set the limit
                limiter.restore_original_limits()
                _disown()


def _limited() -> tuple[Any, int | None]:
    before = _n_now()
    return _controller().limit(limits=1, user_api="blas"), before


def _n_now() -> int | None:
    threads = [lib["num_threads"] for lib in _controller().info() if lib["user_api"] == "blas"]
    return max(threads, default=None)


def _disown() -> None:
    """Let any thread set the limit; newer versions of threadpoolctl let only the one that set it first."""
    getattr(OpenBLASController, "clear_controlling_thread", _do_nothing)(force=True)


def _do_nothing(force: bool) -> None:
    pass


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
