"""What a visit does, told to engines that send it to where the rows are, and the same for tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from protopick.objects.tensors import counted, product_in

Visit = TypeVar("Visit", bound=Callable[..., Any])
Combine = Callable[[Sequence[Any]], Any]

_ON_TENSORS: dict[Callable[..., Any], Callable[..., Any]] = {}


def visits(
    *, writes: Sequence[int] = (), fresh: bool = False, combine: Combine | None = None
) -> Callable[[Visit], Visit]:
    """Say of a visit which of its parts it writes to, and how what it returns for tiles is put together.

    Parameters
    ----------
    writes : sequence of int
        Positions among the parts. A part that is not named may be shown read-only.
    fresh : bool
        Whether it writes all of these anew, without a look at what they hold.
    combine : callable, optional
        Turns what the visit returned for some tiles, in their order, into what it could have returned
        for all of them as one. Less has to be sent then. Without it all is sent.

    Examples
    --------
    >>> @visits(combine=summed)
    ... def count(tile, labels):
    ...     return np.bincount(labels, minlength=3)
    >>> combine_of(count)([np.array([1, 0, 2]), np.array([1, 1, 0])])
    array([2, 1, 2])
    """

    def mark(visit: Visit) -> Visit:
        visit.writes = tuple(writes)  # type: ignore[attr-defined]
        visit.fresh = fresh  # type: ignore[attr-defined]
        visit.combine = combine  # type: ignore[attr-defined]
        return visit

    return mark


def written_by(visit: Callable[..., Any]) -> tuple[int, ...]:
    """Return which parts a visit writes to."""
    return getattr(_function(visit), "writes", ())


def is_fresh(visit: Callable[..., Any]) -> bool:
    """Say whether it writes them anew."""
    return getattr(_function(visit), "fresh", False)


def combine_of(visit: Callable[..., Any]) -> Combine | None:
    """Return how to put together what a visit returns, None where that was not told."""
    return getattr(_function(visit), "combine", None)


def _function(visit: Callable[..., Any]) -> Callable[..., Any]:
    return visit.func if isinstance(visit, partial) else visit


def summed(results: Sequence[np.ndarray]) -> np.ndarray:
    """Add arrays of whole numbers."""
    return np.add.reduce(results, axis=0)


def greatest(results: Sequence[Any]) -> Any:
    """Return the largest of numbers, or of each entry of arrays."""
    return np.max(results, axis=0)


def both(first: Combine, second: Combine) -> Combine:
    """Put together pairs."""
    return partial(_both, first, second)


def _both(first: Combine, second: Combine, results: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    return first([a for a, _ in results]), second([b for _, b in results])


def nothing(results: Sequence[None]) -> None:
    """Say that a visit returns nothing, so that nobody has to wait for it."""


def on_tensors(visit: Callable[..., Any]) -> Callable[[Visit], Visit]:
    """Mark a function as what does on tensors what ``visit`` does on arrays.

    It is written with the methods of tensors and imports nothing.
    """

    def mark(function: Visit) -> Visit:
        _ON_TENSORS[visit] = function
        return function

    return mark


def for_tensors(visit: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what does on tensors what a visit does, None where nobody wrote that."""
    if isinstance(visit, partial):
        found = for_tensors(visit.func)
        return None if found is None else partial(found, *visit.args, **visit.keywords)
    return _ON_TENSORS.get(visit)


def sums_by(position: Any, values: Any, k: int) -> Any:
    """Return the sums of ``values``, shape (some, rows), over the rows of each of k positions.

    A matrix product with zeros and ones; float64 where float32 could round.
    """
    member = position[:, None] == counted(k, position.device)  # (rows, k)
    with product_in(False, position.device):
        return values @ member.to(values.dtype)
