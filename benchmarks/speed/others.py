"""What the peers take to pick 20 of MNIST, or of as much of it as they can take."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.speed import peers
from benchmarks.speed.clock import best
from benchmarks.speed.data import mnist
from benchmarks.speed.ours import K
from benchmarks.speed.row import Row, missing

_PEERS = [  # name, function, how many objects it can take
    ("onebatch, OneBatchPAM", peers.onebatch, None),
    ("kmedoids, FasterPAM", peers.kmedoids, 5_000),
    ("apricot, facility location", peers.apricot, 2_000),
    ("scikit-learn, kmeans_plusplus", peers.kmeans_plusplus, None),
    ("scikit-learn, MiniBatchKMeans and nearest", peers.mini_batch_kmeans, None),
]


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of each peer."""
    X = mnist().X
    for name, pick, limit in _PEERS:
        some = X[:limit]  # the order is random already
        figure = f"pick {K} of {len(some):,}: {name}"
        try:
            (time,) = best(lambda pick=pick, some=some: pick(some, K), repeats=1 if quick else 3)
        except ImportError:
            yield missing(figure, "not installed")
            continue
        yield Row(figure, other=time, note="needs the n x n matrix" if limit else "")
