"""The dissimilarity space of picked prototypes, and the error of classifiers in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

from benchmarks.data import Objects, Split
from protopick import RandomSelector, ldc, nearest_neighbor, qdc
from protopick.dissimilarity import resolve
from protopick.engine import Columns, Counter, columns_of

CLASSIFIERS: dict[str, Callable[[], Any]] = {"1-NN": nearest_neighbor, "LDC": ldc, "QDC": qdc}


@dataclass(frozen=True)
class Task:
    """Pick k of these objects."""

    X: Any
    y: np.ndarray
    k: int
    seed: int
    metric: str
    metric_params: dict[str, Any] | None

    def fit(self, selector: type, **params: Any) -> Any:
        common = {"metric": self.metric, "metric_params": self.metric_params, "random_state": self.seed}
        return selector(self.k, **common, **params).fit(self.X, self.y)

    def block(self, some: np.ndarray, to: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of some objects to others, for methods that take a matrix."""
        space = RandomSelector(len(to), fixed=to, metric=self.metric, metric_params=self.metric_params)
        return space.fit(self.X).transform(self.X[some])  # (some, to)

    def some(self, size: int) -> np.ndarray:
        """Return a random part, for methods that compare all pairs."""
        n = len(self.y)
        return np.random.default_rng(self.seed).choice(n, min(n, size), replace=False)


def task(data: Objects, parts: Split, k: int, seed: int) -> Task:
    """Return the task to pick k of the objects that a split has for it."""
    X = rows(data, parts.selection, parts)
    return Task(X, data.y[parts.selection], k, seed, data.metric, data.metric_params)


def rows(data: Objects, which: np.ndarray, parts: Split) -> Any:
    """Return some objects; for a precomputed measure, their dissimilarities to those to pick from."""
    if data.metric == "precomputed":
        return data.X[np.ix_(which, parts.selection)]
    return data.X[which]


def columns(X: Any, metric: str, counter: Counter | None = None) -> Columns:
    """Return the columns of dissimilarities that the library's own parts work on."""
    candidates = np.arange(len(X)) if metric == "precomputed" else None
    return columns_of(X, resolve(metric).fit(X), candidates=candidates, counter=counter)


def errors(
    data: Objects,
    parts: Split,
    X: Any,
    picked: dict[str, np.ndarray],
    score: Callable[[np.ndarray, np.ndarray], float] = accuracy_score,
) -> dict[str, float]:
    """Return the test error of each classifier in the space of the prototypes picked for it.

    ``X`` are the objects to pick from, which ``picked`` counts. The error is one minus the ``score`` of the
    labels and what is predicted.
    """
    found: dict[str, float] = {}
    spaces: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    for name, prototypes in picked.items():
        key = prototypes.tobytes()
        if key not in spaces:
            spaces[key] = _space(data, parts, X, prototypes)
        training, test = spaces[key]
        classifier = CLASSIFIERS[name]().fit(training, data.y[parts.training])
        found[name] = 1 - float(score(data.y[parts.test], classifier.predict(test)))
    return found


def _space(data: Objects, parts: Split, X: Any, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and the test part in the dissimilarity space of prototypes."""
    prototypes = np.unique(prototypes)
    space = RandomSelector(
        len(prototypes), fixed=prototypes, metric=data.metric, metric_params=data.metric_params
    ).fit(X)
    return (
        space.transform(rows(data, parts.training, parts)),
        space.transform(rows(data, parts.test, parts)),
    )
