"""What a selector has to solve, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from protopick.engine import Columns
from protopick.search import Candidates


@dataclass(frozen=True)
class Problem:
    """What a selector has to solve: pick ``k`` of ``candidates``, beginning with ``fixed``."""

    columns: Columns
    k: int
    candidates: Candidates  # sorted, without the fixed ones
    fixed: np.ndarray
    codes: np.ndarray | None  # class numbers, where the selector asked for them
    rng: np.random.Generator

    def fork_rng(self) -> np.random.Generator:
        """Return a generator of its own that is fixed by the state of this one."""
        return np.random.default_rng(self.rng.integers(2**63, size=4))

    def draw(self, size: int) -> np.ndarray:
        """Draw distinct candidates."""
        return self.candidates[self.rng.choice(len(self.candidates), size, replace=False)]


@dataclass(frozen=True)
class Solution:
    """What a selector found."""

    prototypes: np.ndarray
    value: float | None = None
    history: list[float] = field(default_factory=list)
    n_iter: int = 1
