"""Matrices from elsewhere, and what `describe` says of them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.data import load
from benchmarks.objects.line import Line
from protopick import describe

# As the collection of these files notes them: the negative eigenfraction, and the error of the nearest
# neighbour, each object left out in turn.
NOTED = {
    "chickenpieces_20_60": (0.298, 0.0695),
    "gpcr283": (None, 0.0530),
    "protein213": (0.001, 0.0188),
    "catcortex65": (0.208, 0.1692),
}


def lines() -> Iterator[Line]:
    for name, noted in NOTED.items():
        file = load(f"D_{name}")
        found = describe(file["D"], "precomputed", y=file["y"])
        for what, value, expected, digits in (
            ("negative eigenfraction", found.negative_eigenfraction, noted[0], 3),
            ("1-NN error, left out in turn", found.nearest_neighbor_error, noted[1], 4),
        ):
            if expected is not None:
                met = round(float(value), digits) == expected
                yield Line(f"{name}: {what}", f"{value:.{digits}f}", f"{expected}", met)
