"""What is done with a tile of columns: once for arrays of NumPy, once for tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from protopick.objects.tensors import counted, product_in

Visit = TypeVar("Visit", bound=Callable[..., Any])

_ON_TENSORS: dict[Callable[..., Any], Callable[..., Any]] = {}


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
