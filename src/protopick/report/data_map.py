"""The map of the report: a sample of the objects and all prototypes as points."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from protopick.diagnostics.landmarks import landmark_map
from protopick.engine import Columns
from protopick.report.fitted import Reading

_SPAN = 10_000
"""Points are whole numbers up to this: finer than any screen, short in a page."""

_SECONDS = 2.0
_PROBED = 24


class Scale(NamedTuple):
    """How much of the data a map shows."""

    objects: int
    landmarks: int


SCALES = Scale(3000, 200), Scale(1500, 100), Scale(800, 60), Scale(400, 40)
"""From the finest on. A costly dissimilarity gets a coarser map."""


def data_map(
    reading: Reading, columns: Columns, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return which objects are on the map, prototypes first by their worth, and the map itself."""
    scale = _affordable(columns, reading.prototypes)
    others = _others(reading, scale.objects, rng)
    shown = np.concatenate([reading.prototypes, others])
    n_landmarks = min(scale.landmarks, len(shown))
    placed = landmark_map(columns.part(shown), rng, n_landmarks=n_landmarks)
    x, y = _whole(placed.points).T.tolist()
    drawn = {"n_objects": len(shown), "n_landmarks": n_landmarks, "share": placed.share, "x": x, "y": y}
    return shown, drawn


def _others(reading: Reading, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return a random sample of the objects that are no prototypes."""
    n = reading.n
    if n <= most + reading.k:
        drawn = np.arange(n)
    else:
        drawn = np.sort(rng.choice(n, most, replace=False, shuffle=False))
    return np.setdiff1d(drawn, reading.prototypes)


def _affordable(columns: Columns, prototypes: np.ndarray) -> Scale:
    """Return the finest scale that takes a few seconds."""
    n = columns.n_rows
    rows = np.linspace(0, n - 1, min(n, _PROBED)).astype(np.intp)
    columns.block(rows[:1], prototypes[:1])  # compiles what is not compiled
    start = time.perf_counter()
    columns.block(rows, prototypes[:4])
    each = (time.perf_counter() - start) / (len(rows) * min(4, len(prototypes)))
    if columns.dissimilarity.bulk:
        return SCALES[0]  # the probe is all overhead
    fits = (s for s in SCALES if each * min(n, s.objects) * s.landmarks / columns.n_jobs <= _SECONDS)
    return next(fits, SCALES[-1])


def _whole(points: np.ndarray) -> np.ndarray:
    """Return points as whole numbers, with one scale for both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    widest = float((high - low).max())
    return np.rint((points - low) * (_SPAN / widest if widest > 0 else 0)).astype(np.int64)
