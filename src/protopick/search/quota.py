"""How many prototypes of each class a set may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Quota:
    """At least ``low[c]`` and at most ``high[c]`` of class c.

    Examples
    --------
    >>> quota = Quota(np.array([0, 0, 1, 1]), low=np.array([1, 1]), high=np.array([2, 2]))
    >>> quota.allows(np.array([0, 2]), np.array([1, 3]))  # each candidate at each position
    array([[ True, False],
           [False,  True]])
    """

    codes: np.ndarray  # the class of each candidate
    low: np.ndarray  # (classes,)
    high: np.ndarray

    def keeps(self, prototypes: np.ndarray) -> bool:
        """Say whether a set keeps the quota."""
        counts = self._count(prototypes)
        return bool(((counts >= self.low) & (counts <= self.high)).all())

    def can_be_kept(self, candidates: np.ndarray, fixed: np.ndarray, k: int) -> bool:
        """Say whether k of ``candidates``, the fixed ones among them, can keep the quota."""
        available, held = self._count(candidates), self._count(fixed)
        least, most = np.maximum(self.low, held), np.minimum(self.high, available)
        return bool((least <= most).all() and least.sum() <= k <= most.sum())

    def allows(self, prototypes: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        """Say whether candidate b may take position j of a set that keeps the quota."""
        own, new = self.codes[prototypes], self.codes[candidates]
        counts = self._count(prototypes)
        may_leave = counts[own] > self.low[own]  # (k,)
        may_come = counts[new] < self.high[new]  # (candidates,)
        return (new[:, None] == own) | (may_come[:, None] & may_leave)

    def may_join(self, prototypes: np.ndarray, candidates: np.ndarray, k: int) -> np.ndarray:
        """Say which candidates may join a set that is to grow to k and to keep the quota then."""
        counts, classes = self._count(prototypes), self.codes[candidates]
        lacking = np.maximum(self.low - counts, 0)
        may_come = counts < self.high
        if lacking.sum() >= k - len(prototypes):
            may_come &= lacking > 0
        return may_come[classes]

    def classes_of(self, prototypes: np.ndarray, candidates: np.ndarray, k: int) -> np.ndarray:
        """Return the classes that a set gets when it grows to k in proportion to the candidates."""
        return apportioned(self._count(candidates), self._count(prototypes), self.low, self.high, k)

    def _count(self, which: np.ndarray) -> np.ndarray:
        return np.bincount(self.codes[which], minlength=len(self.low))


def apportioned(
    available: np.ndarray, held: np.ndarray, low: np.ndarray, high: np.ndarray, k: int
) -> np.ndarray:
    """Return the classes to draw from, so that k are held, in proportion to their sizes.

    Classes that are held less often than ``low`` come first, and none gets more than ``high``. Then it
    is always the class that is farthest below its share.

    Examples
    --------
    >>> none, many = np.zeros(2, int), np.full(2, 9)
    >>> apportioned(np.array([90, 10]), none, low=np.array([0, 2]), high=many, k=4).tolist()
    [1, 1, 0, 0]
    """
    left, counts = available.copy(), held.copy()
    ideal = k * (available + held) / max(1, (available + held).sum())
    classes: list[int] = []
    while counts.sum() < k:
        may_come = (left > 0) & (counts < high)
        lacking = may_come & (counts < low)
        short = np.where(lacking if lacking.any() else may_come, ideal - counts, -np.inf)
        chosen = int(short.argmax())
        counts[chosen] += 1
        left[chosen] -= 1
        classes.append(chosen)
    return np.array(classes, dtype=np.intp)
