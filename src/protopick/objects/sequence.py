"""Objects that are no vectors: strings, series, graphs, anything, kept as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from protopick.objects.frames import is_frame


class Objects(Protocol):
    """What the engine asks of a collection: its length, slices of it, and objects by index array."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: Any) -> Any: ...


class ObjectSequence:
    """A list of arbitrary objects that can be sliced and indexed like an array.

    Examples
    --------
    >>> names = ObjectSequence(["ann", "bob", "cy"])
    >>> list(names[np.array([2, 0])])
    ['cy', 'ann']
    """

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, which: slice | np.ndarray) -> ObjectSequence:
        if isinstance(which, slice):
            return ObjectSequence(self.items[which])
        return ObjectSequence([self.items[i] for i in which])


def as_objects(X: Any) -> Objects:
    """Give ``X`` the slices and index arrays of an array, without a copy of what it holds.

    Arrays of two and more dimensions, memory maps and CSR matrices have them already. One-dimensional
    arrays, lists, tuples and columns of frames become an `ObjectSequence`.
    """
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, np.ndarray) and X.ndim > 1:
        return X
    if isinstance(X, (str, bytes, Mapping, Set)) or not hasattr(X, "__len__"):
        raise TypeError(
            f"X must be a collection of objects (a list, an array, a column), got {type(X).__name__}. "
            + ("Pass X.collect()." if hasattr(X, "collect") else "Put the objects into a list.")
        )
    if is_frame(X):
        return X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
    for to_list in ("tolist", "to_list", "to_pylist"):  # of NumPy and pandas, polars, Arrow
        if hasattr(X, to_list):  # str and float instead of their own scalars, which most measures expect
            return ObjectSequence(getattr(X, to_list)())
    return ObjectSequence(list(X))
