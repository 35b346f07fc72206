"""Random numbers one at a time, at the price of many at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class Draws:
    """The numbers that ``rng.random()`` would give one after the other."""

    def __init__(self, rng: np.random.Generator, expected: int) -> None:
        self._rng = rng
        self._batch = max(64, expected)
        self._drawn: list[float] = []
        self.n_taken = 0

    def random(self) -> float:
        """Return the next number, from 0 up to 1."""
        return self.several(1)[0]

    def several(self, n: int) -> list[float]:
        """Return the next n numbers."""
        while self.n_taken + n > len(self._drawn):
            self._drawn += self._rng.random(self._batch).tolist()
        self.n_taken += n
        return self._drawn[self.n_taken - n : self.n_taken]

    def until_below(self, rate: float, most: int) -> int:
        """Take numbers until one is below ``rate``, at most so many; return how many were not."""
        n_above = next((i for i, number in enumerate(self.several(most)) if number < rate), most)
        self.n_taken -= max(0, most - n_above - 1)
        return n_above


@contextmanager
def drawn_in_batches(rng: np.random.Generator, expected: int) -> Iterator[Draws]:
    """Draw about as many numbers as are ``expected`` at once; leave ``rng`` as if one at a time.

    Nothing else may draw from ``rng`` meanwhile.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> with drawn_in_batches(rng, 100) as draws:
    ...     first = draws.random()
    >>> other = np.random.default_rng(0)
    >>> (first, rng.random()) == (other.random(), other.random())
    True
    """
    before = rng.bit_generator.state
    draws = Draws(rng, expected)
    try:
        yield draws
    finally:
        rng.bit_generator.state = before
        rng.random(draws.n_taken)
