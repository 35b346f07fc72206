"""Paired tests over repeats, and what they say of many comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.05


class Test(NamedTuple):
    """A paired t-test that a difference is zero."""

    difference: float
    low: float
    high: float
    """The bounds of a 95 % interval of the difference."""

    p: float
    n: int

    __test__ = False  # not one of pytest's


def paired(first: np.ndarray, second: np.ndarray) -> Test | None:
    """Test the mean of first - second; None where there are no two repeats."""
    difference = np.asarray(first) - np.asarray(second)
    n = len(difference)
    if n < 2:
        return None
    mean = float(difference.mean())
    if np.ptp(difference) == 0:  # no spread, no test: equal, or apart by the same in every repeat
        return Test(mean, mean, mean, 1.0 if mean == 0 else 0.0, n)
    found = stats.ttest_1samp(difference, 0.0)
    low, high = found.confidence_interval(1 - LEVEL)
    return Test(mean, float(low), float(high), float(found.pvalue), n)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, so that all of them together err in 5 % of cases."""
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * (m - np.arange(m))
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted.tolist()
