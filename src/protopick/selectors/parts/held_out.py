"""How well does a set of prototypes serve objects that were not trained on?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.base import clone

from protopick.classifiers import name_of
from protopick.engine import Columns

_MOST_CORRELATED = 400

Splits = list[tuple[np.ndarray, np.ndarray]]
"""Pairs of objects to train on and objects to test on."""


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

    trains: ClassVar[bool]
    """Whether there is something to train."""

    def says(self, error: float) -> str:
        """Return the error as a phrase."""
        ...

    def losses(self, columns: Columns, prototypes: np.ndarray, splits: Splits) -> Losses:
        """Return losses on the tested objects, whose mean is the error."""
        ...


class FailedEstimatorError(ValueError):
    """The user's classifier failed on a set of prototypes."""


class ByEstimator:
    """The error of a classifier in the dissimilarity space.

    The loss of an object is the share of the splits that test it in which it is taken for another class.
    """

    trains: ClassVar[bool] = True

    def __init__(self, estimator: Any, labels: np.ndarray, weights: np.ndarray | None) -> None:
        self._estimator = estimator
        self._labels = np.array(labels.tolist()) if labels.dtype == object else labels
        self._weights = np.ones(len(labels)) if weights is None else weights

    def says(self, error: float) -> str:
        return f"error {error:.4f} of {name_of(self._estimator)}"

    def losses(self, columns: Columns, prototypes: np.ndarray, splits: Splits) -> Losses:
        objects = np.unique(np.concatenate([np.concatenate(split) for split in splits]))
        if len(objects) == columns.n_rows:  # what the search kept is not computed again
            D = columns.table(prototypes, keep=True)
        else:
            D = columns.block(objects, prototypes)
        wrong, times = np.zeros(len(objects)), np.zeros(len(objects))
        for split in splits:
            trained, tested = (np.searchsorted(objects, part) for part in split)
            predicted = self._predicted(D[trained], self._labels[objects[trained]], D[tested])
            wrong[tested] += predicted != self._labels[objects[tested]]
            times[tested] += 1
        was_tested = times > 0
        weights = self._weights[objects[was_tested]].astype(np.float64)
        return Losses(wrong[was_tested] / times[was_tested], weights)

    def _predicted(self, training: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
        if (labels == labels[0]).all():  # many classifiers refuse a single class
            return np.full(len(test), labels[0])
        try:
            predicted = np.asarray(clone(self._estimator).fit(training, labels).predict(test))
        except MemoryError:
            raise
        except Exception as error:
            raise FailedEstimatorError(
                f"estimator={self._estimator!r} failed on {len(labels)} objects that it was trained on to "
                f"judge a set of prototypes ({type(error).__name__}: {error}). Pass one that works with them."
            ) from error
        if predicted.shape == (len(test), 1):
            predicted = predicted[:, 0]
        if predicted.shape != (len(test),):
            raise FailedEstimatorError(
                f"estimator={self._estimator!r} predicted an array of shape {predicted.shape} for "
                f"{len(test)} objects. Pass a classifier that predicts one class for each."
            )
        return predicted


class ByCorrelation:
    """One minus the correlation of dissimilarities with distances in the dissimilarity space.

    Measured over the pairs within groups of tested objects, one loss a group.

    References
    ----------
    E. Olivetti, T. B. Nguyen and E. Garyfallidis, "The approximation of the dissimilarity
    projection", PRNI 2012.
    """

    trains: ClassVar[bool] = False

    def __init__(self) -> None:
        self._known: dict[bytes, np.ndarray] = {}

    def says(self, error: float) -> str:
        return f"correlation {1 - error:.4f} of dissimilarities with distances in the dissimilarity space"

    def losses(self, columns: Columns, prototypes: np.ndarray, splits: Splits) -> Losses:
        return Losses.joined([self._losses(columns, prototypes, tested) for _, tested in splits])

    def _losses(self, columns: Columns, prototypes: np.ndarray, tested: np.ndarray) -> Losses:
        some = tested[:: max(1, len(tested) // _MOST_CORRELATED)][:_MOST_CORRELATED]
        D = columns.block(some, prototypes).astype(np.float64)
        n_groups = max(1, min(10, len(some) // 8))
        losses = [self._loss(columns, some[i::n_groups], D[i::n_groups]) for i in range(n_groups)]
        return Losses(np.array(losses), np.ones(n_groups))

    def _loss(self, columns: Columns, group: np.ndarray, features: np.ndarray) -> float:
        pairs = np.triu_indices(len(group), 1)
        if group.tobytes() not in self._known:
            own = columns.block(group, group).astype(np.float64)
            self._known[group.tobytes()] = ((own + own.T) / 2)[pairs]
        dissimilarities = self._known[group.tobytes()]
        distances = np.sqrt(((features[pairs[0]] - features[pairs[1]]) ** 2).sum(axis=1))
        if not len(distances) or distances.std() == 0 or dissimilarities.std() == 0:
            return 1.0
        return 1 - float(np.corrcoef(dissimilarities, distances)[0, 1])
