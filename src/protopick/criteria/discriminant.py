"""Supervised: in the dissimilarity space, classes should be apart, measured by their spread."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.blas import one_blas_thread
from protopick.criteria.base import Ahead, Criterion, Data, Objective
from protopick.criteria.parts.deviations import Deviations, DeviationsOnTensors
from protopick.criteria.parts.places import Places
from protopick.dissimilarity.vectors import inner_products
from protopick.engine.on_tensors import TensorColumns

SAMPLE = 4096
_RIDGE = 1e-6
_ROUNDING = 1e-12
_BYTES = 24  # of a pair of candidates in both squares, and of a candidate and an object, which are as many


class Discriminant(Criterion):
    """The trace of the scatter between classes over that within classes, in the dissimilarity space.

    A sample of 4,096 objects is compared with the candidates. The scatter matrices of all candidates
    asked so far are kept, so that any set of them costs a k x k inverse, whatever the number of
    objects. A millionth of a column's whole scatter is added to that within classes.
    """

    name: ClassVar[str] = "discriminant"
    needs_labels: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    many_at_once: ClassVar[bool] = False

    def n_compared(self, n: int) -> int:
        return min(n, SAMPLE)

    def bind(self, data: Data) -> DiscriminantObjective:
        return DiscriminantObjective(data.sample(SAMPLE))


class DiscriminantObjective(Objective):
    """Discriminants of a population, or of a set whose prototypes are exchanged."""

    def __init__(self, sample: Data) -> None:
        self._scatter = Scatter(sample)

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        within, between = self._scatter.squares(population, ahead)  # (S, k, k) each
        with one_blas_thread():
            return np.trace(np.linalg.solve(within, between), axis1=1, axis2=2)

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> DiscriminantAround:
        return DiscriminantAround(self._scatter, prototypes)


class Scatter:
    """The scatter of candidates' columns within and between classes, each pair computed once."""

    def __init__(self, sample: Data) -> None:
        codes = np.unique(sample.row_labels, return_inverse=True)[1]
        n, n_classes = len(codes), int(codes.max()) + 1
        weights = np.ones(n)
        if sample.weights is not None and sample.weights.any():
            weights = sample.weights / sample.weights.max()
        member = np.zeros((n, n_classes))
        member[np.arange(n), codes] = weights
        self._share = member.sum(axis=0)  # (classes,) total weight
        average = member / np.maximum(self._share, 1e-300)  # (rows, classes)
        columns, of_objects = sample.columns, (codes, average, np.sqrt(weights))
        self._deviations: Deviations | DeviationsOnTensors
        if isinstance(columns, TensorColumns):
            self._deviations = DeviationsOnTensors(columns, *of_objects)
        else:
            self._deviations = Deviations(columns, *of_objects)
        self._places = Places(int(np.sqrt(columns.memory / _BYTES)))
        self._forget(0)

    def squares(self, sets: np.ndarray, ahead: Ahead = None) -> tuple[np.ndarray, np.ndarray]:
        """Return both scatter matrices of each of a (S, k) array of sets."""
        at = self.find(sets.ravel(), ahead).reshape(sets.shape)
        index = at[:, :, None], at[:, None, :]
        return self._within[index], self._between[index]

    def find(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return where candidates stand in `within` and `between`. Earlier answers hold no longer."""
        return self._places.find(candidates, ahead, self._add, self._forget)

    def within(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self._within[np.ix_(rows, cols)]

    def between(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self._between[np.ix_(rows, cols)]

    def diagonals(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._within[which, which], self._between[which, which]

    def _forget(self, n_wanted: int) -> None:
        most = max(self._places.n_places, n_wanted)
        self._deviations.forget(most)
        # The first rows, and columns of squares, are those of the candidates. The rest takes no memory.
        # Of each candidate's column, from the mean over all, times the root of a class's share.
        self._means = np.empty((most, len(self._share)))
        self._within, self._between = np.empty((2, most, most))

    def _add(self, new: np.ndarray, old: int) -> None:
        size = old + len(new)
        own, lengths, products = self._deviations.add(new)
        means = inner_products(own, self._share[None])[0] / self._share.sum()
        self._means[old:size] = (own - means[:, None]) * np.sqrt(self._share)
        self._within[:size, old:size] = products
        added, known = np.arange(old, size), slice(0, size)
        self._between[known, old:size] = inner_products(self._means[added], self._means[known])
        spread = self._within[added, added] + self._between[added, added]
        tells = spread > _ROUNDING * lengths
        self._within[added, added] = np.where(tells, self._within[added, added] + _RIDGE * spread, 1.0)
        for square in (self._within, self._between):
            square[old:size, :old] = square[:old, old:size].T


class DiscriminantAround:
    """A set whose prototypes are exchanged, and its discriminant."""

    def __init__(self, scatter: Scatter, prototypes: np.ndarray) -> None:
        self._scatter = scatter
        self._prototypes = np.array(prototypes, dtype=np.intp)

    @property
    def value(self) -> float:
        within, between = self._scatter.squares(self._prototypes[None])
        with one_blas_thread():
            return float(np.trace(np.linalg.solve(within[0], between[0])))

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        k = len(self._prototypes)
        found = self._scatter.find(np.concatenate([self._prototypes, candidates]), ahead)
        own, new = found[:k], found[k:]
        scatter = self._scatter
        within, between = scatter.within(own, new), scatter.between(own, new)  # (k, new), the borders
        spread, between_spread = scatter.diagonals(new)
        # The inverse without row and column j is that of all less a product of its own column j, so every
        # position follows from one inverse: the sums below are over all k, corrected for the one left out.
        with one_blas_thread():
            inverse = np.linalg.inv(scatter.within(own, own))
            square = scatter.between(own, own)
            solved = inverse @ within  # (k, new)
            crossed = square @ solved
            product = inverse @ square
            diagonal, doubled = np.diag(inverse), np.diag(product @ inverse)  # (k,)
            back, border = inverse @ crossed, inverse @ between
        share = solved / diagonal[:, None]
        left = spread - (within * solved).sum(axis=0) + solved * share
        left = np.maximum(left, _RIDGE**2 * spread)
        quadratic = (solved * crossed).sum(axis=0) - 2 * share * back + share**2 * doubled[:, None]
        linear = (solved * between).sum(axis=0) - share * border
        rest = np.trace(product) - doubled / diagonal
        return (rest[:, None] + (between_spread + quadratic - 2 * linear) / left).T

    def exchange(self, position: int, candidate: int) -> None:
        self._prototypes[position] = candidate
