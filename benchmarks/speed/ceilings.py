"""What the machine can do at best: matrix products and reading memory, on all cores used."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.speed.clock import Task, best

PRODUCT = 1_186, 784, 58_800
"""The distinct columns of the GA on MNIST, the features, the objects."""

_BYTES = 2**30


def measure() -> dict[str, float]:
    """Return the ceilings in GFLOP/s and GB/s."""
    return {
        "product_gflops": 2 * math.prod(PRODUCT) / best(product(*PRODUCT))[0] / 1e9,
        "read_gb_per_s": _read_gb_per_s(),
        "copy_gb_per_s": _copy_gb_per_s(),
    }


def product(n_columns: int, n_features: int, n_objects: int) -> Task:
    """Return the task of one float32 matrix product into memory that is there already."""
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((n_columns, n_features), dtype=np.float32)
    objects = rng.standard_normal((n_objects, n_features), dtype=np.float32)
    out = np.empty((n_columns, n_objects), np.float32)

    def multiply() -> None:
        with threadpool_limits(joblib.cpu_count(), user_api="blas"):
            np.matmul(columns, objects.T, out=out)

    return multiply


def _read_gb_per_s() -> float:
    parts = np.array_split(np.ones(_BYTES // 4, np.float32), joblib.cpu_count())
    return _BYTES / _on_all_cores(lambda part: part @ part, parts) / 1e9


def _copy_gb_per_s() -> float:
    """Count each byte twice: it is read and written."""
    parts = np.array_split(np.ones((2, _BYTES // 8), np.float32), joblib.cpu_count(), axis=1)
    return _BYTES / _on_all_cores(lambda part: np.copyto(part[1], part[0]), parts) / 1e9


def _on_all_cores(task: Callable[[np.ndarray], Any], parts: list[np.ndarray]) -> float:
    """Return the time of ``task`` over all parts at once, one for each core."""
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(len(parts)) as pool:
        return best(lambda: list(pool.map(task, parts)))[0]
