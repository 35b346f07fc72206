"""Nearest prototype clustering to random centres, which guides the genetic search."""

from __future__ import annotations

import numpy as np

from protopick.engine import Columns, assign
from protopick.selectors.base import Problem


def random_clusters(problem: Problem) -> np.ndarray:
    """Return the cluster, 0 to k - 1, of each candidate (Algorithm 1, lines 1 and 2).

    Centres are the fixed prototypes and random candidates. Each candidate goes to its nearest
    centre, ties to the lowest, but a centre always to its own cluster. A centre that equals an
    earlier one is drawn anew among the candidates that equal none.
    """
    k, candidates, n_fixed = problem.k, problem.candidates, len(problem.fixed)
    columns = problem.columns
    if len(candidates) < columns.n_rows:
        columns = columns.over(candidates)
    rows = problem.rng.choice(len(candidates), k - n_fixed, replace=False)
    centres = np.concatenate([problem.fixed, candidates[rows]])
    clusters, nearest = assign(columns, centres)
    own = np.arange(n_fixed, k)
    for position in own[(nearest[rows] == 0) & (clusters[rows] != own)]:
        distinct = nearest > 0
        distinct[rows] = False
        others = np.flatnonzero(distinct)
        if not len(others):
            raise ValueError(
                f"clustered=True needs at least n_prototypes={k} distinct objects, but all candidates "
                f"equal one of {len(np.unique(clusters))} under this metric. "
                "Lower n_prototypes, or pass clustered=False."
            )
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
