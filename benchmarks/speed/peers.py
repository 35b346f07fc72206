"""How each peer is called to pick k objects: ``f(X, k, seed) -> indices``.

Each raises ImportError where the peer is not installed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def fpsample(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Farthest-first traversal, C++."""
    from fpsample import fps_sampling

    return fps_sampling(X, k, start_idx=int(np.random.default_rng(seed).integers(len(X))))


def k_center(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Farthest-first traversal, Rust; it also assigns every object to its centre."""
    from k_center import KCenter

    return KCenter(n_clusters=k, distance_metric="euclidean", random_state=seed).fit(X).center_indices_


def onebatch(
    X: np.ndarray, k: int, seed: int = 0, distance: str | Callable[..., np.ndarray] = "euclidean"
) -> np.ndarray:
    """k-medoids on an n x m matrix; ``distance`` returns that of X and the part of it that the peer draws."""
    from onebatch import OneBatchPAM

    return OneBatchPAM(n_medoids=k, distance=distance, random_state=seed).fit(X).medoid_indices_


def kmedoids(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """FasterPAM, which needs the n x n matrix."""
    from sklearn.metrics import pairwise_distances

    return kmedoids_of(pairwise_distances(X).astype(np.float32, copy=False), k, seed)


def kmedoids_of(D: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """FasterPAM of an n x n matrix, whose columns are the candidates."""
    from kmedoids import fasterpam

    return fasterpam(D, k, init="random", random_state=seed).medoids


def apricot(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Facility location, which needs the n x n matrix."""
    from apricot import FacilityLocationSelection

    return (
        FacilityLocationSelection(k, metric="euclidean", optimizer="lazy", random_state=seed).fit(X).ranking
    )


def kmeans_plusplus(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    from sklearn.cluster import kmeans_plusplus as draw

    return draw(X, k, random_state=seed)[1]


def mini_batch_kmeans(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """The object nearest to each mean."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import pairwise_distances_argmin

    means = MiniBatchKMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_
    return pairwise_distances_argmin(means, X)
