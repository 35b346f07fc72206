"""Collections of Python sets."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from protopick.objects.frames import is_frame
from protopick.objects.sequence import ObjectSequence, as_objects, is_gap
from protopick.objects.table import spoken


def holds_sets(X: Any) -> bool:
    """Say whether ``X`` is a collection whose first object that is not missing is a set."""
    one_by_one = hasattr(X, "__iter__") and getattr(X, "ndim", 1) == 1
    if not one_by_one or is_frame(X) or isinstance(X, (Set, Mapping)):
        return False
    return isinstance(next((item for item in X if not is_gap(item)), None), Set)


def as_sets(X: Any) -> ObjectSequence:
    """Return ``X`` as a sequence of sets, or say which object is none."""
    objects = X if isinstance(X, ObjectSequence) else as_objects(X)
    if not isinstance(objects, ObjectSequence):
        raise ValueError("X is a matrix, but metric was fitted to sets. Pass a list of sets.")
    for i, item in enumerate(objects.items):
        if not isinstance(item, Set):
            raise TypeError(
                f"X[{i}] is {spoken(item)}, but metric compares sets here. Pass sets only; an empty set "
                "stands for no elements."
            )
    return objects
