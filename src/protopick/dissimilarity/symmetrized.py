"""Both directions of a metric in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protopick.checks import shown
from protopick.dissimilarity.base import Dissimilarity, length
from protopick.dissimilarity.composition import OfOne, inner_metric, told_as, told_params, values_to

_WAYS: dict[str, Callable[..., Any]] = {
    "mean": lambda there, back: (there + back) / 2,
    "min": np.minimum,
    "max": np.maximum,
}


def symmetrized(
    metric: Any, how: str = "mean", *, metric_params: Mapping[str, Any] | None = None
) -> Dissimilarity:
    """Make a metric symmetric by the mean, the smaller or the larger one of both directions.

    Parameters
    ----------
    metric : str, callable or Dissimilarity
        Anything that a selector takes as ``metric``, except ``"precomputed"``: of a matrix D, pass
        ``(D + D.T) / 2`` or the like.
    how : {"mean", "min", "max"}, default="mean"
        What is taken of both directions. A selector counts them as one dissimilarity.
    metric_params : dict, optional
        Parameters of ``metric``.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector, symmetrized
    >>> def missing_letters(a, b):
    ...     return len(set(a) - set(b))
    >>> metric = symmetrized(missing_letters, "max")
    >>> FarthestFirstSelector(1, metric=metric, fixed=[0]).fit_transform(["abc", "a"]).ravel().tolist()
    [0.0, 2.0]
    """
    if not isinstance(how, str) or how not in _WAYS:
        raise ValueError(f"symmetrized has how={shown(how)}, allowed are 'mean', 'min' and 'max'.")
    inner = inner_metric(metric, metric_params)
    code = f"symmetrized({told_as(metric)}, {how!r}{told_params(metric_params)})"
    return inner if inner.symmetric else Symmetrized(inner, how, told=code)


@dataclass(frozen=True, repr=False)
class Symmetrized(OfOne):
    """Both directions in one. Made by `symmetrized`."""

    how: str
    symmetric: bool = True

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        there = values_to(self.inner, cols)

        def block(rows: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
            back = values_to(self.inner, rows)(cols).T
            out[at, start : start + length(rows)] = _WAYS[self.how](there(rows), back)

        return block
