"""Farthest-first traversal against the two peers that do nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.speed import peers
from benchmarks.speed.clock import best
from benchmarks.speed.data import both_kinds, mixture
from benchmarks.speed.ours import K, farthest_first
from benchmarks.speed.row import Row, missing, times_faster

_PEERS = {"fpsample": peers.fpsample, "k-center": peers.k_center}


def rows(quick: bool) -> Iterator[Row]:
    """Yield both peers on both sets."""
    for name, X in both_kinds().items():
        for peer, pick in _PEERS.items():
            yield _row(f"{peer} / FarthestFirst, {name}", pick, X, must=3, aim=8)
    X = mixture(1_000_000, 8)[0]
    for peer, pick in _PEERS.items():
        yield _row(f"{peer} / FarthestFirst, 1,000,000 x 8", pick, X, must=1, aim=2)


def _row(figure: str, pick: Callable[[np.ndarray, int], np.ndarray], X: np.ndarray, **limits: float) -> Row:
    try:
        ours, other = best(lambda: farthest_first().fit(X), lambda: pick(X, K), repeats=3)
    except ImportError:
        return missing(figure, "not installed", **limits)
    return times_faster(figure, ours, other, **limits)
