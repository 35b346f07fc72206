"""Series, by dynamic time warping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from dtaidistance import dtw

from benchmarks.data import load
from benchmarks.objects.line import Line
from benchmarks.speed.clock import best
from protopick import RandomSelector

_SERIES, _COLUMNS = 600, 40


def lines() -> Iterator[Line]:
    for name in ("ECG5000", "PLAID", "GunPoint"):
        yield _against_dtaidistance(name, _series(load(f"ts_{name}")))


def _series(file: Any) -> list[np.ndarray]:
    if "offsets" in file:
        some = np.split(file["points"][:, 0], file["offsets"][1:-1])[:_SERIES]
    else:
        some = list(file["X"][:_SERIES])
    return [np.ascontiguousarray(one, dtype=np.float64) for one in some]


def _against_dtaidistance(name: str, some: list[np.ndarray]) -> Line:
    """Time one block against the library's own call for the same pairs, both on all cores."""
    window = max(1, round(0.1 * max(map(len, some))))
    n, m = len(some), min(_COLUMNS, len(some) // 2)
    space = RandomSelector(m, fixed=np.arange(m), metric="dtw", metric_params={"window": window}).fit(
        some[:m]
    )

    def ours() -> np.ndarray:
        return space.transform(some[m:])

    def theirs() -> np.ndarray:
        block = (0, m), (m, n)  # a window of theirs counts the diagonal too
        return dtw.distance_matrix_fast(some, window=window + 1, block=block, compact=True, parallel=True)

    np.testing.assert_allclose(np.sort(ours(), axis=None), np.sort(theirs(), axis=None), rtol=1e-6)
    mine, other = best(ours, theirs, repeats=5)
    figure = f"{name}: DTW, window 10 %, {m} x {n - m} series / dtaidistance's own call"
    note = f"{mine * 1e3:.0f} ms, {other * 1e3:.0f} ms"
    return Line(figure, f"{mine / other:.2f}", "1.2", mine <= 1.2 * other, note)
