"""Run a task for every tile on several threads, with BLAS kept to one thread in each."""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import TypeVar

import joblib

from protopick.blas import n_blas_threads, one_blas_thread
from protopick.checks import shown

Result = TypeVar("Result")
_here = threading.local()


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` stands for.

    None means as many as NumPy's own matrix product takes, so that limits set in the environment, by
    threadpoolctl or for the workers of joblib hold here too. -1 means all cores, -2 all but one.

    Examples
    --------
    >>> n_threads(2)
    2
    """
    if n_jobs is None:
        return max(1, min(n_blas_threads() or joblib.cpu_count(), joblib.cpu_count()))
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs={shown(n_jobs)} is not allowed. Pass a number of threads, -1 for all cores, "
            "or leave it out for as many as the matrix product takes."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


def run(task: Callable[[int], Result], n_tiles: int, threads: int) -> list[Result]:
    """Return ``[task(0), ..., task(n_tiles - 1)]``.

    BLAS rounds differently with the number of its threads, so each tile gets one, whatever
    ``threads`` is. An error or an interrupt stops the other threads after their present tile.
    """
    with one_blas_thread():
        if threads == 1 or n_tiles <= 1 or getattr(_here, "is_worker", False):
            return [task(i) for i in range(n_tiles)]
        results: list[Result] = [None] * n_tiles  # type: ignore[list-item]
        tiles, stopped = itertools.count(), False

        def work() -> None:
            nonlocal stopped
            _here.is_worker = True  # a task that runs tasks must not wait for the pool it is in
            try:
                while not stopped and (i := next(tiles)) < n_tiles:
                    results[i] = task(i)
            finally:
                stopped = True  # nothing is left, or there was an error
                _here.is_worker = False

        futures = [_pool(threads).submit(work) for _ in range(min(threads, n_tiles) - 1)]
        try:
            work()  # this thread is one of them
        finally:
            begun = [future for future in futures if not future.cancel()]
            errors = [future.exception() for future in begun]  # waits
        for error in filter(None, errors):
            raise error
        return results


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="protopick")


if hasattr(os, "register_at_fork"):  # threads do not live on in a forked process
    os.register_at_fork(after_in_child=_pool.cache_clear)
