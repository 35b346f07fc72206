"""What a user waits for before anything is computed: import, compilation, loading."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.speed.row import Row, at_most, times_slower

_IMPORT = """
import time
start = time.perf_counter()
import {}
print(time.perf_counter() - start)
"""
_PARTS = "sklearn.base, sklearn.neighbors, sklearn.metrics, sklearn.preprocessing"
"""What protopick imports of scikit-learn."""

_FIT = """
import time
import numpy as np
from protopick import GeneticSelector
rng = np.random.default_rng(0)
X = rng.standard_normal((1000, 64), dtype=np.float32)
y = rng.integers(5, size=1000)

def fit():
    start = time.perf_counter()
    GeneticSelector(10, criterion="label-match", random_state=0).fit(X, y)
    return time.perf_counter() - start

print(fit(), min(fit() for _ in range(5)))
"""


def rows(quick: bool) -> Iterator[Row]:
    """Yield import time, compilation and the overhead of later calls."""
    ours, parts = _import_seconds(3 if quick else 9)
    yield times_slower("import protopick / import its scikit-learn parts", ours, parts, must=1.3)
    with tempfile.TemporaryDirectory() as empty:
        cache = {"NUMBA_CACHE_DIR": empty}
        first, _ = _run(_FIT, cache)
        loads = [_run(_FIT, cache) for _ in range(3)]
    overhead = min(load - warm for load, warm in loads)
    warm = min(warm for _, warm in loads)
    small = "label-match GA on 1,000 x 64"
    yield at_most("first call after install: compilation", first, "s", must=15, note=small)
    figure = "first call in a later process, above a repeated call"
    yield at_most(figure, overhead, "s", must=0.1, note="imports numba, loads compiled kernels")
    yield at_most("repeated call in the same process", warm, "s", must=0.1, note=f"the whole {small}")


def _import_seconds(repeats: int) -> list[float]:
    """Return the median import times of protopick and of its parts, each in fresh processes in turn."""
    programs = [_IMPORT.format("protopick"), _IMPORT.format(_PARTS)]
    rounds = [[_run(program)[0] for program in programs] for _ in range(repeats + 1)]
    return [
        statistics.median(times) for times in zip(*rounds[1:], strict=True)
    ]  # the first fills disk caches


def _run(program: str, environment: dict[str, str] | None = None) -> list[float]:
    """Return the numbers that a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]
