"""How well does a set of prototypes serve objects that no search saw?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from protopick.engine import Columns

_MOST_CORRELATED = 400


@dataclass(frozen=True)
class Score:
    """An error, with its standard error."""

    error: float
    std_error: float


class Judge(Protocol):
    """What tells sets of prototypes apart."""

    def says(self, error: float) -> str:
        """Return the error as a phrase."""
        ...

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        """Return losses on ``held_out`` whose mean is the error; the search saw the objects ``seen``."""
        ...


class ByEstimator:
    """The error of a classifier in the dissimilarity space.

    It is trained on objects that the search saw, at most 5,000 of them, and tested on the others.
    """

    def __init__(
        self, estimator: Any, columns: Columns, labels: np.ndarray, weights: np.ndarray | None
    ) -> None:
        self._estimator = estimator
        self._columns = columns
        self._labels = labels
        self._weights = weights

    def says(self, error: float) -> str:
        return f"error {error:.4f} of {type(self._estimator).__name__}"

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        rows = np.concatenate([seen, held_out])
        D = self._columns.block(rows, prototypes)
        estimator = clone(self._estimator).fit(D[: len(seen)], self._labels[seen])
        wrong = (np.asarray(estimator.predict(D[len(seen) :])) != self._labels[held_out]).astype(np.float64)
        if self._weights is not None:
            weights = self._weights[held_out]
            wrong *= weights / max(weights.mean(), 1e-300)
        return wrong


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

    def losses(self, prototypes: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        some = held_out[:: max(1, len(held_out) // _MOST_CORRELATED)][:_MOST_CORRELATED]
        D = self._columns.block(some, prototypes).astype(np.float64)
        n_groups = max(1, min(10, len(some) // 8))
        return np.array([self._loss(some[i::n_groups], D[i::n_groups]) for i in range(n_groups)])

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


def score(losses: np.ndarray) -> Score:
    """Return the mean loss and its standard error."""
    spread = losses.std(ddof=1) if len(losses) > 1 else np.nan
    return Score(float(losses.mean()), float(spread / np.sqrt(len(losses))))
