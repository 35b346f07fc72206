"""Weights of objects as whole numbers, so that sums of them are exact in any order."""

from __future__ import annotations

import numpy as np

LARGEST_TOTAL = 1 << 31


def as_whole_numbers(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights as int64, and what one unit of them stands for.

    Whole numbers stay as they are; others are rounded to a fraction of about 2e-9 of their total.

    Examples
    --------
    >>> as_whole_numbers(np.array([1.0, 0.0, 2.0]))
    (array([1, 0, 2]), 1.0)
    """
    total = float(weights.sum())
    if total <= LARGEST_TOTAL and (weights == np.floor(weights)).all():
        return weights.astype(np.int64), 1.0
    unit = total / LARGEST_TOTAL
    return np.rint(weights / unit).astype(np.int64), unit
