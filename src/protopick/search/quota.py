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
        """Return the classes that a set gets when it grows to k in proportion to the candidates.

        What is lacking comes first, then always the class that is farthest below its share.
        """
        counts = self._count(prototypes)
        available = self._count(candidates)
        ideal = k * (available + counts) / max(1, (available + counts).sum())
        added: list[int] = []
        while len(prototypes) + len(added) < k:
            short = np.where(counts < self.low, ideal + k, ideal) - counts
            short[(counts >= self.high) | (available == 0)] = -np.inf
            chosen = int(short.argmax())
            counts[chosen] += 1
            available[chosen] -= 1
            added.append(chosen)
        return np.array(added, dtype=np.intp)

    def _count(self, which: np.ndarray) -> np.ndarray:
        return np.bincount(self.codes[which], minlength=len(self.low))
