"""Collections of strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.objects.columns import is_missing
from protopick.objects.sequence import ObjectSequence, as_objects
from protopick.objects.table import spoken


class FixedWidth:
    """An array of strings of a fixed width, which become Python strings when they are asked for.

    Examples
    --------
    >>> FixedWidth(np.array(["ann", "bob", "cy"]))[1:].items
    ['bob', 'cy']
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def items(self) -> list[str]:
        """The strings as a list."""
        return self.array.tolist()

    @property
    def nbytes(self) -> int:
        """The memory that the array takes."""
        return self.array.nbytes

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, which: Any) -> FixedWidth:
        return FixedWidth(self.array[which])


def as_strings(X: Any) -> ObjectSequence | FixedWidth:
    """Return ``X`` as a sequence of strings, or say which object is none.

    Lists, tuples, arrays, columns of frames, and tables with one column are taken. An array of fixed
    width, which may be a memory map, is not copied.
    """
    if isinstance(X, np.ndarray) and X.dtype.kind == "U" and X.size == len(X):
        return FixedWidth(X.reshape(len(X)))
    objects = X if isinstance(X, ObjectSequence) else as_objects(X)
    if isinstance(objects, np.ndarray) and objects.ndim == 2 and objects.shape[1] == 1:
        objects = ObjectSequence(objects[:, 0].tolist())
    if not isinstance(objects, ObjectSequence):
        raise ValueError(
            f"X is a table of shape {getattr(objects, 'shape', None)}, but metric compares strings. Pass one "
            "string for each object: a list, or one column. To compare several columns, pass "
            "metric=weighted_sum({...})."
        )
    if set(map(type, objects.items)) <= {str}:
        return objects
    for i, item in enumerate(objects.items):
        if not isinstance(item, str):  # a subclass is one
            raise TypeError(f"X[{i}] is {spoken(item)}, but metric compares strings. {_way_out(item)}")
    return objects


def _way_out(item: Any) -> str:
    if isinstance(item, bytes):
        return "Decode bytes first."
    if is_missing(item):
        return "Drop missing strings, or replace them by ''."
    return "Pass strings, or another metric."
