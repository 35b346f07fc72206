"""Python functions in several processes, to which the objects are sent once."""

from __future__ import annotations

import functools
import os
import pickle
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed

from protopick.dissimilarity import Dissimilarity, length
from protopick.objects import Objects


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
        import cloudpickle  # sends closures too

        with os.fdopen(handle, "wb") as file:
            cloudpickle.dump((inner, rows, candidates), file)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        raise NotImplementedError("this wraps another dissimilarity")

    def block(self, rows: np.ndarray, cols: np.ndarray, out: np.ndarray, at: np.ndarray, start: int) -> None:
        parts = np.array_split(rows, min(4 * self._n_jobs, len(rows)))
        parallel = Parallel(n_jobs=self._n_jobs, backend="loky", batch_size=1)
        blocks = parallel(delayed(_compute)(self._path, part, cols) for part in parts)
        out[at, start : start + len(rows)] = np.concatenate(blocks, axis=1)

    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """Return the dissimilarities of each request's rows to its columns."""
        parts = [requests[i :: 4 * self._n_jobs] for i in range(4 * self._n_jobs)]
        parallel = Parallel(n_jobs=self._n_jobs, backend="loky", batch_size=1)
        done = parallel(delayed(_compute_all)(self._path, part) for part in parts if part)
        found: list[np.ndarray] = [np.empty(0)] * len(requests)
        for i, blocks in enumerate(done):
            found[i :: 4 * self._n_jobs] = blocks
        return found


def in_processes(
    inner: Dissimilarity, rows: Objects, candidates: Objects, n_jobs: int
) -> tuple[InProcesses, np.ndarray, np.ndarray]:
    """Return a dissimilarity of indices, and the indices of the rows and of the candidates."""
    row_indices = np.arange(length(rows))
    candidate_indices = row_indices if candidates is rows else np.arange(length(candidates))
    return InProcesses(inner, rows, candidates, n_jobs), row_indices, candidate_indices


def _compute(path: str, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    inner, all_rows, all_candidates = _received(path)
    out = np.empty((len(cols), len(rows)), inner.dtype)
    inner.block(all_rows[rows], all_candidates[cols], out, np.arange(len(cols)), 0)
    return out


def _compute_all(path: str, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    return [_compute(path, rows, cols).T for rows, cols in requests]


@functools.lru_cache(maxsize=1)
def _received(path: str) -> tuple[Dissimilarity, Objects, Objects]:
    with open(path, "rb") as file:
        inner, rows, candidates = pickle.load(file)
    encoded = inner.encode(rows)
    return inner, encoded, encoded if candidates is rows else inner.encode(candidates)
