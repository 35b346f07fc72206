"""How well does a set of prototypes serve objects that no search saw?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from protopick.classifiers import name_of
from protopick.engine import Columns

_MOST_CORRELATED = 400
_HELD_WHOLE = 8000
"""Of so many objects, the whole space of a set is kept while the set is judged."""


@dataclass(frozen=True)
class Losses:
    """What is lost at each of some objects, and how much each counts."""

    losses: np.ndarray
    weights: np.ndarray

    @classmethod
    def joined(cls, parts: list[Losses]) -> Losses:
        """Return the losses of several parts as one."""
        return cls(
            np.concatenate([part.losses for part in parts]), np.concatenate([part.weights for part in parts])
        )

    @property
    def error(self) -> float:
        return float(self.losses @ self.weights / self.weights.sum()) if self.weights.any() else 0.0

    @property
    def std_error(self) -> float:
        """The standard error of the error."""
        if len(self.losses) < 2 or not self.weights.any():
            return float("nan")
        return float(np.sqrt((self.weights**2) @ (self.losses - self.error) ** 2) / self.weights.sum())


class Judge(Protocol):
    """What tells sets of prototypes apart."""

    def says(self, error: float) -> str:
        """Return the error as a phrase."""
        ...

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> Losses:
        """Return losses on ``held_out`` whose mean is the error; the search saw the objects ``seen``."""
        ...


class ByEstimator:
    """The error of a classifier in the dissimilarity space.

    It is trained on objects that the search saw, and tested on the others.
    """

    def __init__(
        self, estimator: Any, columns: Columns, labels: np.ndarray, weights: np.ndarray | None
    ) -> None:
        self._estimator = estimator
        self._columns = columns
        self._labels = np.array(labels.tolist()) if labels.dtype == object else labels
        self._weights = np.ones(len(labels)) if weights is None else weights
        self._space: tuple[bytes, np.ndarray] = b"", np.empty((0, 0))

    def says(self, error: float) -> str:
        return f"error {error:.4f} of {name_of(self._estimator)}"

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> Losses:
        D = self._dissimilarities(np.concatenate([seen, held_out]), prototypes)
        wrong = self._predicted(D[: len(seen)], seen, D[len(seen) :]) != self._labels[held_out]
        return Losses(wrong.astype(np.float64), self._weights[held_out].astype(np.float64))

    def _predicted(self, training: np.ndarray, seen: np.ndarray, test: np.ndarray) -> np.ndarray:
        labels = self._labels[seen]
        if (labels == labels[0]).all():  # many classifiers refuse a single class
            return np.full(len(test), labels[0])
        try:
            return np.asarray(clone(self._estimator).fit(training, labels).predict(test))
        except Exception as error:
            raise ValueError(
                f"estimator={self._estimator!r} failed on the {len(seen)} objects that it was trained on to "
                f"judge a set of prototypes: {error} Pass an estimator that works with so many."
            ) from error

    def _dissimilarities(self, rows: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
        if self._columns.n_rows > _HELD_WHOLE:
            return self._columns.block(rows, prototypes)
        if self._space[0] != prototypes.tobytes():
            everything = np.arange(self._columns.n_rows)
            self._space = prototypes.tobytes(), self._columns.block(everything, prototypes)
        return self._space[1][rows]


class ByCorrelation:
    """One minus the correlation of dissimilarities with distances in the dissimilarity space.

    Measured over the pairs within groups of held-out objects, one loss a group.

    References
    ----------
    E. Olivetti, T. B. Nguyen and E. Garyfallidis, "The approximation of the dissimilarity
    projection", PRNI 2012.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[bytes, np.ndarray] = {}

    def says(self, error: float) -> str:
        return f"correlation {1 - error:.4f} of dissimilarities with distances in the dissimilarity space"

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> Losses:
        some = held_out[:: max(1, len(held_out) // _MOST_CORRELATED)][:_MOST_CORRELATED]
        D = self._columns.block(some, prototypes).astype(np.float64)
        n_groups = max(1, min(10, len(some) // 8))
        losses = [self._loss(some[i::n_groups], D[i::n_groups]) for i in range(n_groups)]
        return Losses(np.array(losses), np.ones(n_groups))

    def _loss(self, group: np.ndarray, features: np.ndarray) -> float:
        pairs = np.triu_indices(len(group), 1)
        if group.tobytes() not in self._known:
            own = self._columns.block(group, group).astype(np.float64)
            self._known[group.tobytes()] = ((own + own.T) / 2)[pairs]
        dissimilarities = self._known[group.tobytes()]
        distances = np.sqrt(((features[pairs[0]] - features[pairs[1]]) ** 2).sum(axis=1))
        if not len(distances) or distances.std() == 0 or dissimilarities.std() == 0:
            return 1.0
        return 1 - float(np.corrcoef(dissimilarities, distances)[0, 1])
