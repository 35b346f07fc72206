"""Nearest prototype clustering to random centres, which guides the genetic search."""

from __future__ import annotations

import copy

import numpy as np

from protopick.engine import Columns, assign
from protopick.selectors.parts.problem import Problem

_BATCH = 1024
_AHEAD = 8
_MOST_KNOWN = 128 * _BATCH
_MOST_FRUITLESS = 8


def random_clusters(problem: Problem) -> np.ndarray:
    """Return the cluster, 0 to k - 1, of each candidate (Algorithm 1, lines 1 and 2).

    Centres are the fixed prototypes and random candidates. Each candidate goes to its nearest
    centre, ties to the lowest, but a centre always to its own cluster. A centre that equals an
    earlier one is drawn anew among the candidates that equal none.
    """
    k, candidates, n_fixed = problem.k, problem.candidates, len(problem.fixed)
    columns = problem.columns
    if len(candidates) < columns.n_rows:
        columns = columns.over(np.asarray(candidates))
    rows = problem.rng.choice(len(candidates), k - n_fixed, replace=False)
    centres = np.concatenate([problem.fixed, candidates[rows]])
    clusters, nearest = assign(columns, centres)
    own = np.arange(n_fixed, k)
    for position in own[(nearest[rows] == 0) & (clusters[rows] != own)]:
        distinct = nearest > 0
        distinct[rows] = False
        others = np.flatnonzero(distinct)
        if not len(others):
            raise TooFewDistinctError(problem, len(np.unique(clusters)))
        row = int(others[int(problem.rng.random() * len(others))])
        rows[position - n_fixed] = row
        _join(columns, candidates[row], position, clusters, nearest)
    clusters[rows] = own
    return clusters


def _join(columns: Columns, centre: int, position: int, clusters: np.ndarray, nearest: np.ndarray) -> None:
    """Move to cluster ``position`` what is nearer to its new centre, or as near and higher."""
    _, keys = assign(columns, np.array([centre]))
    closer = (keys < nearest) | ((keys == nearest) & (position < clusters))
    clusters[closer] = position
    nearest[closer] = keys[closer]


class ClustersOnDemand:
    """Clusters whose members are found when they are drawn, without a pass over all objects.

    Random candidates are drawn in batches and put to the cluster of their nearest centre. Position j
    takes those of cluster j in the order in which they were found; when several batches bring none, it
    takes found ones again.
    """

    repeats = 0.0

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._rng = problem.fork_rng()
        self._centres = problem.fixed
        self._known: set[int] = set()  # candidates in batches
        while len(self._centres) < problem.k:
            self._centres = np.append(self._centres, self._new_centres())
        self._batches: list[list[list[int]]] = []  # by cluster; shared by forks, which find the same
        self._n_found = 0  # batches
        self._found = [[int(centre)] for centre in self._centres]
        self._next = [0] * problem.k

    def __len__(self) -> int:
        return self._problem.k

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        taken = set(individual) - set(individual[position : position + 1])
        found = self._found[position]
        fruitless = 0
        while True:
            while self._next[position] < len(found):
                gene = found[self._next[position]]
                self._next[position] += 1
                if gene not in taken:
                    return gene
            fruitless += 1
            if fruitless > _MOST_FRUITLESS or not self._find_more():
                break
        left = [gene for gene in found if gene not in taken]
        return left[int(rng.random() * len(left))] if left else None

    def draw_each(
        self, positions: np.ndarray, individuals: np.ndarray, owners: np.ndarray, rng: np.random.Generator
    ) -> None:
        return None  # what is found depends on what was drawn before

    def fork(self) -> ClustersOnDemand:
        other = copy.copy(self)
        other._found = [list(genes) for genes in self._found]
        other._next = list(self._next)
        return other

    def clusters_of(self, candidates: np.ndarray) -> np.ndarray:
        """Return the cluster of each of some candidates."""
        if not len(candidates):
            return np.empty(0, np.intp)
        return self._problem.columns.block(candidates, self._centres).argmin(axis=1)

    def _find_more(self) -> bool:
        """Find the next batch of candidates; say whether there was one."""
        if self._n_found == len(self._batches):
            self._look_ahead()
        if self._n_found == len(self._batches):
            return False
        for found, genes in zip(self._found, self._batches[self._n_found], strict=True):
            found.extend(genes)
        self._n_found += 1
        return True

    def _look_ahead(self) -> None:
        """Put the next batches to their clusters, several at once where that is cheap."""
        columns, candidates = self._problem.columns, self._problem.candidates
        batches: list[np.ndarray] = []
        while len(batches) < (_AHEAD if columns.dissimilarity.bulk else 1):
            if len(self._known) >= min(len(candidates), _MOST_KNOWN):
                break
            drawn = dict.fromkeys(candidates[self._rng.integers(0, len(candidates), _BATCH)].tolist())
            new = np.array([gene for gene in drawn if gene not in self._known], dtype=np.intp)
            self._known.update(drawn)
            batches.append(np.setdiff1d(new, self._centres, assume_unique=True))
        if not batches:
            return
        clusters = self.clusters_of(np.concatenate(batches))
        ends = np.cumsum([len(new) for new in batches])[:-1]
        for new, own in zip(batches, np.split(clusters, ends), strict=True):
            sizes = np.bincount(own, minlength=len(self))
            members = np.split(new[np.argsort(own, kind="stable")], np.cumsum(sizes)[:-1])
            self._batches.append([genes.tolist() for genes in members])

    def _new_centres(self) -> np.ndarray:
        """Return some of the centres that are still needed, all different from those there are."""
        problem, lacking = self._problem, self._problem.k - len(self._centres)
        for size in [lacking] + [_BATCH] * 16:
            drawn = np.unique(problem.candidates[self._rng.integers(0, len(problem.candidates), size)])
            drawn = self._rng.permutation(np.setdiff1d(drawn, self._centres))
            among = np.concatenate([self._centres, drawn])
            D = problem.columns.block(drawn, among)
            earlier = np.arange(len(among)) < len(self._centres) + np.arange(len(drawn))[:, None]
            new = ~((D == 0) & earlier).any(axis=1)
            if new.any():
                return drawn[new][:lacking]
        raise TooFewDistinctError(problem, len(self._centres))


class TooFewDistinctError(ValueError):
    """There are not as many different objects as clusters."""

    def __init__(self, problem: Problem, n_found: int) -> None:
        alike = "by their pivots" if problem.on_stand_ins else "under this metric"
        more = "Take more n_pivots or lower" if problem.on_stand_ins else "Lower"
        super().__init__(
            f"Clusters need at least n_prototypes={problem.k} distinct objects, but all candidates "
            f"equal one of {n_found} {alike}. {more} n_prototypes, or pass clustered=False."
        )
