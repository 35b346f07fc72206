"""What can be read off a square of dissimilarities, one figure a function.

``D[i, j]`` is the dissimilarity of object i to object j, finite and at least 0. ``S`` is the mean of both
directions. Nothing here draws a random number but `triples`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDING = 1e-5
"""What is below this share of the largest dissimilarity is taken for rounding."""

_MOST_TRIPLES = 100_000


class Asymmetry(NamedTuple):
    """How far the two directions are apart."""

    largest: float
    """The largest ``|d(a, b) - d(b, a)|``."""

    relative: float
    """The mean of it, divided by the mean dissimilarity."""


class Violations(NamedTuple):
    """How often and how far ``d(a, c) <= d(a, b) + d(b, c)`` fails."""

    share: float
    mean_excess: float
    """By what share of d(a, c) the way over b is shorter, on average over the triples that fail."""

    largest_excess: float


def asymmetry(D: np.ndarray) -> Asymmetry:
    """Compare both directions of every pair."""
    gap = np.abs(D - D.T)
    total = float(D.sum() - np.trace(D))
    return Asymmetry(float(gap.max(initial=0)), float(gap.sum()) / total if total > 0 else 0.0)


def repeats(S: np.ndarray) -> np.ndarray:
    """Say of each object whether it is at dissimilarity 0 from an earlier one."""
    earlier = np.tri(len(S), k=-1, dtype=bool)
    return ((S == 0) & earlier).any(axis=1)


def triples(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return random triples of distinct objects, shape (3, m); all of them where they are few."""
    if n < 3:
        return np.empty((3, 0), np.intp)
    if n * (n - 1) * (n - 2) <= _MOST_TRIPLES:
        a, b, c = np.indices((n, n, n)).reshape(3, -1)
        return np.stack([a, b, c])[:, (a != b) & (b != c) & (a != c)]
    a, b, c = (rng.integers(n - taken, size=_MOST_TRIPLES) for taken in range(3))
    b += b >= a
    c += c >= np.minimum(a, b)
    c += c >= np.maximum(a, b)
    return np.stack([a, b, c])


def triangle_violations(D: np.ndarray, triples: np.ndarray) -> Violations | None:
    """Count the triples that break the triangle inequality; None without triples."""
    a, b, c = triples
    if not len(a):
        return None
    direct = D[a, c]
    excess = direct - D[a, b] - D[b, c]
    broken = excess > ROUNDING * D.max()
    if not broken.any():
        return Violations(0.0, 0.0, 0.0)
    relative = excess[broken] / direct[broken]
    return Violations(float(broken.mean()), float(relative.mean()), float(relative.max()))


def double_centred(S: np.ndarray) -> np.ndarray:
    """Return ``-J S^2 J / 2``: the inner products about the mean, if S are Euclidean distances."""
    squares = S**2
    means = squares.mean(axis=0)
    return -(squares - means[:, None] - means[None, :] + means.mean()) / 2


def negative_eigenfraction(S: np.ndarray) -> float:
    """Return the share of the negative eigenvalues in the sum of all sizes. 0 for Euclidean distances.

    Of the double-centred squares, as in E. Pekalska and R. P. W. Duin, "The Dissimilarity Representation
    for Pattern Recognition", World Scientific 2005.
    """
    eigenvalues = np.linalg.eigvalsh(double_centred(S))
    sizes = np.abs(eigenvalues)
    total = float(sizes.sum())
    return float(sizes[eigenvalues < 0].sum()) / total if total > 0 else 0.0


def nearest_neighbor_error(D: np.ndarray, codes: np.ndarray) -> float | None:
    """Return how often the nearest other object is of another class; ties go to the lowest index."""
    if len(D) < 2:
        return None
    return float((codes[_without_self(D).argmin(axis=1)] != codes).mean())


def majority_error(codes: np.ndarray) -> float:
    """Return how often the largest class is the wrong answer."""
    return 1 - float(np.bincount(codes).max()) / len(codes)


def silhouette(S: np.ndarray, codes: np.ndarray) -> float | None:
    """Return the mean silhouette width of the classes, from -1 to 1; None for a single class.

    P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", J. Comput. Appl. Math. 20, 1987. An object that is alone in its class counts 0.
    """
    counts = np.bincount(codes)
    if np.count_nonzero(counts) < 2:
        return None
    at = np.arange(len(S))
    sums = (S - np.diag(np.diag(S))) @ np.eye(len(counts))[codes]  # (objects, classes)
    own = sums[at, codes] / np.maximum(counts[codes] - 1, 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    means[at, codes] = np.inf
    other = means.min(axis=1)
    larger = np.maximum(own, other)
    told = (counts[codes] > 1) & (larger > 0)
    widths = np.where(told, (other - own) / np.where(told, larger, 1.0), 0.0)
    return float(widths.mean())


def occurrences(D: np.ndarray, k: int) -> np.ndarray:
    """Return how often each object is among the k nearest of the others.

    Objects that tie for the last places share them. Else the first of many equal objects would seem
    to be a hub.
    """
    others = _without_self(D)
    last = np.partition(others, k - 1, axis=1)[:, k - 1 : k]
    nearer, tied = others < last, others == last
    share = (k - nearer.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    return (nearer + tied * share).sum(axis=0)


def hubness(D: np.ndarray, k: int) -> float | None:
    """Return the skewness of the k-occurrences; None where there are too few objects to tell.

    M. Radovanovic, A. Nanopoulos and M. Ivanovic, "Hubs in space: popular nearest neighbors in
    high-dimensional data", JMLR 11, 2010.
    """
    if len(D) <= k:
        return None
    away = occurrences(D, k) - k  # each object gives k places, so the mean is k
    spread = float((away**2).mean())
    return float((away**3).mean()) / spread**1.5 if spread > 1e-12 else 0.0


def _without_self(D: np.ndarray) -> np.ndarray:
    others = D.copy()
    np.fill_diagonal(others, np.inf)
    return others
