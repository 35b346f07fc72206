"""Some of the user's objects, in the kind of collection that they came in."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse

from protopick.objects.chunked import Chunked
from protopick.objects.frames import is_frame
from protopick.objects.ragged import Ragged
from protopick.objects.sequence import Objects
from protopick.objects.stored import Stored, is_chunked
from protopick.objects.table import Table
from protopick.objects.tensors import TensorRows


def take(X: Any, objects: Objects, which: np.ndarray) -> Any:
    """Return the objects ``which`` of ``X``, of which ``objects`` is the checked form.

    Examples
    --------
    >>> take(("a", "b", "c"), ["a", "b", "c"], np.array([2, 0]))
    ('c', 'a')
    """
    if isinstance(objects, Chunked):
        return objects.original(which)
    if isinstance(objects, Stored):
        return objects[which]
    if isinstance(objects, TensorRows):
        return objects.given(objects[which].values)
    if hasattr(X, "iloc"):
        return X.iloc[which]
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "take"):  # a file has no `take`
        return _of_arrow(X, which)
    if is_frame(X) or type(X).__module__.partition(".")[0] == "polars":
        return X[which.tolist()]
    if isinstance(objects, np.ndarray) or sparse.issparse(objects):
        return objects[which]  # lists of rows come back as an array
    if is_chunked(X):
        rows, where = np.unique(which, return_inverse=True)
        return X[rows][where]  # h5py refuses any other order
    if hasattr(X, "__array__") or isinstance(X, (Ragged, Table)):
        return _of_their_own(X[which])
    items = X if isinstance(X, (list, tuple)) else list(X)
    found = [_own(items[i]) for i in which]
    return tuple(found) if type(X) is tuple else found


def _own(item: Any) -> Any:
    """Return an object that stays as it is when the user writes to an array in X."""
    return item.copy() if isinstance(item, np.ndarray) else item


def _of_their_own(some: Any) -> Any:
    """Return an array of objects with arrays of their own in it; anything else holds its own already."""
    if isinstance(some, np.ndarray) and some.dtype.kind == "O" and some.ndim == 1:
        for i, item in enumerate(some):
            some[i] = _own(item)
    return some


def _of_arrow(X: Any, which: np.ndarray) -> Any:
    try:
        return X.take(which)
    except NotImplementedError:  # by Arrow, for views of strings and the like
        if is_frame(X):
            return type(X).from_arrays([_of_arrow(column, which) for column in X.columns], schema=X.schema)
        return _slices(X, which)


def _slices(X: Any, which: np.ndarray) -> Any:
    """Return values of an Arrow array by cutting each out, which works for every type."""
    arrow = sys.modules["pyarrow"]
    parts = [X.slice(i, 1) for i in which.tolist()]
    if not isinstance(X, arrow.ChunkedArray):
        return arrow.concat_arrays(parts)
    return arrow.chunked_array([arrow.concat_arrays([chunk for part in parts for chunk in part.chunks])])
