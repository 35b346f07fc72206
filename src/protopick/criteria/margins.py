"""Supervised: in the dissimilarity space, normal densities should tell the classes apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.criteria.base import Ahead, Criterion, Data, Objective
from protopick.criteria.parts.margin_space import Sample
from protopick.criteria.parts.margin_space_on_tensors import SampleOnTensors
from protopick.criteria.parts.normal_densities import Densities, DensityStanding, Linear, Quadratic
from protopick.engine.on_tensors import TensorColumns

SAMPLE = 4096
_LEAST = 512
_SCORES = 1 << 16
"""Objects times classes, at most: of many classes the sample is smaller, though not below the least."""


class _Margin(Criterion):
    needs_labels: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    densities: ClassVar[type[Linear] | type[Quadratic]]

    def n_compared(self, n: int) -> int:
        return min(n, SAMPLE)

    def bind(self, data: Data) -> MarginObjective:
        n_classes = int(data.row_labels.max()) + 1
        n = min(SAMPLE, max(_LEAST, _SCORES // n_classes))
        sample = data.sample(n)
        kind = SampleOnTensors if isinstance(sample.columns, TensorColumns) else Sample
        return MarginObjective(kind(sample), self.densities)


class LinearMargin(_Margin):
    """How surely normal densities with one covariance matrix tell the class of an object.

    The margin of an object is the log density of its class, with the log of the class's share, less
    the greatest of another class. It counts as ``1/2 + t / (2 + 2 |t|)`` with t = 10 margin / k: nearly
    one for an object that is surely told, one half where two classes are equal. The mean over a sample of
    4,096 objects is the value, rounded to five digits. Of more than 16 classes the sample is smaller.
    Densities are estimated from the same objects, with a millionth of a column's variance added.
    """

    name: ClassVar[str] = "linear-margin"
    densities: ClassVar[type[Linear] | type[Quadratic]] = Linear


class QuadraticMargin(_Margin):
    """How surely normal densities, each class with a covariance matrix of its own, tell the classes apart.

    That of a class with few objects is mixed with the one of all classes, as `qdc` does.
    """

    name: ClassVar[str] = "quadratic-margin"
    densities: ClassVar[type[Linear] | type[Quadratic]] = Quadratic


class MarginObjective(Objective):
    """Margins of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, sample: Sample, densities: Densities) -> None:
        self._sample = sample
        self._densities = densities

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        self._sample.features(np.unique(population), ahead)  # all at once
        return np.array([self._densities(self._sample, self._sample.features(w)).value for w in population])

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> MarginAround:
        return MarginAround(self._sample, self._densities, prototypes, ahead)


class MarginAround:
    """A set whose prototypes are exchanged, and its margins."""

    def __init__(
        self, sample: Sample, densities: Densities, prototypes: np.ndarray, ahead: Ahead = None
    ) -> None:
        self._sample = sample
        self._densities = densities
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._stand(ahead)

    @property
    def value(self) -> float:
        return self._standing.value

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        return self._standing.after(self._sample.features(candidates, ahead))

    def exchange(self, position: int, candidate: int) -> None:
        self._prototypes[position] = candidate
        self._stand()

    def _stand(self, ahead: Ahead = None) -> None:
        features = self._sample.features(self._prototypes, ahead)
        self._standing: DensityStanding = self._densities(self._sample, features)
