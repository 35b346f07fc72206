"""What a search needs to know of a criterion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from protopick.engine import Columns

Ahead = Callable[[int], np.ndarray] | None
"""``ahead(m)`` names up to m candidates that will be asked for later, where the search knows."""


SAMPLE = 1 << 16
"""How many random objects stand for all where they are too many: enough to tell a gain of one in a
hundred from none, among some ten thousand exchanges."""


@dataclass(frozen=True)
class Data:
    """What a criterion is measured on."""

    columns: Columns
    labels: np.ndarray | None = None
    """Class numbers 0, 1, ... of the candidates."""

    weights: np.ndarray | None = None
    """How much each object counts, as whole numbers (see `criteria.weights`); None where all count one."""

    rng: np.random.Generator | None = None
    """For criteria that are measured on a sample."""

    rows: np.ndarray | None = None
    """Which of the candidates the rows of the columns are; None where they are all of them."""

    unit: float = 1.0
    """What a weight of one stands for."""

    @property
    def row_labels(self) -> np.ndarray:
        """Class numbers of the rows of the columns."""
        assert self.labels is not None
        return self.labels if self.rows is None else self.labels[self.rows]

    def sample(self, size: int) -> Data:
        """Return the same on a random sample of the objects, drawn by their weights."""
        n = self.columns.n_rows
        if n <= size:
            return self
        assert self.rng is not None
        if self.weights is None:
            rows, counts, total = np.sort(self.rng.choice(n, size, replace=False)), None, n
        else:
            reach = np.cumsum(self.weights)
            total = int(reach[-1])
            drawn = np.searchsorted(reach, self.rng.integers(0, total, size), side="right")
            rows, counts = np.unique(drawn, return_counts=True)
        among = rows if self.rows is None else self.rows[rows]
        unit = self.unit * total / size
        columns = self.columns.over(rows, self.columns.memory // 2)  # and the rest for what is known of it
        return Data(columns, self.labels, counts, self.rng, among, unit)


class Evaluate(Protocol):
    """How good is each individual of a population?"""

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the value of each row of a (S, k) array of candidates. Greater is better."""
        ...


class Objective(ABC):
    """A criterion tied to data."""

    @abstractmethod
    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the value of each row of a (S, k) array of candidates. Greater is better."""

    def racing(self, rng: np.random.Generator, tolerance: float) -> Evaluate:
        """Return a measure that looks at no more objects than it takes to tell who is best.

        To be overridden where more than a sample of the objects is looked at.
        """
        return self

    @abstractmethod
    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> Around:
        """Return a set from which a search can look at all sets that are one exchange away."""


class Around(Protocol):
    """A set of k prototypes, and what every exchange of one of them would make of it."""

    @property
    def value(self) -> float:
        """The value of the set itself."""
        ...

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return, in row b and column j, the value of the set with candidate b at position j.

        The candidates are not in the set.
        """
        ...

    def exchange(self, position: int, candidate: int) -> None:
        """Put ``candidate`` in the place of the prototype at ``position``."""
        ...


class Criterion(ABC):
    """How good is a set of prototypes?"""

    name: ClassVar[str]
    needs_labels: ClassVar[bool]
    samples: ClassVar[bool] = False
    """Whether it draws a sample of the objects."""

    alike_in_one_class: ClassVar[bool] = False
    """Whether all sets of one class are equally good."""

    many_at_once: ClassVar[bool] = True
    """Whether a GPU looks at many candidates about as fast as at a few."""

    def n_compared(self, n: int) -> int:
        """Return how many of n objects each candidate is compared with; 0 for prototypes alone."""
        return n

    @abstractmethod
    def bind(self, data: Data) -> Objective:
        """Tie the criterion to data."""

    def greedy_order(self, data: Data, k: int, n_first: int) -> np.ndarray:
        """Return the candidates 0 to k - 1 so that each makes the best set with those before it.

        The first ``n_first`` stay where they are. To be overridden where sets that grow share work; it must
        give the same order.
        """
        objective, order = self.bind(data), list(range(n_first))
        while len(order) < k:
            left = np.setdiff1d(np.arange(k), order)
            sets = np.column_stack([np.tile(order, (len(left), 1)).astype(np.intp), left])
            order.append(int(left[np.asarray(objective(sets)).argmax()]))
        return np.array(order, dtype=np.intp)
