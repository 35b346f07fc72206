"""What a search needs to know of a criterion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from protopick.engine import Columns


class Objective(Protocol):
    """A criterion tied to data: how good is each individual of a population?"""

    def __call__(
        self, population: np.ndarray, ahead: Callable[[int], np.ndarray] | None = None
    ) -> np.ndarray:
        """Return the value of each row of a (S, k) array of candidates. Greater is better.

        ``ahead(m)`` names up to m candidates that later populations will have, where the search knows.
        """
        ...

    def racing(self, rng: np.random.Generator, tolerance: float) -> Objective:
        """Return an objective that looks at no more objects than it takes to tell who is best."""
        ...


class Criterion(ABC):
    """How good is a set of prototypes?"""

    name: ClassVar[str]
    needs_labels: ClassVar[bool]
    over_all_objects: ClassVar[bool]
    """Whether it is measured over all objects, or among the prototypes alone."""

    @abstractmethod
    def bind(self, columns: Columns, labels: np.ndarray | None) -> Objective:
        """Tie the criterion to data. ``labels`` are class numbers 0, 1, ... of the objects."""
