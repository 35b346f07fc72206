"""Run a task for every tile on several threads, with BLAS kept to one thread in each."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from numbers import Integral
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController

Result = TypeVar("Result")


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
        blas = [lib["num_threads"] for lib in _controller().info() if lib["user_api"] == "blas"]
        return max(1, min(max(blas, default=joblib.cpu_count()), joblib.cpu_count()))
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r} is not allowed. Pass a number of threads, -1 for all cores, "
            "or None for as many as the matrix product takes."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


def run(task: Callable[[int], Result], n_tiles: int, threads: int) -> list[Result]:
    """Return ``[task(0), ..., task(n_tiles - 1)]``.

    BLAS rounds differently with the number of its threads, so each tile gets one, whatever
    ``threads`` is. An error or an interrupt stops the other threads after their present tile.
    """
    with one_blas_thread():
        if threads == 1 or n_tiles <= 1:
            return [task(i) for i in range(n_tiles)]
        results: list[Result] = [None] * n_tiles  # type: ignore[list-item]
        tiles, stopped = itertools.count(), False

        def work() -> None:
            while not stopped and (i := next(tiles)) < n_tiles:
                results[i] = task(i)

        futures = [_pool(threads).submit(work) for _ in range(min(threads, n_tiles))]
        try:
            for future in futures:
                future.result()
        finally:
            stopped = True
            wait(futures)
        return results


def one_blas_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread while the context lasts."""
    return _controller().limit(limits=1, user_api="blas")


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="protopick")


if hasattr(os, "register_at_fork"):  # threads do not live on in a forked process
    os.register_at_fork(after_in_child=_pool.cache_clear)
