"""What is compared: the paper's methods, the peers, and ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.space import CLASSIFIERS, Task
from benchmarks.speed import peers
from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
)

_FEW_CANDIDATES = 1_000
_SUBSAMPLE = 5_000


@dataclass(frozen=True)
class Method:
    """How to pick: returns indices, or one set of them for each classifier."""

    pick: Callable[[Task], np.ndarray | dict[str, np.ndarray]]
    kind: str  # "paper", "peer" or "ours"
    vectors_only: bool = False


def _selector(selector: type, **params: Any) -> Callable[[Task], np.ndarray]:
    return lambda task: task.fit(selector, **params).prototype_indices_


def _on_part(selector: type, size: int, **params: Any) -> Callable[[Task], np.ndarray]:
    """Let only a random part be picked where all pairs of candidates and objects are too many."""

    def pick(task: Task) -> np.ndarray:
        return task.fit(selector, candidates=np.sort(task.some(size)), **params).prototype_indices_

    return pick


def _k_centers(task: Task) -> np.ndarray:
    if len(task.y) <= _SUBSAMPLE or task.metric == "precomputed":
        return task.fit(KCentersSelector).prototype_indices_
    some = task.some(_SUBSAMPLE)
    part = Task(task.X[some], task.y[some], task.k, task.seed, task.metric, task.metric_params)
    return some[part.fit(KCentersSelector).prototype_indices_]


def _peer(pick: Callable[..., np.ndarray], size: int | None = None) -> Callable[[Task], np.ndarray]:
    def run(task: Task) -> np.ndarray:
        if size is None:
            return np.asarray(pick(task.X, task.k, task.seed)).astype(np.intp)
        some = task.some(size)
        return some[np.asarray(pick(task.X[some], task.k, task.seed)).astype(np.intp)]

    return run


def _one_batch_pam(task: Task) -> np.ndarray:
    """Let the peer draw its batch among the numbers of the objects, which need not be vectors."""
    if task.metric == "euclidean":
        return _peer(peers.onebatch)(task)

    def distance(candidates: np.ndarray, batch: np.ndarray, n_jobs: int | None) -> np.ndarray:
        return task.block(batch[:, 0], candidates[:, 0]).T  # (candidates, batch): the peer picks rows

    numbers = np.arange(len(task.y))[:, np.newaxis]
    return np.asarray(peers.onebatch(numbers, task.k, task.seed, distance)).astype(np.intp)


def _faster_pam(task: Task) -> np.ndarray:
    if task.metric == "euclidean":
        return _peer(peers.kmedoids, _SUBSAMPLE)(task)
    some = task.some(_SUBSAMPLE)
    picked = peers.kmedoids_of(task.block(some, some), task.k, task.seed)
    return some[np.asarray(picked).astype(np.intp)]


def _auto(task: Task) -> dict[str, np.ndarray]:
    return {
        name: task.fit(AutoSelector, estimator=classifier()).prototype_indices_
        for name, classifier in CLASSIFIERS.items()
    }


def _genetic(criterion: str, clustered: bool) -> Callable[[Task], np.ndarray]:
    return _selector(GeneticSelector, criterion=criterion, clustered=clustered, evaluation="exact")


METHODS: dict[str, Method] = {
    "Random": Method(_selector(RandomSelector), "paper"),
    "FFT": Method(_selector(FarthestFirstSelector), "paper"),
    "Kcentres": Method(_k_centers, "paper"),
    "FS": Method(_on_part(ForwardSelector, _FEW_CANDIDATES), "paper"),
    "GA MST": Method(_genetic("spanning-tree", False), "paper"),
    "GA (clust) MST": Method(_genetic("spanning-tree", True), "paper"),
    "GA sup": Method(_genetic("label-match", False), "paper"),
    "GA (clust) sup": Method(_genetic("label-match", True), "paper"),
    "stratified": Method(_selector(RandomSelector, stratified=True), "peer"),
    "k-means++": Method(_peer(peers.kmeans_plusplus), "peer", True),
    "MiniBatchKMeans": Method(_peer(peers.mini_batch_kmeans), "peer", True),
    "k-center": Method(_peer(peers.k_center), "peer", True),
    "fpsample": Method(_peer(peers.fpsample), "peer", True),
    "OneBatchPAM": Method(_one_batch_pam, "peer"),
    "FasterPAM": Method(_faster_pam, "peer"),
    "Swap": Method(_selector(SwapSelector, criterion="label-match"), "ours"),
    "Auto": Method(_auto, "ours"),
}
