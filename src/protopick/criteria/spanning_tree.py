"""Unsupervised: the prototypes should be far apart, all of them (Algorithm 2 of the paper)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Criterion, Data, Objective
from protopick.engine import Columns, Pairs

_ROUNDING = 1e-9  # far more than the order of a sum makes


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

    def greedy_order(self, data: Data, k: int, n_first: int) -> np.ndarray:
        square = Pairs(data.columns).squares(np.arange(k)[None])[0]
        order: np.ndarray = _greedy_order(square, n_first)
        return order


class SpanningTreeObjective(Objective):
    """Spanning tree weights of a population."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._pairs = Pairs(columns)

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        squares = self._pairs.squares(population)  # (S, k, k)
        values: np.ndarray = _tree_weights(squares)
        return values

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> SpanningTreeAround:
        return SpanningTreeAround(self._columns, prototypes)


class SpanningTreeAround:
    """A set whose prototypes are exchanged, and the weight of its tree."""

    def __init__(self, columns: Columns, prototypes: np.ndarray) -> None:
        self._columns = columns
        self._prototypes = np.array(prototypes, dtype=np.intp)
        self._square = Pairs(columns).squares(self._prototypes[None])[0]  # (k, k)
        self._stand()
        self._known: dict[int, np.ndarray] = {}  # candidate -> dissimilarities to the prototypes, or NaN

    def _stand(self) -> None:
        self.value = float(_tree_weights(self._square[None])[0])
        self._trees = _trees_without_one(self._square)

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        return _weights_after(*self._trees, self._dissimilarities(candidates), self.value)

    def exchange(self, position: int, candidate: int) -> None:
        to_candidate = self._dissimilarities(np.array([candidate]))[0]
        left, old = int(self._prototypes[position]), np.array(self._square[position])
        self._square[position] = self._square[:, position] = to_candidate
        self._square[position, position] = 0
        self._stand()
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
def _find_tree(square, vertices, found, parent, edge):  # type: ignore[no-untyped-def]
    """Write the vertices in the order in which Prim's algorithm finds them, and for each the place of the one
    that it hangs from, and the edge between."""
    size = len(vertices)
    for i in range(size):
        found[i], edge[i] = vertices[i], np.inf
    for i in range(1, size):
        last, nearest = found[i - 1], i
        for j in range(i, size):
            if square[last, found[j]] < edge[j]:
                edge[j], parent[j] = square[last, found[j]], i - 1
            if edge[j] < edge[nearest]:
                nearest = j
        found[i], found[nearest] = found[nearest], found[i]
        edge[i], edge[nearest] = edge[nearest], edge[i]
        parent[i], parent[nearest] = parent[nearest], parent[i]


@inlined
def _weight(edges):  # type: ignore[no-untyped-def]
    """Return the sum of the edges of a tree, which is the same for all minimum trees of a graph.

    They are the same numbers, but may come in any order. Sorts them.
    """
    edges.sort()
    weight = 0.0
    for i in range(len(edges)):
        weight += edges[i]
    return weight


@inlined
def _weight_with(to, size, found, parent, edge, way, matters_above):  # type: ignore[no-untyped-def]
    """Return the weight of a tree that a vertex joins, ``to[v]`` away from vertex v.

    From the leaves to the root: of an edge and the shortest way from below it to the new vertex, the shorter
    one stays in the tree, and the longer one may be the way for what is above. A weight that is well below
    what matters is not summed in order.
    """
    for i in range(size):
        way[i] = to[found[i]]
    weight = 0.0
    for i in range(size - 1, 0, -1):
        longer, way[i] = max(way[i], edge[i]), min(way[i], edge[i])
        way[parent[i]] = min(way[parent[i]], longer)
        weight += way[i]
    weight += way[0] if size else 0.0
    return weight if weight < matters_above * (1 - _ROUNDING) else _weight(way[:size])


@kernel
def _tree_weights(squares):  # type: ignore[no-untyped-def]
    """Return the tree's weight for each of a batch of graphs."""
    n_graphs, k, _ = squares.shape
    weights = np.zeros(n_graphs)
    every = np.arange(k)
    found, parent = np.zeros((2, k), np.int64)
    edge = np.zeros(k)
    for g in range(n_graphs):
        _find_tree(squares[g], every, found, parent, edge)
        weights[g] = _weight(edge[1:])
    return weights


@kernel
def _trees_without_one(square):  # type: ignore[no-untyped-def]
    """Return the trees of all vertices but one, for each of them, as `_find_tree` writes them."""
    k = len(square)
    found, parent = np.zeros((2, k, k), np.int64)
    edge = np.zeros((k, k))
    others = np.arange(1, k)
    for j in range(k):
        _find_tree(square, others, found[j], parent[j], edge[j])
        if j < k - 1:
            others[j] = j
    return found, parent, edge


@kernel
def _weights_after(found, parent, edge, to, present):  # type: ignore[no-untyped-def]
    """Return the tree's weight with candidate b, ``to[b]`` away from the others, in the place of vertex j.

    To the last digit where it may be above the ``present`` one.
    """
    n_candidates, k = to.shape
    weights = np.zeros((n_candidates, k))
    way = np.empty(k)
    for b in range(n_candidates):
        for j in range(k):
            weights[b, j] = _weight_with(to[b], k - 1, found[j], parent[j], edge[j], way, present)
    return weights


@kernel
def _greedy_order(square, n_first):  # type: ignore[no-untyped-def]
    """Return the vertices so that each makes the heaviest tree with those before it, the first of equals."""
    k = len(square)
    order = np.arange(k)
    found, parent = np.zeros((2, k), np.int64)
    edge, way = np.zeros((2, k))
    for size in range(n_first, k):
        _find_tree(square, order[:size], found, parent, edge)
        best, heaviest = size, -1.0
        for c in range(size, k):
            weight = _weight_with(square[order[c]], size, found, parent, edge, way, heaviest)
            if weight > heaviest:
                best, heaviest = c, weight
        chosen = order[best]
        for c in range(best, size, -1):
            order[c] = order[c - 1]
        order[size] = chosen
    return order
