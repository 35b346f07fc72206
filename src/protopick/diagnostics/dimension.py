"""How many numbers does it take to tell the objects apart? The intrinsic dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protopick import checks
from protopick.diagnostics.measures import repeats
from protopick.dissimilarity import resolve
from protopick.engine import Columns, columns_among
from protopick.objects import checked

_SAMPLE = 500
_NEIGHBORS = 10
_TWO_NN_KEPT = 0.9


def intrinsic_dimension(
    X: Any,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    metric_params: dict[str, Any] | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> float:
    """Estimate the intrinsic dimension of objects from their dissimilarities.

    Parameters
    ----------
    X : objects
        Anything that a selector's ``fit`` takes with the same ``metric``.
    metric : str or callable, default="euclidean"
        The dissimilarity.
    metric_params : dict, optional
        Its parameters.
    random_state : int, Generator, RandomState or None, default=0
        Seed for the sample of at most 500 objects that the estimate rests on.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    float
        The estimate, at least 1. NaN where fewer than 3 objects differ.

    Notes
    -----
    The maximum likelihood estimate of Levina and Bickel from the 10 nearest neighbours within the
    sample, averaged over the objects by its inverse. Equal objects count once.

    References
    ----------
    E. Levina and P. J. Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import intrinsic_dimension
    >>> square = np.random.default_rng(0).random((400, 2))
    >>> in_10_d = square @ np.random.default_rng(1).normal(size=(2, 10))
    >>> bool(1.5 < intrinsic_dimension(in_10_d) < 2.5)
    True
    """
    rng = checks.generator(random_state)
    dissimilarity = resolve(metric, metric_params)
    objects = checked(X, takes=dissimilarity.takes, allows_nan=dissimilarity.allows_nan)
    columns = columns_among(objects, dissimilarity.fit(objects), n_jobs=n_jobs)
    return dimension_of(columns, np.arange(columns.n_rows), rng)


def dimension_cost(n: int) -> int:
    """Return how many dissimilarities `dimension_of` takes."""
    return min(n, _SAMPLE) ** 2


def dimension_of(columns: Columns, among: Any, rng: np.random.Generator) -> float:
    """Return the intrinsic dimension of the objects ``among``, from a sample of them."""
    if len(among) > _SAMPLE:
        among = among[np.sort(rng.choice(len(among), _SAMPLE, replace=False))]
    among = np.asarray(among, dtype=np.intp)
    D = columns.block(among, among).astype(np.float64)
    return levina_bickel((D + D.T) / 2)


def levina_bickel(S: np.ndarray) -> float:
    """Return the maximum likelihood estimate from the 10 nearest neighbours; NaN for too few objects."""
    nearest = _nearest(S, _NEIGHBORS)  # (distinct objects, neighbors), ascending
    if nearest.shape[1] < 2:
        return float("nan")
    mean = np.log(nearest[:, -1:] / nearest[:, :-1]).mean(axis=1).mean()
    return max(1.0, float(1 / mean)) if mean > 0 else float(nearest.shape[1])


def two_nn(S: np.ndarray) -> float:
    """Return the estimate from the ratio of each object's two nearest neighbours.

    The slope of ``-log(1 - F)`` over the log of the ratio, through the origin, without the tenth of the
    objects whose ratio is largest. NaN for too few objects, and where all ratios are 1.

    References
    ----------
    E. Facco, M. d'Errico, A. Rodriguez and A. Laio, "Estimating the intrinsic dimension of datasets by a
    minimal neighborhood information", Scientific Reports 7, 2017.
    """
    nearest = _nearest(S, 2)
    if nearest.shape[1] < 2:
        return float("nan")
    n = len(nearest)
    kept = max(1, int(_TWO_NN_KEPT * n))
    ratios = np.sort(np.log(nearest[:, 1] / nearest[:, 0]))[:kept]
    heights = -np.log1p(-np.arange(1, kept + 1) / n)
    steepness = float(ratios @ ratios)
    return float(ratios @ heights) / steepness if steepness > 0 else float("nan")


def _nearest(S: np.ndarray, most: int) -> np.ndarray:
    """Return the dissimilarities of distinct objects to their nearest others, ascending."""
    distinct = ~repeats(S)
    D = S[np.ix_(distinct, distinct)]
    np.fill_diagonal(D, np.inf)
    return np.sort(D, axis=1)[:, : min(most, len(D) - 1)]
