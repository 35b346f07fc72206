"""Which number an object has in X, so that an error can name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from protopick.dissimilarity import RowError


class Numbering:
    """The numbers that objects have in what the user passed.

    Parameters
    ----------
    first : int
        The number of the first object.
    among : str
        What the user passed.

    Examples
    --------
    >>> Numbering().of(np.array([5, 7, 9])).of(np.array([2, 0]))(0)
    9
    """

    def __init__(self, first: int = 0, among: str = "X") -> None:
        self.first = first
        self.among = among
        self._parts: tuple[Sequence[int] | np.ndarray, ...] = ()  # each numbers objects of the one before

    def of(self, part: Sequence[int] | np.ndarray) -> Numbering:
        """Return the numbers of some of these objects."""
        some = Numbering(self.first, self.among)
        some._parts = *self._parts, part
        return some

    def __call__(self, row: int) -> int:
        for part in reversed(self._parts):
            row = int(part[row])
        return self.first + row


@contextmanager
def naming(numbering: Numbering) -> Iterator[None]:
    """Name an object that cannot be encoded by its number, not by its place among those to encode."""
    try:
        yield
    except RowError as error:
        raise RowError(numbering(error.row), error.why, numbering.among) from None
