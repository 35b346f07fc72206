"""Objects that are no vectors: strings, series, graphs, anything, kept as they are."""

from __future__ import annotations

from collections import UserString
from collections.abc import Iterator, Mapping, Sequence, Set
from numbers import Number
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from protopick.objects.columns import is_missing
from protopick.objects.frames import is_frame, names_in

_AS_ARRAY = ("__array__", "__array_interface__", "__array_struct__")


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
    if not hasattr(X, "__len__"):
        return as_objects(np.asarray(X))
    if is_frame(X):
        return X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
    for to_list in ("tolist", "to_list", "to_pylist"):  # of NumPy and pandas, polars, Arrow
        if hasattr(X, to_list):  # str and float instead of their own scalars, which most measures expect
            return ObjectSequence(getattr(X, to_list)())
    return ObjectSequence(list(X))


def refuse_no_collection(X: Any) -> None:
    """Refuse what does not hold objects one after the other."""
    if sparse.issparse(X):  # some of these are dicts
        return
    is_one = any(hasattr(X, way) for way in ("__len__", *_AS_ARRAY))
    if isinstance(X, (str, bytes, UserString, Mapping, Set)) or not is_one:
        raise TypeError(
            f"X must be a collection of objects (a list, an array, a column), got {type(X).__name__}. "
            f"{_way_out(X)}"
        )
    if getattr(X, "ndim", 1) == 0:
        raise TypeError(
            "X must be a collection of objects (a list, an array, a column), got an array of 0 dimensions, "
            "which is one value. Put the objects into a list."
        )


def _way_out(X: Any) -> str:
    if isinstance(X, Mapping):
        return "Put its columns into a data frame, or the objects into a list."
    return "Pass X.collect()." if hasattr(X, "collect") else "Put the objects into a list."


def column_of_rows(X: Any) -> Any:
    """Return a column of rows or of sets, alone or in a table of its own, as a list; else ``X`` as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> column_of_rows(pd.DataFrame({"series": [[1.0, 2.0], [3.0]]}))
    [[1.0, 2.0], [3.0]]
    """
    column = _only_column(X)
    if column is None or _holds_numbers(np.asarray(column)):
        return X
    objects = as_objects(column)
    if isinstance(objects, ObjectSequence) and any(map(_holds_others, objects.items)):
        return objects.items
    return X


def is_row(item: Any) -> bool:
    """Say whether an object is a list or an array of others, or the like. Text is none, and no graph is."""
    if isinstance(item, (str, bytes, UserString, Number, np.generic)):
        return False
    return isinstance(item, Sequence) or any(hasattr(item, way) for way in _AS_ARRAY) or _is_buffer(item)


def _is_buffer(item: Any) -> bool:
    try:
        memoryview(item)
    except TypeError:
        return False
    return True


def _holds_others(item: Any) -> bool:
    return is_row(item) or isinstance(item, Set)


def is_gap(item: Any) -> bool:
    """Say whether there is nothing in the place of an object."""
    return not is_row(item) and is_missing(item)


def _holds_numbers(values: np.ndarray) -> bool:
    return values.dtype != object and values.ndim == 1


def _only_column(X: Any) -> Any:
    """Return a column, also the only one of a table, None where there is none or several."""
    if is_frame(X):
        return None if X.shape[1] != 1 else X.iloc[:, 0] if hasattr(X, "iloc") else X[names_in(X)[0]]
    if isinstance(X, np.ndarray):
        return X[:, 0] if X.dtype == object and X.shape[1:] == (1,) else None
    is_column = hasattr(X, "iloc") or type(X).__module__.partition(".")[0] in ("polars", "pyarrow")
    return X if is_column and hasattr(X, "__len__") else None
