"""A block of a metric that is no matrix product, against SciPy's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.speed.clock import best
from benchmarks.speed.data import mnist
from benchmarks.speed.row import Row, times_faster
from protopick import RandomSelector

_COLUMNS = 50


def rows(quick: bool) -> Iterator[Row]:
    """Yield the comparison for the sum of absolute differences."""
    X = mnist().X
    if quick:
        X = X[:10_000]
    selector = RandomSelector(_COLUMNS, metric="cityblock", random_state=0).fit(X)
    doubles = X.astype(np.float64)  # what cdist would turn them into, not counted
    prototypes = doubles[selector.prototype_indices_]
    ours, other = best(
        lambda: selector.transform(X),
        lambda: cdist(doubles, prototypes, "cityblock"),
        repeats=3,
    )
    same = np.allclose(selector.transform(X), cdist(doubles, prototypes, "cityblock"), rtol=1e-4)
    note = f"{len(X):,} x {_COLUMNS}, transform of a fitted selector; SciPy gets its float64 for nothing"
    figure = "SciPy cdist / our block, cityblock"
    yield times_faster(figure, ours, other, must=1.8, aim=4, note=note, valid=same)
