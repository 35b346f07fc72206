"""Look at a dissimilarity before choosing a method."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from protopick import checks
from protopick.blas import one_blas_thread
from protopick.diagnostics import measures
from protopick.diagnostics.cost import spoken
from protopick.diagnostics.description import Description
from protopick.diagnostics.dimension import levina_bickel, two_nn
from protopick.diagnostics.landmarks import map_of
from protopick.dissimilarity import Dissimilarity, length, resolve
from protopick.engine import Columns, Numbering, columns_among
from protopick.objects import Objects, checked, checked_labels
from protopick.warned import warn

_NEIGHBORS = 10
_LONG = 60.0  # seconds


def describe(
    X: Any,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    y: Any = None,
    metric_params: dict[str, Any] | None = None,
    sample: int = 1000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Description:
    """Tell what a dissimilarity is like on these objects, and what that means for the choice of a method.

    Parameters
    ----------
    X : objects
        Anything that a selector's ``fit`` takes with the same ``metric``. A matrix or a function may
        also give negative or missing values here; they are counted.
    metric : str or callable, default="euclidean"
        The dissimilarity.
    y : array of n labels, optional
        The class of each object.
    metric_params : dict, optional
        Parameters of the metric.
    sample : int, default=1000
        How many objects to look at, at least 3, drawn at random. All of their dissimilarities are
        computed, in both directions: a million for 1,000. Take fewer where the measure is slow.
    random_state : int, Generator, RandomState or None, default=0
        Seed.
    n_jobs : int, optional
        Threads, or processes for a function of two objects. The figures do not depend on it.

    Returns
    -------
    Description
        Its attributes are the figures. It prints as text, and a notebook shows it with a map.

    Notes
    -----
    The error of the nearest neighbour falls with more objects, so in a sample it is higher than among
    all. What is below 0.00001 of the largest dissimilarity counts as rounding, for symmetry and for
    the triangle inequality.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import describe
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> found = describe(X, "sqeuclidean", y=X[:, 0] > 0)
    >>> found.symmetric, found.n_sample, found.triangle_violations > 0.1
    (True, 300, True)
    >>> print(found.advice[0])  # doctest: +ELLIPSIS
    The triangle inequality fails in ... % of the triples, so objects close to each other may look...
    """
    checks.whole_number("sample", sample, 3)
    rng = checks.generator(random_state)
    dissimilarity = resolve(metric, metric_params)
    objects = checked(X, takes=dissimilarity.takes, allows_nan=dissimilarity.allows_nan, any_values=True)
    n = length(objects)
    labels = None if y is None else checked_labels(y, objects)
    if labels is not None:
        checks.class_numbers(labels)  # refuses what are no classes
    drawn = np.sort(rng.choice(n, sample, replace=False)) if n > sample else np.arange(n)
    columns = _columns_of(objects, drawn, dissimilarity.fit(objects).unchecked(), n_jobs)
    D, seconds = _timed_square(columns, may_warn=n_jobs is None)
    return Description(
        metric=_name(metric),
        n_objects=n,
        n_sample=len(drawn),
        n_dissimilarities=columns.counter.total,
        seconds_each=seconds,
        sample_indices=drawn,
        **_figures(D, None if labels is None else labels[drawn], rng),
    )


def _columns_of(objects: Objects, drawn: np.ndarray, dissimilarity: Dissimilarity, n_jobs: Any) -> Columns:
    """Return columns of the drawn objects, against each other only."""
    numbering = Numbering().of(drawn)  # so that errors name objects by these
    return columns_among(objects[drawn], dissimilarity, drawn, n_jobs=n_jobs, numbering=numbering)


def _timed_square(columns: Columns, may_warn: bool) -> tuple[np.ndarray, float]:
    """Return all dissimilarities, and the seconds that one took. Warn early where they will take long."""
    first, rest = np.split(np.arange(columns.n_rows), [1])
    columns.block(first, first)  # loads kernels, starts processes
    start = time.perf_counter()
    column = columns.table(first)
    foreseen = (time.perf_counter() - start) * columns.n_rows
    if may_warn and foreseen > _LONG:
        warn(
            f"describe needs {columns.n_rows**2:,} dissimilarities, which take about {spoken(foreseen)} at "
            "the speed of the first few. Pass a smaller sample, such as sample=200, or n_jobs=-1."
        )
    D = np.hstack([column, columns.table(rest)]) if len(rest) else column
    return D.astype(np.float64), (time.perf_counter() - start) / D.size


def _figures(D: np.ndarray, labels: np.ndarray | None, rng: np.random.Generator) -> dict[str, Any]:
    missing = D.size - int(np.isfinite(D).sum())
    found: dict[str, Any] = {"n_negative": int((D < 0).sum()), "n_missing": missing, "labels": labels}
    if labels is not None:
        found["n_classes"] = len(np.unique(labels))
    if missing or found["n_negative"]:
        return found
    with one_blas_thread():  # rounds alike, whatever n_jobs
        found |= _values(D)
        unit = D.max() or 1.0
        D = D / unit  # squares of very large values would overflow
        S = (D + D.T) / 2
        found |= _geometry(D, S, rng)
        if labels is not None:
            found |= _classes(D, S, labels)
        points, found["map_share"] = map_of(S, rng)
        found["points"] = points * unit
    return found


def _values(D: np.ndarray) -> dict[str, Any]:
    largest, largest_self = float(D.max()), float(np.diag(D).max())
    gap = measures.asymmetry(D)
    return {
        "zero_diagonal": largest_self <= measures.ROUNDING * largest,
        "largest_self": largest_self,
        "farthest_from_self": float(((np.diag(D) > 0) & (np.diag(D) >= D.max(axis=1))).mean()),
        "symmetric": gap.largest <= measures.ROUNDING * largest,
        "largest_asymmetry": gap.largest,
        "relative_asymmetry": gap.relative,
        "n_duplicates": int(measures.repeats(np.maximum(D, D.T)).sum()),
    }


def _geometry(D: np.ndarray, S: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    tried = measures.triples(len(D), rng)
    broken = measures.triangle_violations(D, tried)
    share, mean, largest = (None, None, None) if broken is None else broken
    return {
        "n_triples": tried.shape[1],
        "triangle_violations": share,
        "triangle_excess": mean,
        "largest_triangle_excess": largest,
        "negative_eigenfraction": measures.negative_eigenfraction(S),
        "levina_bickel_dimension": _told(levina_bickel(S)),
        "two_nn_dimension": _told(two_nn(S)),
        "hubness": measures.hubness(D, _NEIGHBORS),
    }


def _classes(D: np.ndarray, S: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    codes = np.unique(labels, return_inverse=True)[1]
    return {
        "nearest_neighbor_error": measures.nearest_neighbor_error(D, codes),
        "majority_error": measures.majority_error(codes),
        "silhouette": measures.silhouette(S, codes),
    }


def _told(value: float) -> float | None:
    return None if math.isnan(value) else value


def _name(metric: str | Callable[..., Any]) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
