"""Time and peak memory against the number of objects, prototypes and features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.speed import apart
from benchmarks.speed.ours import farthest_first, label_match, spanning_tree
from protopick import RandomSelector

_CAP_S = 20
"""A line ends with the first point that takes longer."""


@dataclass(frozen=True)
class Axis:
    """What grows, and what stays."""

    name: str
    values: tuple[int, ...]
    others: dict[str, int]


AXES = [
    Axis("n", (10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000), {"k": 20, "q": 16}),
    Axis("k", (5, 10, 20, 50, 100, 200), {"n": 100_000, "q": 16}),
    Axis("q", (4, 16, 64, 256, 1024), {"n": 100_000, "k": 20}),
]


METHODS: dict[str, Callable[[int], Any]] = {  # how to build the selector of each line, given k
    "GA, label match, exact": lambda k: label_match(n_prototypes=k),
    "GA, label match, 64 pivots": lambda k: label_match(n_prototypes=k, n_pivots=64),
    "GA, label match, racing": lambda k: label_match(n_prototypes=k, evaluation="racing"),
    "GA, spanning tree": lambda k: spanning_tree(n_prototypes=k),
    "farthest first": lambda k: farthest_first(n_prototypes=k),
    "random": lambda k: RandomSelector(k, random_state=0),
}


def points(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield one measured point after the other."""
    for axis in AXES:
        for name, build in METHODS.items():
            yield from _line(axis, name, build, quick)


def _line(axis: Axis, name: str, build: Callable[[int], Any], quick: bool) -> Iterator[dict[str, Any]]:
    for value in axis.values[:2] if quick else axis.values:
        size = {**axis.others, axis.name: value}
        result = apart.measure(build(size["k"]), n=size["n"], q=size["q"], cap_s=_CAP_S)
        if result is None:
            return
        yield {"axis": axis.name, "method": name, **size, **result}
