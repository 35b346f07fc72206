"""Normal densities of classes in the dissimilarity space, and what an exchange makes of them.

With a prototype more, the Mahalanobis distance grows by the square of what the others do not explain of it,
over its variance; with one less, it shrinks by the square of that prototype's part in the solution, over its
entry in the inverse. So all exchanges of a candidate follow from one inverse a class.

Here are small matrices alone. What has a number for each object is with the sample, wherever that lives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from protopick.blas import one_blas_thread
from protopick.criteria.parts.margin_space import Features, Known, Sample

_RIDGE = 1e-6
_STEEPNESS = 10.0


class DensityStanding(Protocol):
    """A set in the space, and what exchanges make of it."""

    @property
    def value(self) -> float:
        """The value of the set itself."""
        ...

    def after(self, candidates: Features) -> np.ndarray:
        """Return the value with candidate b in the place of prototype j, shape (candidates, k)."""
        ...


Densities = Callable[[Sample, Features], DensityStanding]


class _Standing:
    _known: Known

    @property
    def value(self) -> float:
        return self._known.value()


class Linear(_Standing):
    """Densities with one covariance matrix."""

    @one_blas_thread()
    def __init__(self, sample: Sample, features: Features) -> None:
        self._sample = sample
        self._features = features
        self._free = max(sample.total - len(sample.share), 1)
        k = features.means.shape[1]
        covariance = sample.products(features, features) / self._free + _RIDGE * np.eye(k)
        whitening = np.linalg.inv(np.linalg.cholesky(covariance))
        self._inverse = whitening.T @ whitening
        self._solved_means = features.means @ self._inverse  # (classes, k)
        self._lengths = (features.means * self._solved_means).sum(axis=1)  # (classes,)
        levels = sample.log_share - self._lengths / 2
        self._known = sample.linear_standing(features, whitening, levels, _STEEPNESS / k)

    @one_blas_thread()
    def after(self, candidates: Features) -> np.ndarray:
        sample = self._sample
        joint = sample.products(candidates, self._features) / self._free  # (new, k)
        slopes = joint @ self._inverse
        squares = candidates.squares.sum(axis=0) / self._free
        variances = np.maximum(squares + _RIDGE - (joint * slopes).sum(axis=1), _RIDGE / 2)  # (new,)
        own_means = candidates.means - self._features.means @ slopes.T  # (classes, new)
        scaled = slopes / variances[:, None]
        shrinks = 1 / (np.diag(self._inverse) + slopes * scaled)  # (new, k)
        parts = self._solved_means[:, None] - scaled * own_means[:, :, None]  # (classes, new, k)
        lengths = self._lengths[:, None] + own_means**2 / variances
        levels = -lengths[:, :, None] / 2 + shrinks * parts**2 / 2 + sample.log_share[:, None, None]
        return self._known.after(candidates, slopes, 1 / variances, own_means, -shrinks * parts, levels)


class Quadratic(_Standing):
    """Densities with a covariance matrix for each class."""

    @one_blas_thread()
    def __init__(self, sample: Sample, features: Features) -> None:
        self._sample = sample
        self._features = features
        k = features.means.shape[1]
        own = 1 / (1 + (k / np.maximum(sample.share - 1, 1e-12)) ** 2)  # (classes,)
        others = (1 - own) / max(sample.total - len(own), 1)
        self._mix = np.diag(own / np.maximum(sample.share - 1, 1)) + others[:, None]
        covariances = self._blend(sample.products_by_class(features, features)) + _RIDGE * np.eye(k)
        factors = np.linalg.cholesky(covariances)
        whitening = np.linalg.inv(factors)  # (classes, k, k)
        self._inverses = whitening.transpose(0, 2, 1) @ whitening
        levels = sample.log_share - np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        self._known = sample.quadratic_standing(features, whitening, levels, _STEEPNESS / k)

    @one_blas_thread()
    def after(self, candidates: Features) -> np.ndarray:
        sample = self._sample
        joint = self._blend(sample.products_by_class(candidates, self._features))  # (classes, new, k)
        slopes = joint @ self._inverses
        variances = self._blend(candidates.squares) + _RIDGE - (joint * slopes).sum(axis=2)
        variances = np.maximum(variances, _RIDGE / 2)  # (classes, new)
        offsets = candidates.means - (slopes * self._features.means[:, None]).sum(axis=2)
        diagonals = np.diagonal(self._inverses, axis1=1, axis2=2)[:, None]
        grown = diagonals * variances[:, :, None] + slopes**2  # (classes, new, k)
        shrinks = 0.5 * variances[:, :, None] / grown
        return self._known.after(candidates, slopes, offsets, 1 / variances, shrinks, -np.log(grown) / 2)

    def _blend(self, scatters: np.ndarray) -> np.ndarray:
        """Return the scatters of classes as covariances, those of small classes mixed with that of all."""
        return (self._mix @ scatters.reshape(len(scatters), -1)).reshape(scatters.shape)
