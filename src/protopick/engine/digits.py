"""The middle of values: of those of an array, or digit by digit where nobody holds all of them."""

from __future__ import annotations

import numpy as np

from protopick.engine.tiles import Tile
from protopick.engine.visits import summed, visits


def middle(values: np.ndarray) -> np.ndarray:
    """Return for each column the value that half of the rows do not exceed."""
    half = (len(values) - 1) // 2
    return np.partition(values, half, axis=0)[half]


class Digits:
    """Floats as whole numbers in the same order."""

    def __init__(self, dtype: np.dtype) -> None:
        self._float = dtype
        self.dtype = np.dtype(f"u{dtype.itemsize}")
        n_bits = 8 * dtype.itemsize
        self.shifts = range(n_bits - 8, -1, -8)
        self._sign = self.dtype.type(1 << (n_bits - 1))

    def of(self, values: np.ndarray) -> np.ndarray:
        bits = values.view(self.dtype)
        return np.where(bits & self._sign, ~bits, bits | self._sign)

    def values(self, numbers: np.ndarray) -> np.ndarray:
        bits = np.where(numbers & self._sign, numbers ^ self._sign, ~numbers)
        return bits.view(self._float)


@visits(combine=summed)
def next_digits(tile: Tile, part: np.ndarray, *, begin: np.ndarray, shift: int) -> np.ndarray:
    """Count, in each column, the next digits of those numbers that begin like that, shape (width, 256)."""
    counts = np.zeros((part.shape[1], 256), np.int64)
    for column, target, start in zip(Digits(part.dtype).of(part).T, counts, begin, strict=True):
        rest = column >> column.dtype.type(shift)
        rest = rest[rest >> rest.dtype.type(8) == start]
        target += np.bincount((rest & rest.dtype.type(255)).astype(np.intp), minlength=256)
    return counts
