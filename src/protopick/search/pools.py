"""What a gene may be: the candidates that each position of an individual draws from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Pools:
    """For each position of an individual, the candidates that may stand there.

    Parameters
    ----------
    members : sequence of k integer arrays
        The candidates of each position. Give the same array k times to draw from all.
    replaces : bool
        Whether a draw may give the gene that stands there already. With clusters it may, as in the
        paper; without, a mutation always changes the gene where it can.
    """

    def __init__(self, members: Sequence[np.ndarray], *, replaces: bool) -> None:
        self.members = members
        self._replaces = replaces

    def __len__(self) -> int:
        return len(self.members)

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        """Draw a candidate for ``position`` that ``individual`` does not have, None if there is none."""
        members = self.members[position]
        taken = set(individual)
        if self._replaces and position < len(individual):
            taken.discard(individual[position])
        if len(members) <= len(taken) and taken.issuperset(members.tolist()):
            return None
        while True:
            gene = int(members[int(rng.random() * len(members))])
            if gene not in taken:
                return gene


def same_for_all(candidates: np.ndarray, k: int) -> Pools:
    """Every position draws from all candidates."""
    return Pools([candidates] * k, replaces=False)


def by_cluster(candidates: np.ndarray, clusters: np.ndarray, k: int) -> Pools:
    """Position j draws from the candidates of cluster j."""
    order = np.argsort(clusters, kind="stable")
    bounds = np.searchsorted(clusters[order], np.arange(1, k))
    return Pools(np.split(candidates[order], bounds), replaces=True)
