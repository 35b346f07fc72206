"""The same space on a GPU, where all pairs of the sample are looked at for every exchange."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from protopick.criteria.base import Ahead
from protopick.criteria.neighbor_space import Space, Standing
from protopick.dissimilarity.tensors import loops
from protopick.engine import Columns
from protopick.engine.on_tensors import TensorColumns
from protopick.objects.tensors import on_host, put


def knows(columns: Columns) -> bool:
    """Say whether there are loops for where these columns are; elsewhere the host does it."""
    return isinstance(columns, TensorColumns) and loops(columns.device) is not None


class SpaceOnDevice(Space):
    """The objects of the sample, ordered by class, as tensors."""

    columns: TensorColumns

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> Any:
        table = self.columns.aligned_table(candidates, keep=True, ahead=ahead)
        return (table[self._on_device[0]].T * self._scale_of(table)).float().contiguous()

    def agreement(self, features: Any) -> float:
        return 1 - self.lost_in(self.squares(features)) / self.total

    def standing(self, features: Any) -> Standing:
        return Squared(self, features)

    def squares(self, features: Any) -> Any:
        """Return the squared distances of all pairs, infinite from an object to itself."""
        return loops(self.columns.device).pair_squares(features)

    def lost_in(self, squares: Any) -> int:
        """Return the weight of the objects whose neighbour does not agree."""
        _, first, _, weights = self._on_device
        same = first[:, None] == first
        own, other = (squares.masked_fill(mask, np.inf).amin(dim=1) for mask in (~same, same))
        return int((weights * ~(own < other)).sum())

    def lost_after(self, features: Any, squares: Any, candidates: Any) -> np.ndarray:
        """Return the same after each exchange, shape (candidates, k)."""
        _, first, last, weights = self._on_device
        fails = loops(self.columns.device).fails_after(features, squares, candidates, first, last)
        return on_host((fails * weights[:, None]).sum(dim=1))

    @cached_property
    def _on_device(self) -> tuple[Any, ...]:
        arrays = self._order, self.first, self.last, self.weights
        return tuple(put(array, self.columns.device) for array in arrays)


class Squared:
    """A set in the space, with the squared distances of all pairs there."""

    def __init__(self, space: SpaceOnDevice, features: Any) -> None:
        self._space = space
        self._features = features
        self._squares = space.squares(features)
        self.agreement = 1 - space.lost_in(self._squares) / space.total

    def after(self, candidates: Any) -> np.ndarray:
        lost = self._space.lost_after(self._features, self._squares, candidates)
        return np.asarray(1 - lost / self._space.total)
