"""Dissimilarities that the user writes: a function of two objects, or of two batches."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, ClassVar

import numpy as np

from protopick.checks import as_array, rounding_below_zero, shown
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
        if not callable(function):
            raise TypeError(
                f"batch_metric marks a function of two batches, got {shown(function)} of type "
                f"{type(function).__name__}. Pass a function; a name of a metric needs no mark."
            )
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

    def unchecked(self) -> OfBatches:
        return replace(self, checks_values=False)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        A, B = _batch(rows), _batch(cols)
        expected = length(rows), length(cols)
        for_batches = f"for batches of {expected[0]} and {expected[1]} objects"
        try:
            returned = self.function(A, B, **self.params)
        except Exception as error:
            _note(error, self.function, f"{for_batches}, {_ends(A)} and {_ends(B)}")
            raise
        what = f"What metric={_name(self.function)} returned {for_batches}"
        values = as_array(what, returned, f"Return an array of shape {expected}.")
        if values.shape != expected:
            raise ValueError(
                f"metric={_name(self.function)} returned an array of shape {values.shape} {for_batches}, "
                f"expected {expected}. Return one row for each object of the first batch."
            )
        if values.dtype.kind not in "biuf":
            raise ValueError(
                f"metric={_name(self.function)} returned an array of type {values.dtype}, expected real "
                "numbers."
            )
        values = _without_rounding(values)
        if self.checks_values:
            _refuse_bad(values, self.function, lambda i, j: (list(A)[i], list(B)[j]))
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

    def unchecked(self) -> OfPairs:
        return replace(self, checks_values=False)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        keys = np.empty((length(cols), length(rows)), np.float64)
        for j, b in enumerate(cols):
            keys[j] = self._column(rows, b)
        keys = _without_rounding(keys)
        if self.checks_values:
            _refuse_bad(keys, self.function, lambda j, i: (list(rows)[i], list(cols)[j]))
        out[at, start : start + length(rows)] = keys

    def _column(self, rows: Any, b: Any) -> np.ndarray:
        """Return the dissimilarities of all rows to one object."""
        d, params, values, a = self.function, self.params, [], None
        try:
            for a in rows:
                values.append(d(a, b, **params))
        except Exception as error:
            _note(error, d, f"for the pair {shown(a)}, {shown(b)}")
            raise
        try:
            column = np.asarray(values)
            if column.dtype.kind not in "biuf" and not all(map(self._takes, values)):
                raise TypeError
            return column.astype(np.float64).reshape(len(values))
        except (TypeError, ValueError) as error:
            i, got = next((i, v) for i, v in enumerate(values) if not self._takes(v))
            raise ValueError(
                f"metric={_name(d)} returned {shown(got)} for the pair {shown(list(rows)[i])}, {shown(b)}"
                ", expected one number. For a function of two batches, decorate it with @batch_metric."
            ) from error

    def _takes(self, value: Any) -> bool:
        """Say whether a function may return this: a number, or where values are counted only, None."""
        is_number = isinstance(value, Number) and not isinstance(value, complex)
        return is_number or (value is None and not self.checks_values)


def of_callable(function: Callable[..., Any], params: Mapping[str, Any]) -> Dissimilarity:
    """Wrap the function that a user passed as ``metric``."""
    if isinstance(function, BatchMetric):
        return OfBatches(function, dict(params), symmetric=function.symmetric)
    return OfPairs(function, dict(params))


def _batch(objects: Any) -> Any:
    return getattr(objects, "items", objects) if not isinstance(objects, np.ndarray) else objects


def _without_rounding(values: np.ndarray) -> np.ndarray:
    """Return dissimilarities with 0 in place of what is negative by rounding."""
    if not values.size or values.min() >= 0:
        return values
    largest = float(values.max(initial=1, where=np.isfinite(values)))
    rounding = rounding_below_zero(values.dtype, largest)
    return np.where((values < 0) & (values >= -rounding), 0, values)


def _refuse_bad(
    values: np.ndarray, function: Callable[..., Any], pair_at: Callable[[int, int], tuple[Any, Any]]
) -> None:
    """Raise an error that names the first pair whose value is no dissimilarity."""
    if not values.size or (values.min() >= 0 and np.isfinite(values.max())):
        return
    i, j = np.argwhere(~((values >= 0) & np.isfinite(values)))[0]
    a, b = pair_at(int(i), int(j))
    raise ValueError(
        f"metric={_name(function)} returned {values[i, j]} for the pair {shown(a)}, {shown(b)}, "
        "expected a finite number of 0 or more. Mend the function, or the objects it fails on."
    )


def _note(error: Exception, function: Callable[..., Any], where: str) -> None:
    """Add to what a function raised which objects it was raised for."""
    error.add_note(f"This was raised by metric={_name(function)} {where}.")


def _ends(batch: Any) -> str:
    return f"from {shown(batch[0])} to {shown(batch[-1])}"


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", repr(function))
