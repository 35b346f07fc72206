"""A function of the values of another metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from protopick.dissimilarity.base import Dissimilarity, length
from protopick.dissimilarity.composition import OfOne, inner_metric, told_as, told_params, values_to

_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "log1p": np.log1p}

_SOME = np.array([[0.5, 0.125], [1.0, 0.25]])
"""Values that a function is tried on; no two are equal or in order."""


def transformed(
    metric: Any, function: str | Callable[..., Any], *, metric_params: Mapping[str, Any] | None = None
) -> Dissimilarity:
    """Apply a function to the values of a metric.

    Parameters
    ----------
    metric : str, callable or Dissimilarity
        Anything that a selector takes as ``metric``, except ``"precomputed"``.
    function : {"sqrt", "log1p"} or callable
        A callable gets an array of dissimilarities, and returns as many numbers of 0 or more. It has to
        treat each value by itself, as it gets them in pieces: it cannot divide by the largest one.
    metric_params : dict, optional
        Parameters of ``metric``.

    Returns
    -------
    Dissimilarity
        To be passed as ``metric``.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector, transformed
    >>> words = ["a", "abcde", "a"]
    >>> selector = FarthestFirstSelector(1, metric=transformed("levenshtein", "sqrt"), fixed=[0])
    >>> selector.fit_transform(words).ravel().tolist()
    [0.0, 2.0, 0.0]
    """
    if not callable(function) and not (isinstance(function, str) and function in _FUNCTIONS):
        raise ValueError(
            f"transformed has function={function!r}, allowed are 'sqrt', 'log1p' and a function."
        )
    code = f"transformed({told_as(metric)}, {told_as(function)}{told_params(metric_params)})"
    return Transformed(inner_metric(metric, metric_params), function, told=code)


@dataclass(frozen=True, repr=False)
class Transformed(OfOne):
    """A function of the values. Made by `transformed`."""

    function: str | Callable[..., Any]
    checks_values: bool = True

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.inner.symmetric

    def fit(self, objects: Any) -> Self:
        if callable(self.function):
            _refuse_other_than_elementwise(self.function)
        return super().fit(objects)

    def unchecked(self) -> Self:
        return replace(super().unchecked(), checks_values=False)

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        values_of = values_to(self.inner, cols)

        def block(rows: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
            out[at, start : start + length(rows)] = self._changed(values_of(rows))

        return block

    def _changed(self, values: np.ndarray) -> np.ndarray:
        function = self.function if callable(self.function) else _FUNCTIONS[self.function]
        with np.errstate(all=None if self.checks_values else "ignore"):
            changed = np.asarray(function(values))
        if changed.shape != values.shape:
            raise ValueError(
                f"The function of transformed returned shape {changed.shape} for an array of shape "
                f"{values.shape}. Return one number for each."
            )
        if changed.dtype.kind not in "biuf":
            raise ValueError(
                f"The function of transformed returned an array of type {changed.dtype}, expected real "
                "numbers."
            )
        with np.errstate(over="ignore"):
            changed = changed.astype(values.dtype, copy=False)  # where it may be infinite
        if self.checks_values and changed.size and not (changed.min() >= 0 and np.isfinite(changed.max())):
            raise ValueError(
                "The function of transformed returned a value that is negative, infinite or missing, "
                "expected finite numbers of 0 or "
                f"more that {values.dtype} can hold."
            )
        return changed


def _refuse_other_than_elementwise(function: Callable[..., Any]) -> None:
    """Refuse a function whose result for a value depends on the others that it gets."""
    try:
        with np.errstate(all="ignore"):
            whole = np.asarray(function(_SOME.copy()), np.float64)
            alone = [np.asarray(function(one.copy()), np.float64) for one in _SOME.reshape(-1, 1, 1)]
        differ = not np.allclose(whole.ravel(), np.concatenate(alone).ravel(), equal_nan=True)
    except Exception:  # it may not take such values, and tells what is wrong with those that it gets
        return
    if differ:
        raise ValueError(
            "The function of transformed returns another number for the same dissimilarity when it gets "
            "others with it. It gets them in pieces, so write one that treats each by itself: "
            "lambda d: d / 10 instead of lambda d: d / d.max()."
        )
