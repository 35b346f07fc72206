"""What a gene may be: the candidates that each position of an individual draws from."""

from __future__ import annotations

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


class AllBut:
    """The indices 0 to n - 1 without a few, without an array of them.

    Examples
    --------
    >>> AllBut(5, np.array([3, 1]))[np.array([2, 0])]
    array([4, 0])
    """

    def __init__(self, n: int, left_out: np.ndarray) -> None:
        self._n = n
        self._left_out = np.sort(left_out)
        # As many indices are left out before a position as are not beyond it here.
        self._positions = self._left_out - np.arange(len(left_out))

    def __len__(self) -> int:
        return self._n - len(self._left_out)

    def __getitem__(self, which: Any) -> Any:
        return which + np.searchsorted(self._positions, which, side="right")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.delete(np.arange(self._n, dtype=dtype), self._left_out)


Candidates = np.ndarray | AllIndices | AllBut


class Pools(Protocol):
    """For each position of an individual, the candidates that may stand there."""

    repeats: float
    """About how often a draw has to be repeated because the individual has the candidate already."""

    def __len__(self) -> int: ...

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        """Draw a candidate for ``position`` that ``individual`` does not have, None if there is none."""
        ...

    def draw_each(
        self, positions: np.ndarray, individuals: np.ndarray, owners: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray | None:
        """Draw a candidate for each of ``positions``, the i-th for the individual ``owners[i]``.

        They are those that one `draw` after the other would give. None, and nothing is drawn, where only
        these can tell.
        """
        ...

    def fork(self) -> Pools:
        """Return pools that give the same draws from now on, and leave these as they are."""
        ...


class FixedPools:
    """Pools that are known from the start.

    Parameters
    ----------
    members : Candidates
        What all positions draw from, one pool after the other.
    starts, sizes : int arrays
        Where the pool of each position begins, and how many members it has. Positions may share one.
    may_stay : bool
        Whether a draw may give the gene that stands there already. With clusters it may, as in the
        paper; without, a mutation always changes the gene where it can.
    """

    def __init__(self, members: Candidates, starts: np.ndarray, sizes: np.ndarray, *, may_stay: bool) -> None:
        self._members = members
        self._starts = starts
        self._sizes = sizes
        self._may_stay = may_stay
        self.repeats = 0.0 if may_stay else len(sizes) / max(1, int(sizes.min(initial=len(members))))

    def __len__(self) -> int:
        return len(self._sizes)

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int | None:
        start, size = int(self._starts[position]), int(self._sizes[position])
        if size <= len(individual) and set(self._others(position, individual)).issuperset(
            np.asarray(self._members)[start : start + size].tolist()
        ):
            return None
        while True:
            gene = int(self._members[start + int(rng.random() * size)])
            if gene not in individual or gene not in self._others(position, individual):
                return gene

    def draw_each(
        self, positions: np.ndarray, individuals: np.ndarray, owners: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray | None:
        before = rng.bit_generator.state
        places = (rng.random(len(positions)) * self._sizes[positions]).astype(np.intp)
        genes = np.asarray(self._members[self._starts[positions] + places], dtype=np.intp)
        has = individuals[owners] == genes[:, None]  # (draws, genes of an individual)
        if self._may_stay and has.size:
            has[np.arange(len(genes)), positions] = False
        if has.any() or len(set(zip(owners.tolist(), genes.tolist(), strict=True))) < len(genes):
            rng.bit_generator.state = before
            return None
        return genes

    def _others(self, position: int, individual: list[int]) -> list[int]:
        """Return the genes that a draw for ``position`` may not give."""
        return individual[:position] + individual[position + 1 :] if self._may_stay else individual

    def fork(self) -> FixedPools:
        return self  # nothing changes by drawing


def same_for_all(candidates: Candidates, k: int) -> FixedPools:
    """Every position draws from all candidates."""
    return FixedPools(candidates, np.zeros(k, np.intp), np.full(k, len(candidates)), may_stay=False)


def by_cluster(candidates: Candidates, clusters: np.ndarray, k: int) -> FixedPools:
    """Position j draws from the candidates of cluster j."""
    order = np.argsort(clusters.astype(np.min_scalar_type(k)), kind="stable")  # a radix sort
    sizes = np.bincount(clusters, minlength=k)
    members = candidates[order]
    if len(members) < 1 << 31:  # half of the memory
        members = members.astype(np.int32)
    return FixedPools(members, np.cumsum(sizes) - sizes, sizes, may_stay=True)


def by_class(candidates: Candidates, codes: np.ndarray, fixed: np.ndarray, classes: np.ndarray) -> FixedPools:
    """After the fixed genes, the genes draw from the candidates of ``classes``, one each."""
    pool = np.asarray(candidates)
    kinds, kind_of = np.unique(classes, return_inverse=True)
    members = [fixed, *(pool[codes[pool] == kind] for kind in kinds)]
    sizes = np.array([len(some) for some in members])
    starts = np.cumsum(sizes) - sizes
    own, ones = np.arange(len(fixed)), np.ones(len(fixed), np.intp)
    return FixedPools(
        np.concatenate(members).astype(np.intp),
        np.concatenate([own, starts[1 + kind_of]]),
        np.concatenate([ones, sizes[1 + kind_of]]),
        may_stay=False,
    )
