"""A file larger than the memory that a fit may take: time against reading it, and peak memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.speed import memory
from benchmarks.speed.clock import seconds
from benchmarks.speed.row import Row, at_most, missing, times_slower

_N, _Q = 5_000_000, 1024
_BLOCK = 1 << 22
_CAP_S = 900

_GENETIC = {"n_prototypes": 20, "criterion": "label-match"}


class _Job(NamedTuple):
    """A fit, and how often it has to read the whole file: a generation needs one pass."""

    name: str
    passes: int
    selector: str
    params: dict[str, Any]
    must: float | None = 2


_JOBS = (
    _Job("farthest first, k = 5", 4, "FarthestFirstSelector", {"n_prototypes": 5}),
    _Job("label-match GA, racing, k = 20", 1, "GeneticSelector", _GENETIC | {"evaluation": "racing"}),
    _Job(  # here the matrix product takes far longer than reading; one pass more is for the clusters
        "label-match GA, exact, 2 generations, k = 20",
        4,
        "GeneticSelector",
        _GENETIC | {"evaluation": "exact", "n_generations": 2},
        must=None,
    ),
)


def rows(quick: bool) -> Iterator[Row]:
    """Yield time and memory for each way to fit."""
    n = 100_000 if quick else _N
    n = min(n, shutil.disk_usage(tempfile.gettempdir()).free // (2 * 4 * _Q))
    if not memory.available:
        yield missing("a file larger than memory", "can be measured on Linux only", at_least=False)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "objects.npy")
        _write(path, n)
        for job in _JOBS:
            yield from _rows(path, n, job)


def _rows(path: Path, n: int, job: _Job) -> Iterator[Row]:
    figure = f"{path.stat().st_size / 1e9:.1f} GB file, {n:,} x {_Q}: {job.name}"
    reading = job.passes * seconds(lambda: _read(path))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed.stored", json.dumps(job._asdict() | {"path": str(path)})],
        capture_output=True, text=True, check=False, timeout=_CAP_S,
    )  # fmt: skip
    if done.returncode:
        yield missing(f"{figure}, time", done.stderr.strip().splitlines()[-1], at_least=False)
        return
    found = json.loads(done.stdout)
    often = f"{job.passes} times" if job.passes > 1 else "once"
    note = f"right: reading the file {often}"
    yield times_slower(f"{figure}, time", found["seconds"], reading, must=job.must, note=note)
    yield at_most(f"{figure}, peak memory of the process", found["bytes"] / 1e6, "MB", must=1500)


def _write(path: Path, n: int) -> None:
    """Write a mixture of ten classes, block by block."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, _Q)).astype(np.float32)
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (n, _Q))
    noise = rng.standard_normal((20_000, _Q), dtype=np.float32)
    for start in range(0, n, len(noise)):
        part = rows[start : start + len(noise)]
        shift = rng.standard_normal(_Q, dtype=np.float32) * 0.1  # no two blocks are alike
        part[:] = noise[: len(part)] + centres[(start + np.arange(len(part))) % 10] + shift
    rows.flush()


def _read(path: Path) -> None:
    """Read all of a file, as a program that does nothing else would."""
    buffer = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def main(job: dict[str, Any]) -> dict[str, float]:
    """Fit the file; return seconds and the peak memory of this process, with Python and all libraries."""
    import protopick

    X = np.load(job["path"], mmap_mode="r")
    y = np.arange(len(X)) % 10
    selector = getattr(protopick, job["selector"])(random_state=0, **job["params"])
    selector.fit(np.random.default_rng(0).random((2_000, _Q), dtype=np.float32), y[:2_000])
    memory.forget_peak()
    time = seconds(lambda: selector.fit(X, y))
    return {"seconds": time, "bytes": memory.peak()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
