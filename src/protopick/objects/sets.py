"""Collections of Python sets."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from protopick.objects.sequence import ObjectSequence, as_objects


def holds_sets(X: Any) -> bool:
    """Say whether ``X`` is a collection whose first object is a set."""
    if hasattr(X, "iloc"):
        return X.ndim == 1 and len(X) > 0 and isinstance(X.iloc[0], Set)
    if getattr(X, "ndim", 1) != 1 or isinstance(X, Set) or not hasattr(X, "__getitem__"):
        return False
    try:
        return isinstance(X[0], Set)
    except (IndexError, KeyError, TypeError):
        return False


def as_sets(X: Any) -> ObjectSequence:
    """Return ``X`` as a sequence of sets, or say which object is none."""
    objects = X if isinstance(X, ObjectSequence) else as_objects(X)
    if not isinstance(objects, ObjectSequence):
        raise ValueError("X is a matrix, but metric was fitted to sets. Pass a list of sets.")
    for i, item in enumerate(objects.items):
        if not isinstance(item, Set):
            raise TypeError(
                f"X[{i}] is of type {type(item).__name__}, but metric compares sets here. "
                "Pass sets only; an empty set stands for no elements."
            )
    return objects
