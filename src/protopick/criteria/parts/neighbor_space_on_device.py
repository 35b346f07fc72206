"""The same space on a GPU, where all pairs of the sample are looked at for every exchange."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from protopick.criteria.base import Ahead
from protopick.criteria.parts.neighbor_kernels import FAR, STEEPNESS
from protopick.criteria.parts.neighbor_space import NeighborStanding, Space
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

    def value(self, features: Any) -> float:
        return self.value_in(self.squares(features))

    def standing(self, features: Any) -> NeighborStanding:
        return Squared(self, features)

    def squares(self, features: Any) -> Any:
        """Return the squared distances of all pairs, and from an object to itself that to nobody."""
        return loops(self.columns.device).pair_squares(features, FAR)

    def value_in(self, squares: Any) -> float:
        """Return the value where objects are so far from one another."""
        _, first, _, _ = self._on_device
        same = first[:, None] == first
        near = [squares.masked_fill(mask, FAR).amin(dim=1) for mask in (~same, same)]
        return self.value_of(np.stack([on_host(own_or_other) for own_or_other in near], axis=1))

    def values_after(self, features: Any, squares: Any, candidates: Any) -> np.ndarray:
        """Return the value after each exchange, shape (candidates, k)."""
        _, first, last, weights = self._on_device
        known = features, squares, candidates, first, last
        counts = loops(self.columns.device).neighbors_after(*known, STEEPNESS if self.smooth else 0.0, FAR)
        return np.asarray(self.mean(on_host((counts * weights[:, None]).sum(dim=1))))

    @cached_property
    def _on_device(self) -> tuple[Any, ...]:
        arrays = self._order, self.first, self.last, self.weights
        return tuple(put(array, self.columns.device) for array in arrays)


class Squared:
    """A set in the space, with the squared distances of all pairs there."""

    def __init__(self, space: SpaceOnDevice, features: Any) -> None:
        self._space = space
        self._features = features
        self._stand()

    def exchange(self, position: int, candidate: Any) -> None:
        self._features[position] = candidate
        self._stand()

    def _stand(self) -> None:
        self._squares = self._space.squares(self._features)
        self.value = self._space.value_in(self._squares)

    def after(self, candidates: Any) -> np.ndarray:
        return self._space.values_after(self._features, self._squares, candidates)
