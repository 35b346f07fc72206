"""Supervised: in the dissimilarity space, an object's nearest neighbour should have its label."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from protopick.criteria.base import Ahead, Criterion, Data, Objective
from protopick.criteria.parts.neighbor_space import Space
from protopick.criteria.parts.neighbor_space_on_device import SpaceOnDevice, knows

SAMPLE = 1500


class _Neighbors(Criterion):
    needs_labels: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    many_at_once: ClassVar[bool] = False
    smooth: ClassVar[bool]

    def n_compared(self, n: int) -> int:
        return min(n, SAMPLE)

    def bind(self, data: Data) -> NeighborObjective:
        sample = data.sample(SAMPLE)
        kind = SpaceOnDevice if knows(sample.columns) else Space
        return NeighborObjective(kind(sample, self.smooth))


class NeighborAgreement(_Neighbors):
    """The share of objects that have a neighbour of their class nearer than any of another class.

    Neighbours are those in the dissimilarity space: objects are compared by the Euclidean distance
    between their vectors of dissimilarities to the prototypes. So it is the accuracy of the nearest
    neighbour rule there, each object left out in turn; a tie between classes counts as an error. The
    sample has 1,500 objects, so the cost does not grow with their number.
    """

    name: ClassVar[str] = "neighbor-agreement"
    smooth: ClassVar[bool] = False


class NeighborMargin(_Neighbors):
    """How much nearer an object's neighbour of its class is than any of another class.

    With the distances a to the nearest of its class and b to the nearest of another, both in the
    dissimilarity space, an object counts as ``1/2 + t / (2 + 2 |t|)`` with t = 10 (b - a) / (b + a): nearly
    one where its class is much nearer, one half for a tie. The mean over a sample of 1,500 objects is the
    value, rounded to five digits. A search gets further with it than with agreement, which most exchanges
    leave as it was.
    """

    name: ClassVar[str] = "neighbor-margin"
    smooth: ClassVar[bool] = True


class NeighborObjective(Objective):
    """The value of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        features = self._space.features(wanted, ahead)
        where = where.reshape(population.shape)
        return np.array([self._space.value(features[some]) for some in where])

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> NeighborAround:
        return NeighborAround(self._space, self._space.features(prototypes, ahead))


class NeighborAround:
    """A set whose prototypes are exchanged, and its value."""

    def __init__(self, space: Space, features: Any) -> None:
        self._space = space
        self._standing = space.standing(features)

    @property
    def value(self) -> float:
        return self._standing.value

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        return self._standing.after(self._space.features(candidates, ahead))

    def exchange(self, position: int, candidate: int) -> None:
        self._standing.exchange(position, self._space.features(np.array([candidate]))[0])
