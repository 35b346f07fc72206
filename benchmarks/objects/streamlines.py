"""Streamlines, by the minimum direct-flip distance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.data import load
from benchmarks.objects.line import Line
from benchmarks.speed.clock import best
from protopick import FarthestFirstSelector, RandomSelector

_N, _POINTS, _K = 100_000, 20, 50
_SOME, _FEW = 300, 40


def lines() -> Iterator[Line]:
    yield from _by_definition()
    rng = np.random.default_rng(0)
    made = rng.normal(size=(_N, _POINTS, 3)).cumsum(axis=1).astype(np.float32)
    traversal = FarthestFirstSelector(_K, metric="mdf", random_state=0)
    (seconds,) = best(lambda: traversal.fit(made), repeats=2)
    figure = f"{_N:,} made streamlines of {_POINTS} points: farthest first, k = {_K}"
    yield Line(figure, f"{seconds:.2f} s", "10 s", seconds <= 10)


def _by_definition() -> Iterator[Line]:
    for name in ("minimal_bundles", "lr_superiorfrontal"):
        file = load(f"streamlines_{name}")
        some = np.split(file["points"], file["offsets"][1:-1])[:_SOME]
        space = RandomSelector(_FEW, fixed=np.arange(_FEW), metric="mdf").fit(some)
        points = [_resampled(line, _POINTS) if len(line) != _POINTS else line for line in some]
        expected = np.array([[_flipped(a, b) for b in points[:_FEW]] for a in points])
        off = float(np.abs(space.transform(some) - expected).max() / expected.max())
        figure = f"{name}: MDF, largest difference to its definition, relative"
        yield Line(figure, f"{off:.0e}", "1e-4", off <= 1e-4)


def _resampled(line: np.ndarray, n: int) -> np.ndarray:
    """Return n points at equal steps along a line."""
    steps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    at = np.linspace(0, steps[-1], n)
    return np.stack([np.interp(at, steps, line[:, axis]) for axis in range(3)], axis=1)


def _flipped(a: np.ndarray, b: np.ndarray) -> float:
    """Return the mean distance of points, in the better of both directions."""
    return min(np.linalg.norm(a - c, axis=1).mean() for c in (b, b[::-1]))
