"""Which number an object has in X, so that an error can name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from protopick.dissimilarity import RowError


class Numbering:
    """The numbers in X of objects that are a part of a part of it.

    Examples
    --------
    >>> Numbering().of(np.array([5, 7, 9])).of(np.array([2, 0]))(0)
    9
    """

    def __init__(self, parts: tuple[np.ndarray, ...] = ()) -> None:
        self._parts = parts  # each numbers objects of the one before

    def of(self, part: np.ndarray) -> Numbering:
        """Return the numbers of some of these objects."""
        return Numbering((*self._parts, part))

    def __call__(self, row: int) -> int:
        for part in reversed(self._parts):
            row = int(part[row])
        return row


@contextmanager
def naming(number: Callable[[int], int], among: str = "X") -> Iterator[None]:
    """Name an object that cannot be encoded by its number, not by its place among those to encode."""
    try:
        yield
    except RowError as error:
        raise RowError(number(error.row), error.why, among) from None
