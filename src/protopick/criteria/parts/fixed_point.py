"""Dissimilarities as whole numbers, so that sums of them are exact in any order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_SPARE_BITS = 4
"""By so many bits a dissimilarity may be larger than what was seen before the scale is chosen anew."""

_LARGEST_EXPONENT = 1023  # of a power of 2 in float64


class FixedPoint:
    """A scale on which dissimilarities can be summed over objects that weigh ``total`` together.

    Where a larger one turns up than the scale allows for, the scale is chosen anew, for all who sum on it.
    """

    def __init__(self, total: int) -> None:
        self.total = max(1, total)
        self.limit = float((1 << 62) // self.total)
        self.scale = 1.0
        self._largest = 0.0

    def fits(self, largest: float) -> bool:
        """Say whether dissimilarities up to ``largest`` can be summed; else make room for them."""
        if largest <= self._largest:
            return True
        if not np.isfinite(largest):
            raise ValueError(
                f"A dissimilarity is {largest}, which cannot be summed. Divide the numbers of X by a number, "
                "or turn them into float64."
            )
        self._largest = 2**_SPARE_BITS * largest
        (room, room_bits), (taken, taken_bits) = math.frexp(self.limit), math.frexp(largest)
        exponent = room_bits - taken_bits - (room < taken) - _SPARE_BITS
        self.scale = math.ldexp(1.0, min(exponent, _LARGEST_EXPONENT))  # exact, as a power of 2
        return False


def fixed(values: np.ndarray, scale: float, limit: float) -> np.ndarray:
    """Return dissimilarities as whole numbers on a scale."""
    return np.minimum(values * np.float64(scale), limit).astype(np.int64)


def fixed_on_tensors(values: Any, scale: float, limit: float) -> Any:
    """Return dissimilarities as whole numbers in float64, whose sums are exact.

    float64 holds 53 bits, so of the 62 of a sum the last ten are left out before.
    """
    return (values.double() * (scale / 1024)).clamp_(max=limit / 1024).floor_().mul_(1024)
