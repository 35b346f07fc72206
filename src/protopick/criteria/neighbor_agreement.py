"""Supervised: in the dissimilarity space, an object's nearest neighbour should have its label."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.criteria.base import Ahead, Criterion, Data
from protopick.criteria.neighbor_space import Space
from protopick.criteria.neighbor_space_on_device import SpaceOnDevice, knows

SAMPLE = 1500


class NeighborAgreement(Criterion):
    """The share of objects that have a neighbour of their class nearer than any of another class.

    Neighbours are those in the dissimilarity space: objects are compared by the Euclidean distance
    between their vectors of dissimilarities to the prototypes. So it is the accuracy of the nearest
    neighbour rule there, each object left out in turn; a tie between classes counts as an error. The
    sample has 1,500 objects, so the cost does not grow with their number.
    """

    name: ClassVar[str] = "neighbor-agreement"
    needs_labels: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    many_at_once: ClassVar[bool] = False

    def n_compared(self, n: int) -> int:
        return min(n, SAMPLE)

    def bind(self, data: Data) -> NeighborAgreementObjective:
        return NeighborAgreementObjective(data.sample(SAMPLE))


class NeighborAgreementObjective:
    """Agreement of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, sample: Data) -> None:
        labels = sample.row_labels
        order = np.argsort(labels, kind="stable")
        counts = np.bincount(np.unique(labels, return_inverse=True)[1])
        ends = np.cumsum(counts)
        weights = np.ones(len(labels)) if sample.weights is None else sample.weights
        space = SpaceOnDevice if knows(sample.columns) else Space
        self._space = space(
            sample.columns,
            order,
            np.repeat(ends - counts, counts),
            np.repeat(ends, counts),
            np.ascontiguousarray(weights[order], dtype=np.int64),
        )

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        features = self._space.features(wanted, ahead)
        where = where.reshape(population.shape)
        return np.array([self._space.agreement(features[some]) for some in where])

    def racing(self, rng: np.random.Generator, tolerance: float) -> NeighborAgreementObjective:
        return self  # a sample already

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> NeighborAgreementAround:
        return NeighborAgreementAround(self._space, prototypes, ahead)


class NeighborAgreementAround:
    """A set whose prototypes are exchanged, and its agreement."""

    def __init__(self, space: Space, prototypes: np.ndarray, ahead: Ahead) -> None:
        self._space = space
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._stand(ahead)

    @property
    def value(self) -> float:
        return self._standing.agreement

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        return self._standing.after(self._space.features(candidates, ahead))

    def exchange(self, position: int, candidate: int) -> None:
        self._prototypes[position] = candidate
        self._stand()

    def _stand(self, ahead: Ahead = None) -> None:
        self._standing = self._space.standing(self._space.features(self._prototypes, ahead))
