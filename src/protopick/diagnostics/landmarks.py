"""A map of many objects from their dissimilarities to a few: landmark MDS."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from protopick.blas import one_blas_thread
from protopick.diagnostics.measures import double_centred
from protopick.engine import QUANTUM, Columns, Tile

_LANDMARKS = 200


class LandmarkMap(NamedTuple):
    """Objects as points."""

    points: np.ndarray
    """Shape (objects, dimensions). The landmarks' mean is the origin."""

    share: float
    """How much of the landmarks' spread the map shows, from 0 to 1."""


class Frame(NamedTuple):
    """What places an object, given its dissimilarities to the landmarks."""

    means: np.ndarray  # (landmarks,) of squared dissimilarities
    axes: np.ndarray  # (landmarks, dimensions)
    share: float

    def place(self, D: np.ndarray) -> np.ndarray:
        """Return the points of objects whose dissimilarities to the landmarks are the rows of D."""
        return (D**2 - self.means) @ self.axes


def landmark_map(
    columns: Columns, rng: np.random.Generator, *, n_landmarks: int = _LANDMARKS, n_dimensions: int = 2
) -> LandmarkMap:
    """Place all objects on a map, from their dissimilarities to random landmarks.

    Parameters
    ----------
    columns : Columns
        Of the objects; candidate i is object i.
    rng : Generator
        Draws the landmarks.
    n_landmarks : int, default=200
        How many. The map takes so many dissimilarities for each object.
    n_dimensions : int, default=2
        Of the map.

    Returns
    -------
    LandmarkMap
        The same whatever ``n_jobs`` and the memory are.

    Notes
    -----
    Classical scaling of the landmarks, then each object is placed by its dissimilarities to them. Where
    the two directions differ, landmarks are placed by their mean, and objects by that from the object
    to the landmark.

    References
    ----------
    V. de Silva and J. B. Tenenbaum, "Sparse multidimensional scaling using landmark points", Stanford
    University 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick.dissimilarity import resolve
    >>> from protopick.engine import Columns, columns_of
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> columns = columns_of(X, resolve("euclidean").fit(X))
    >>> placed = landmark_map(columns, np.random.default_rng(0), n_landmarks=50)
    >>> placed.points.shape, round(placed.share, 3)
    ((500, 2), 1.0)
    """
    n = columns.n_rows
    landmarks = np.sort(rng.choice(n, min(n, n_landmarks), replace=False))
    frame = frame_of(columns.block(landmarks, landmarks).astype(np.float64), n_dimensions)
    points = np.concatenate(columns.scan(landmarks, partial(_place, frame=frame)))
    return LandmarkMap(points, frame.share)


def _place(tile: Tile, *, frame: Frame) -> np.ndarray:
    D = tile.restore(tile.columns()).T.astype(np.float64, order="C")  # (rows, landmarks)
    # Products of one size round alike, whatever the tile.
    return np.concatenate([frame.place(D[i : i + QUANTUM]) for i in range(0, len(D), QUANTUM)])


def frame_of(D: np.ndarray, n_dimensions: int = 2) -> Frame:
    """Scale the landmarks, given the dissimilarities among them."""
    S = (D + D.T) / 2
    with one_blas_thread():
        eigenvalues, vectors = np.linalg.eigh(double_centred(S))
    largest = np.argsort(-eigenvalues, kind="stable")[:n_dimensions]
    shown = np.maximum(eigenvalues[largest], 0)
    seen = shown > 1e-12 * np.abs(eigenvalues).max(initial=0)
    axes = np.zeros((len(D), n_dimensions))
    for j in np.flatnonzero(seen):
        vector = vectors[:, largest[j]]
        sign = np.sign(vector[np.abs(vector).argmax()])  # an eigenvector has none of its own
        axes[:, j] = -sign * vector / (2 * np.sqrt(shown[j]))
    total = float(np.abs(eigenvalues).sum())
    return Frame((S**2).mean(axis=0), axes, float(shown[seen].sum()) / total if total > 0 else 1.0)


def map_of(S: np.ndarray, rng: np.random.Generator) -> LandmarkMap:
    """Like `landmark_map`, where all dissimilarities are there already; S is symmetric."""
    landmarks = np.sort(rng.choice(len(S), min(len(S), _LANDMARKS), replace=False))
    frame = frame_of(S[np.ix_(landmarks, landmarks)])
    with one_blas_thread():
        return LandmarkMap(frame.place(S[:, landmarks]), frame.share)
