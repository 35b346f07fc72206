"""The figures that `describe` finds, and the ways to show them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from protopick.diagnostics.advice import advice_on
from protopick.diagnostics.description_page import page_of
from protopick.diagnostics.description_text import text_of


@dataclass(frozen=True)
class Description:
    """What a dissimilarity is like on a sample of the objects.

    ``print`` shows it as text, a notebook as a table with a map. A figure is None where it cannot be
    told: too few objects, no ``y``, or values that are negative or missing.

    Attributes
    ----------
    metric : str
        The name of the dissimilarity.
    n_objects : int
        How many objects there are.
    n_sample : int
        How many of them were drawn at random. All figures rest on these.
    n_dissimilarities : int
        How many dissimilarities were computed.
    seconds_each : float
        What one of them took, in blocks and with ``n_jobs`` as given. Of all figures, only this one
        changes from run to run; ``==`` leaves it out.
    n_negative, n_missing : int
        How many are below 0, and how many are NaN or infinite. Selectors refuse both.
    sample_indices : ndarray of int
        Positions of the sample in X.
    zero_diagonal : bool or None
        Whether ``d(a, a)`` is 0, up to rounding.
    largest_self : float or None
        The largest ``d(a, a)``.
    farthest_from_self : float or None
        The share of objects that differ from no other object more than from themselves.
    symmetric : bool or None
        Whether ``d(a, b)`` equals ``d(b, a)``, up to rounding.
    largest_asymmetry : float or None
        The largest ``|d(a, b) - d(b, a)|``.
    relative_asymmetry : float or None
        The mean of it, divided by the mean dissimilarity.
    n_duplicates : int or None
        How many objects are at dissimilarity 0 from an earlier one, in both directions.
    n_triples : int or None
        On how many random triples the triangle inequality was tried. Few objects: on all.
    triangle_violations : float or None
        The share of the triples with ``d(a, c) > d(a, b) + d(b, c)``.
    triangle_excess, largest_triangle_excess : float or None
        By what share of ``d(a, c)`` the way over b is shorter, where it is: the mean and the largest.
    negative_eigenfraction : float or None
        The share of the negative eigenvalues of the double-centred squares in the sum of all sizes.
        0 for Euclidean distances. An asymmetric measure is replaced by the mean of both directions.
    levina_bickel_dimension, two_nn_dimension : float or None
        Two estimates of the intrinsic dimension: from the 10 nearest neighbours, as
        `intrinsic_dimension` has it, and from the two nearest.
    hubness : float or None
        The skewness of the 10-occurrence: how unevenly objects are among the 10 nearest of others.
    n_classes : int or None
        Classes in the sample.
    nearest_neighbor_error : float or None
        How often the nearest other object of the sample is of another class.
    majority_error : float or None
        How often the largest class would be the wrong answer.
    silhouette : float or None
        The mean silhouette width of the classes, from -1 to 1: how well they are apart.
    labels : ndarray or None
        The labels of the sample.
    points : ndarray of shape (n_sample, 2) or None
        A map of the sample.
    map_share : float or None
        How much of the spread the map shows, from 0 to 1.
    """

    metric: str
    n_objects: int
    n_sample: int
    n_dissimilarities: int
    seconds_each: float = field(compare=False)
    n_negative: int
    n_missing: int
    sample_indices: np.ndarray = field(repr=False, compare=False)
    zero_diagonal: bool | None = None
    largest_self: float | None = None
    farthest_from_self: float | None = None
    symmetric: bool | None = None
    largest_asymmetry: float | None = None
    relative_asymmetry: float | None = None
    n_duplicates: int | None = None
    n_triples: int | None = None
    triangle_violations: float | None = None
    triangle_excess: float | None = None
    largest_triangle_excess: float | None = None
    negative_eigenfraction: float | None = None
    levina_bickel_dimension: float | None = None
    two_nn_dimension: float | None = None
    hubness: float | None = None
    n_classes: int | None = None
    nearest_neighbor_error: float | None = None
    majority_error: float | None = None
    silhouette: float | None = None
    map_share: float | None = None
    labels: np.ndarray | None = field(default=None, repr=False, compare=False)
    points: np.ndarray | None = field(default=None, repr=False, compare=False)

    @property
    def advice(self) -> tuple[str, ...]:
        """What the figures mean for the choice of a method, in plain sentences."""
        return advice_on(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures and the advice, ready for JSON. The arrays are left out."""
        arrays = ("sample_indices", "labels", "points")
        figures = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in arrays}
        return {**figures, "advice": list(self.advice)}

    def __str__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return page_of(self)
