"""Python functions in several processes, to which the objects are sent once."""

from __future__ import annotations

import functools
import os
import pickle
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from itertools import repeat
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from protopick.blas import one_blas_thread
from protopick.dissimilarity import Dissimilarity, length
from protopick.objects import Objects

_IDLE_SECONDS = 300
"""After so long without work, a process ends."""


class InProcesses(Dissimilarity):
    """A dissimilarity that other processes compute; it compares indices instead of objects.

    The objects wait in a temporary file, which each process reads once. The processes stay for the
    next fit.

    Parameters
    ----------
    inner : Dissimilarity
        What the processes compute.
    rows, candidates : Objects
        The objects that indices stand for.
    n_jobs : int
        Number of processes.
    """

    takes: ClassVar[Any] = "objects"
    threads: ClassVar[bool] = False

    def __init__(self, inner: Dissimilarity, rows: Objects, candidates: Objects, n_jobs: int) -> None:
        self.symmetric, self.dtype = inner.symmetric, inner.dtype
        self._n_jobs = n_jobs
        handle, self._path = tempfile.mkstemp(prefix="protopick-", suffix=".pkl")
        weakref.finalize(self, Path(self._path).unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as file:
            _write(file, inner, "metric", "a def that imports what it calls as metric, or ")
            _write(file, (rows, candidates), "an object of X", "")

    def block(self, rows: np.ndarray, cols: np.ndarray, out: np.ndarray, at: np.ndarray, start: int) -> None:
        parts = np.array_split(rows, min(4 * self._n_jobs, len(rows)))
        blocks = self._map(_compute, parts, repeat(cols))
        out[at, start : start + len(rows)] = np.concatenate(blocks, axis=1)

    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """Return the dissimilarities of each request's rows to its columns."""
        parts = [requests[i :: 4 * self._n_jobs] for i in range(4 * self._n_jobs)]
        found: list[np.ndarray] = [np.empty(0)] * len(requests)
        for i, blocks in enumerate(self._map(_compute_all, filter(None, parts))):
            found[i :: 4 * self._n_jobs] = blocks
        return found

    def _map(self, function: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
        """Return what a function of this module finds in the processes that are kept.

        Who asks for results through ``joblib.Parallel`` gets them a hundredth of a second late, with every
        column anew.
        """
        return _POOL.map(self._n_jobs, function, repeat(self._path), *arguments)


class _Pool:
    """Processes that stay from one fit to the next.

    They are not those that joblib keeps for itself: joblib could not use a pool of which it is not the maker.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made_for = 0, 0  # by which process, and how many
        self._executor: ProcessPoolExecutor | None = None

    def map(self, n_jobs: int, function: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
        """Return what ``function`` returns for each of the arguments, in their order."""
        executor = self._of(n_jobs)
        try:
            return list(executor.map(function, *arguments))
        except BrokenExecutor:  # a process was killed; the next fit gets new ones
            self._forget(executor)
            raise

    def _of(self, n_jobs: int) -> ProcessPoolExecutor:
        wanted = os.getpid(), n_jobs  # a fork of this process has none of its processes
        with self._lock:
            if self._executor is None or self._made_for != wanted:
                self._leave(wanted[0])
                self._executor, self._made_for = ProcessPoolExecutor(n_jobs, timeout=_IDLE_SECONDS), wanted
            return self._executor

    def _leave(self, process: int) -> None:
        """Let the processes that there are end. Who waits for their results still gets them."""
        if self._executor is not None and self._made_for[0] == process:
            self._executor.shutdown(wait=False)

    def _forget(self, executor: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is executor:
                self._executor = None


_POOL = _Pool()


def in_processes(
    inner: Dissimilarity, rows: Objects, candidates: Objects, n_jobs: int
) -> tuple[InProcesses, np.ndarray, np.ndarray]:
    """Return a dissimilarity of indices, and the indices of the rows and of the candidates."""
    row_indices = np.arange(length(rows))
    candidate_indices = row_indices if candidates is rows else np.arange(length(candidates))
    return InProcesses(inner, rows, candidates, n_jobs), row_indices, candidate_indices


def _write(file: IO[bytes], value: Any, name: str, or_pass: str) -> None:
    """Write what a process will read, or say how to do without other processes."""
    import cloudpickle  # sends closures too

    try:
        state = cloudpickle.dumps(value)
    except MemoryError:
        raise
    except Exception as error:  # of any kind: an object may say itself how it is pickled
        raise ValueError(
            f"With n_jobs above 1, functions of two objects run in other processes, but {name} cannot be "
            f"sent there: {error}. Pass {or_pass}n_jobs=1."
        ) from error
    file.write(state)


def _compute(path: str, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    inner, all_rows, all_candidates = _received(path)
    out = np.empty((len(cols), len(rows)), inner.dtype)
    with one_blas_thread():  # as in a tile of this process
        inner.block(all_rows[rows], all_candidates[cols], out, np.arange(len(cols)), 0)
    return out


def _compute_all(path: str, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    return [_compute(path, rows, cols).T for rows, cols in requests]


@functools.lru_cache(maxsize=1)
def _received(path: str) -> tuple[Dissimilarity, Objects, Objects]:
    with open(path, "rb") as file:
        inner, (rows, candidates) = pickle.load(file), pickle.load(file)
    encoded = inner.encode(rows)
    return inner, encoded, encoded if candidates is rows else inner.encode(candidates)
