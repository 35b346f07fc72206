"""Dissimilarities that the user writes: a function of two objects, or of two batches."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from protopick.dissimilarity.base import Dissimilarity, length


def batch_metric(function: Callable[..., Any] | None = None, *, symmetric: bool = False) -> Any:
    """Mark a function of two batches as a dissimilarity.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns an array of shape ``(len(A), len(B))``: the dissimilarities of all
        objects of A to all objects of B. A batch is an array of rows where X is a numeric matrix,
        otherwise a list of objects. It is called from several threads at a time, unless ``n_jobs=1``.
    symmetric : bool, default=False
        Whether ``d(a, b) == d(b, a)`` always. If so, spanning trees need only half of the pairs.

    Returns
    -------
    callable
        The function, to be passed as ``metric``. It can be called as before.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import RandomSelector, batch_metric
    >>> @batch_metric(symmetric=True)
    ... def length_difference(A, B):
    ...     a, b = [len(s) for s in A], [len(s) for s in B]
    ...     return np.abs(np.subtract.outer(a, b))
    >>> words = ["a", "bb", "cc", "dddd"]
    >>> RandomSelector(2, metric=length_difference, random_state=0).fit_transform(words).shape
    (4, 2)
    """

    if function is None:
        return functools.partial(BatchMetric, symmetric=symmetric)
    return BatchMetric(function, symmetric=symmetric)


class BatchMetric:
    """A function of two batches that knows that it is one."""

    def __init__(self, function: Callable[..., Any], *, symmetric: bool) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.symmetric = symmetric

    def __call__(self, A: Any, B: Any, **params: Any) -> Any:
        return self.function(A, B, **params)

    def __reduce__(self) -> Any:
        """Pickle by name where the decorated name is ours, else by the function and its mark."""
        module = sys.modules.get(getattr(self, "__module__", ""), None)
        name = getattr(self, "__qualname__", "")
        if getattr(module, name, None) is self:
            return name
        return functools.partial(BatchMetric, symmetric=self.symmetric), (self.function,)


@dataclass(frozen=True)
class OfBatches(Dissimilarity):
    """A function marked with `batch_metric`."""

    takes: ClassVar[Any] = "objects"

    function: Callable[..., Any]
    params: Mapping[str, Any] = field(default_factory=dict)
    symmetric: bool = False
    checks_values: bool = True

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        raise NotImplementedError("a callable has no name")

    def unchecked(self) -> OfBatches:
        return replace(self, checks_values=False)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        A, B = _batch(rows), _batch(cols)
        values = np.asarray(self.function(A, B, **self.params))
        expected = length(rows), length(cols)
        if values.shape != expected:
            raise ValueError(
                f"metric={_name(self.function)} returned an array of shape {values.shape} for batches "
                f"of {expected[0]} and {expected[1]} objects, expected {expected}. "
                "Return one row for each object of the first batch."
            )
        if self.checks_values:
            _refuse_bad(values, self.function)
        out[at, start : start + length(rows)] = values.T


@dataclass(frozen=True)
class OfPairs(Dissimilarity):
    """A plain Python function of two objects."""

    takes: ClassVar[Any] = "objects"
    threads: ClassVar[bool] = False  # Python code holds the GIL

    function: Callable[..., Any]
    params: Mapping[str, Any] = field(default_factory=dict)
    symmetric: bool = False
    checks_values: bool = True

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        raise NotImplementedError("a callable has no name")

    def unchecked(self) -> OfPairs:
        return replace(self, checks_values=False)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        d, params = self.function, self.params
        values = [[d(a, b, **params) for a in rows] for b in cols]
        try:
            keys = np.array(values, dtype=np.float64).reshape(length(cols), length(rows))
        except (TypeError, ValueError) as error:
            got = next(v for column in values for v in column if not isinstance(v, Real))
            raise ValueError(
                f"metric={_name(d)} returned {_shown(got)} for a pair, expected one number. "
                "For a function of two batches, decorate it with @batch_metric."
            ) from error
        if self.checks_values:
            _refuse_bad(keys, d)
        out[at, start : start + length(rows)] = keys


def of_callable(function: Callable[..., Any], params: Mapping[str, Any]) -> Dissimilarity:
    """Wrap the function that a user passed as ``metric``."""
    if isinstance(function, BatchMetric):
        return OfBatches(function, dict(params), symmetric=function.symmetric)
    return OfPairs(function, dict(params))


def _batch(objects: Any) -> Any:
    return getattr(objects, "items", objects) if not isinstance(objects, np.ndarray) else objects


def _refuse_bad(values: np.ndarray, function: Callable[..., Any]) -> None:
    try:
        good = not values.size or bool(values.min() >= 0 and np.isfinite(values.max()))
    except TypeError:
        good = False
    if not good:
        raise ValueError(
            f"metric={_name(function)} returned a value that is negative, infinite or missing, "
            "expected finite numbers of 0 or more. Mend the function, or the objects it fails on."
        )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", repr(function))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
