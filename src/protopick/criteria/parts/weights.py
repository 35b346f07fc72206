"""Weights of objects as whole numbers, so that sums of them are exact in any order."""

from __future__ import annotations

import numpy as np

LARGEST_TOTAL = 1 << 36
"""Of whole numbers. A sum of weighted dissimilarities has 62 bits, on a GPU 52 (see `FixedPoint`). Of these
the weights take 36 at most and room takes four, so that dissimilarities keep 22, on a GPU 12."""

_TOTAL_OF_FRACTIONS = 1 << 31
"""Where weights are rounded anyway, dissimilarities keep more bits."""


def as_whole_numbers(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights as int64, and what one unit of them stands for.

    Whole numbers stay as they are where their total is at most `LARGEST_TOTAL`, 69 thousand million. Others
    are rounded to a fraction of about 5e-10 of their total, so one of less than half of that counts nothing.

    Examples
    --------
    >>> as_whole_numbers(np.array([1.0, 0.0, 2.0]))
    (array([1, 0, 2]), 1.0)
    """
    total = float(weights.sum())
    if total <= LARGEST_TOTAL and (weights == np.floor(weights)).all():
        return weights.astype(np.int64), 1.0
    unit = total / _TOTAL_OF_FRACTIONS
    return np.rint(weights / unit).astype(np.int64), unit
