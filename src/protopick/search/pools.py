"""What a gene may be: the candidates that each position of an individual draws from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class AllIndices:
    """The indices 0 to n - 1, without an array of them.

    Examples
    --------
    >>> AllIndices(5)[np.array([4, 0])]
    array([4, 0])
    """

    def __init__(self, n: int) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, which: Any) -> Any:
        return which

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.arange(self._n, dtype=dtype)


Candidates = np.ndarray | AllIndices


class Pools(Protocol):
    """For each position of an individual, the candidates that may stand there."""

    repeats: float
    """About how often a draw has to be repeated because the individual has the candidate already."""

    def __len__(self) -> int: ...

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        """Draw a candidate for ``position`` that ``individual`` does not have, None if there is none."""
        ...

    def fork(self) -> Pools:
        """Return pools that give the same draws from now on, and leave these as they are."""
        ...


class FixedPools:
    """Pools that are known from the start.

    Parameters
    ----------
    members : sequence of k collections of candidates
        What each position draws from.
    may_stay : bool
        Whether a draw may give the gene that stands there already. With clusters it may, as in the
        paper; without, a mutation always changes the gene where it can.
    """

    def __init__(self, members: Sequence[Candidates], *, may_stay: bool) -> None:
        self._members = members
        self._may_stay = may_stay
        self.repeats = 0.0 if may_stay else len(members) / max(1, min(map(len, members)))

    def __len__(self) -> int:
        return len(self._members)

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        members = self._members[position]
        if len(members) <= len(individual) and set(self._others(position, individual)).issuperset(
            np.asarray(members).tolist()
        ):
            return None
        while True:
            gene = int(members[int(rng.random() * len(members))])
            if gene not in individual or gene not in self._others(position, individual):
                return gene

    def _others(self, position: int, individual: list[int]) -> list[int]:
        """Return the genes that a draw for ``position`` may not give."""
        return individual[:position] + individual[position + 1 :] if self._may_stay else individual

    def fork(self) -> FixedPools:
        return self  # nothing changes by drawing


def same_for_all(candidates: Candidates, k: int) -> FixedPools:
    """Every position draws from all candidates."""
    return FixedPools([candidates] * k, may_stay=False)


def by_cluster(candidates: Candidates, clusters: np.ndarray, k: int) -> FixedPools:
    """Position j draws from the candidates of cluster j."""
    order = np.argsort(clusters.astype(np.min_scalar_type(k)), kind="stable")  # a radix sort
    bounds = np.cumsum(np.bincount(clusters, minlength=k))[:-1]
    members = candidates[order]
    if len(members) < 1 << 31:  # half of the memory
        members = members.astype(np.int32)
    return FixedPools(np.split(members, bounds), may_stay=True)


def by_class(candidates: Candidates, codes: np.ndarray, fixed: np.ndarray, classes: np.ndarray) -> FixedPools:
    """After the fixed genes, the genes draw from the candidates of ``classes``, one each."""
    pool = np.asarray(candidates)
    members = {c: pool[codes[pool] == c] for c in np.unique(classes).tolist()}
    return FixedPools([*fixed[:, None], *(members[c] for c in classes.tolist())], may_stay=False)
