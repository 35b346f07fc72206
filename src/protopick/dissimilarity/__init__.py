"""How different are these objects from those? One file a kind of dissimilarity."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from protopick.checks import shown
from protopick.dissimilarity.base import Dissimilarity, RowError, length
from protopick.dissimilarity.boolean import Boolean, SharedFeatures
from protopick.dissimilarity.callables import batch_metric, of_callable
from protopick.dissimilarity.cosine import Cosine
from protopick.dissimilarity.dtw import DTW
from protopick.dissimilarity.elementwise import Elementwise
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.fingerprints import Tanimoto
from protopick.dissimilarity.gower import Gower
from protopick.dissimilarity.histograms import Histograms
from protopick.dissimilarity.mahalanobis import Mahalanobis
from protopick.dissimilarity.mdf import MDF
from protopick.dissimilarity.precomputed import Precomputed
from protopick.dissimilarity.resampled import ResampledEuclidean
from protopick.dissimilarity.scipy_vectors import SciPyVectors
from protopick.dissimilarity.spherical_hamming import SphericalHamming
from protopick.dissimilarity.strings import Strings
from protopick.dissimilarity.symmetrized import symmetrized
from protopick.dissimilarity.transformed import transformed
from protopick.dissimilarity.weighted_sum import weighted_sum

__all__ = [
    "METRICS",
    "Dissimilarity",
    "RowError",
    "batch_metric",
    "length",
    "resolve",
    "symmetrized",
    "taken_by",
    "transformed",
    "weighted_sum",
]

METRICS: dict[str, type[Dissimilarity]] = {
    name: kind
    for kind in (
        Euclidean,
        Mahalanobis,
        Cosine,
        Elementwise,
        SharedFeatures,
        Boolean,
        SciPyVectors,
        SphericalHamming,
        Precomputed,
        Strings,
        DTW,
        ResampledEuclidean,
        MDF,
        Gower,
        Histograms,
        Tanimoto,
    )
    for name in kind.names
}


def taken_by(metric: Any) -> str | None:
    """Return what kind of objects a metric takes, None where it is no metric.

    Examples
    --------
    >>> taken_by("levenshtein"), taken_by(len), taken_by(None)
    ('strings', 'objects', None)
    """
    if isinstance(metric, str):
        return METRICS[metric].takes if metric in METRICS else None
    if isinstance(metric, Dissimilarity):
        return metric.takes
    return of_callable(metric, {}).takes if callable(metric) else None


def resolve(
    metric: str | Callable[..., Any] | Dissimilarity, params: Mapping[str, Any] | None = None
) -> Dissimilarity:
    """Return the dissimilarity that the parameters ``metric`` and ``metric_params`` stand for.

    Examples
    --------
    >>> resolve("minkowski", {"p": 3}).symmetric
    True
    """
    params = {} if params is None else params
    if not isinstance(params, Mapping):
        raise ValueError(
            f"metric_params={shown(params)} is not allowed. Pass a dict of the metric's own parameters, or "
            "None."
        )
    if isinstance(metric, Dissimilarity):
        if params:
            raise ValueError(
                f"metric_params={shown(params)} cannot be passed to a metric that is made of others. "
                "Pass them where the metric is made."
            )
        return metric
    if callable(metric):
        return of_callable(metric, params)
    if isinstance(metric, str) and metric in METRICS:
        return METRICS[metric].named(metric, params)
    close = difflib.get_close_matches(metric, METRICS, n=3, cutoff=0.5) if isinstance(metric, str) else []
    hint = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
    raise ValueError(
        f"metric={shown(metric)} is unknown. {hint}Allowed are {', '.join(sorted(METRICS))}, a function of "
        "two objects, a function of two batches marked with @batch_metric, or one that weighted_sum, "
        "transformed or symmetrized made."
    )
