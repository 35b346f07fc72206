"""Unsupervised: the prototypes should be far apart, all of them (Algorithm 2 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from protopick.compiled import kernel
from protopick.criteria.base import Criterion
from protopick.engine import Columns, Pairs


class SpanningTree(Criterion):
    """The sum of the edges of the minimum spanning tree of the prototypes.

    It needs the k x k dissimilarities among the prototypes only, whatever the number of objects.
    """

    name: ClassVar[str] = "spanning-tree"
    needs_labels: ClassVar[bool] = False
    over_all_objects: ClassVar[bool] = False

    def bind(self, columns: Columns, labels: np.ndarray | None) -> SpanningTreeObjective:
        return SpanningTreeObjective(columns)


class SpanningTreeObjective:
    """Spanning tree weights of a population."""

    def __init__(self, columns: Columns) -> None:
        self._pairs = Pairs(columns)

    def __call__(
        self, population: np.ndarray, ahead: Callable[[int], np.ndarray] | None = None
    ) -> np.ndarray:
        squares = self._pairs.squares(population)  # (S, k, k)
        values: np.ndarray = _tree_weights(squares)
        return values

    def racing(self, rng: np.random.Generator, tolerance: float) -> SpanningTreeObjective:
        return self  # looks at no other objects anyway


@kernel
def _tree_weights(squares):  # type: ignore[no-untyped-def]
    """Prim's algorithm for each of a batch of complete graphs."""
    n_graphs, k, _ = squares.shape
    weights = np.zeros(n_graphs)
    reach = np.empty(k)
    for g in range(n_graphs):
        for v in range(k):
            reach[v] = squares[g, 0, v]
        reach[0] = np.inf  # in the tree
        for _ in range(k - 1):
            nearest = 0
            for v in range(1, k):
                if reach[v] < reach[nearest]:
                    nearest = v
            weights[g] += reach[nearest]
            reach[nearest] = np.inf
            for v in range(1, k):
                if reach[v] != np.inf and squares[g, nearest, v] < reach[v]:
                    reach[v] = squares[g, nearest, v]
    return weights
