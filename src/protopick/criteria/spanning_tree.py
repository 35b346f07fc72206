"""Unsupervised: the prototypes should be far apart, all of them (Algorithm 2 of the paper)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Criterion, Data
from protopick.engine import Columns, Pairs


class SpanningTree(Criterion):
    """The sum of the edges of the minimum spanning tree of the prototypes.

    It needs the k x k dissimilarities among the prototypes only, whatever the number of objects.
    """

    name: ClassVar[str] = "spanning-tree"
    needs_labels: ClassVar[bool] = False
    many_at_once: ClassVar[bool] = False

    def n_compared(self, n: int) -> int:
        return 0

    def bind(self, data: Data) -> SpanningTreeObjective:
        return SpanningTreeObjective(data.columns)


class SpanningTreeObjective:
    """Spanning tree weights of a population."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._pairs = Pairs(columns)

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        squares = self._pairs.squares(population)  # (S, k, k)
        values: np.ndarray = _tree_weights(squares)
        return values

    def racing(self, rng: np.random.Generator, tolerance: float) -> SpanningTreeObjective:
        return self  # looks at no other objects anyway

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> SpanningTreeAround:
        return SpanningTreeAround(self._columns, prototypes)


class SpanningTreeAround:
    """A set whose prototypes are exchanged, and the weight of its tree."""

    def __init__(self, columns: Columns, prototypes: np.ndarray) -> None:
        self._columns = columns
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._square = Pairs(columns).squares(self._prototypes[None])[0]  # (k, k)
        self._known: dict[int, np.ndarray] = {}  # candidate -> dissimilarities to the prototypes, or NaN

    @property
    def value(self) -> float:
        return float(_tree_weights(self._square[None])[0])

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        return _tree_weights_after(self._square, self._dissimilarities(candidates))

    def exchange(self, position: int, candidate: int) -> None:
        to_candidate = self._dissimilarities(np.array([candidate]))[0]
        left, old = int(self._prototypes[position]), np.array(self._square[position])
        self._square[position] = self._square[:, position] = to_candidate
        self._square[position, position] = 0
        self._prototypes[position] = candidate
        self._known[left] = old
        for row in self._known.values():
            row[position] = np.nan
        self._known[left][position] = to_candidate[position]

    def _dissimilarities(self, candidates: np.ndarray) -> np.ndarray:
        """Return the dissimilarities to the prototypes, shape (candidates, k), each computed once."""
        unknown = np.full(len(self._prototypes), np.nan)
        table = np.stack([self._known.get(c, unknown) for c in candidates.tolist()])
        missing = np.isnan(table)
        rows, cols = np.flatnonzero(missing.any(axis=1)), np.flatnonzero(missing.any(axis=0))
        if len(rows):
            some, prototypes = candidates[rows], self._prototypes[cols]
            block = self._columns.block(some, prototypes)
            if not self._columns.dissimilarity.symmetric:
                block = (block + self._columns.block(prototypes, some).T) / 2
            table[np.ix_(rows, cols)] = block
            self._known.update(zip(some.tolist(), table[rows], strict=True))
        return table


@inlined
def _tree_weight(square, reach, replaced, instead):  # type: ignore[no-untyped-def]
    """Prim's algorithm for a complete graph, whose vertex ``replaced`` has the edges ``instead``."""
    k = len(square)
    for v in range(k):
        reach[v] = instead[v] if replaced == 0 else square[0, v]
    if replaced > 0:
        reach[replaced] = instead[0]
    reach[0] = np.inf  # in the tree
    weight = 0.0
    for _ in range(k - 1):
        nearest = 0
        for v in range(1, k):
            if reach[v] < reach[nearest]:
                nearest = v
        weight += reach[nearest]
        reach[nearest] = np.inf
        for v in range(1, k):
            if reach[v] != np.inf:
                if nearest == replaced:
                    edge = instead[v]
                elif v == replaced:
                    edge = instead[nearest]
                else:
                    edge = square[nearest, v]
                if edge < reach[v]:
                    reach[v] = edge
    return weight


@kernel
def _tree_weights(squares):  # type: ignore[no-untyped-def]
    """Return the tree's weight for each of a batch of graphs."""
    n_graphs, k, _ = squares.shape
    weights = np.zeros(n_graphs)
    reach = np.empty(k)
    for g in range(n_graphs):
        weights[g] = _tree_weight(squares[g], reach, -1, reach)
    return weights


@kernel
def _tree_weights_after(square, instead):  # type: ignore[no-untyped-def]
    """Return the tree's weight with candidate b in the place of vertex j."""
    n_candidates, k = instead.shape
    weights = np.zeros((n_candidates, k))
    reach = np.empty(k)
    for b in range(n_candidates):
        for j in range(k):
            weights[b, j] = _tree_weight(square, reach, j, instead[b])
    return weights
