"""The supervised genetic algorithm as the paper writes it, with the random draws of ours.

The fitness is Algorithm 3, line by line, for one individual after the other. It is put in the place of
the library's criterion, so clusters, draws, crossover and mutation are the library's own, and the
result must be equal. (Clusters take the library a few hundredths of a second, which favours this side.)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple
from unittest import mock

import numpy as np
from sklearn.metrics import pairwise_distances, pairwise_distances_argmin

from benchmarks.speed.ours import label_match
from protopick.criteria import CRITERIA, Criterion
from protopick.criteria.label_match import LabelMatch

Nearest = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Run(NamedTuple):
    """The best value after each generation, and how long each population took to evaluate."""

    history: list[float]
    seconds: list[float]


def by_distances(X: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Algorithm 3, lines 1 and 4, with the function that most people would call."""
    return pairwise_distances(X, prototypes).argmin(axis=1)


def by_argmin(X: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """The same with the function that scikit-learn has for it."""
    return pairwise_distances_argmin(X, prototypes)


def matches(X: np.ndarray, y: np.ndarray, picked: np.ndarray, nearest: Nearest = by_argmin) -> int:
    """Algorithm 3: how many objects have the label of their nearest prototype."""
    return int((y[picked][nearest(X, X[picked])] == y).sum())


def fit(X: np.ndarray, y: np.ndarray, nearest: Nearest, n_generations: int) -> Run:
    """Run Algorithm 1 with the fitness as written."""
    criterion = AsWritten(X, y, nearest)
    with mock.patch.dict(CRITERIA, {"label-match": criterion}):
        selector = label_match(n_generations=n_generations).fit(X, y)
    # What comes after the generations puts the prototypes in order; the paper has no such step.
    return Run(selector.history_, criterion.seconds[: 1 + n_generations])


def columns_asked_for(X: np.ndarray, y: np.ndarray) -> tuple[int, int]:
    """Return how many different columns the search asks for, and how many with repeats."""
    asked: list[np.ndarray] = []

    class Listed(LabelMatch):
        def bind(self, *data: Any) -> Callable[..., np.ndarray]:
            objective = super().bind(*data)

            def values(population: np.ndarray, *rest: Any) -> np.ndarray:
                asked.append(population)
                return objective(population, *rest)

            return values

    with mock.patch.dict(CRITERIA, {"label-match": Listed()}):
        selector = label_match().fit(X, y)
    populations = np.array(asked[: 1 + selector.n_generations])  # what follows only orders the prototypes
    return len(np.unique(populations)), populations.size


class AsWritten(Criterion):
    """Label matches, computed anew for every individual."""

    name: ClassVar[str] = "label-match"
    needs_labels: ClassVar[bool] = True

    def __init__(self, X: np.ndarray, y: np.ndarray, nearest: Nearest) -> None:
        self._X, self._y, self._nearest = X, y, nearest
        self.seconds: list[float] = []

    def bind(self, *_: Any, **__: Any) -> Callable[..., np.ndarray]:
        return self._values

    def _values(self, population: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
        start = time.perf_counter()
        values = [matches(self._X, self._y, genes, self._nearest) for genes in population]
        self.seconds.append(time.perf_counter() - start)
        return np.array(values)
