"""The genetic algorithm of the paper (Algorithm 1), as ask and tell."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from protopick.search.pools import Pools

_LIKELY = 0.2


class Genetic:
    """Evolve sets of k candidates; only the best ever is a parent.

    Parameters
    ----------
    pools : Pools
        What each gene may be.
    fixed : int array
        Genes that every individual begins with and that never change.
    init : sequence of sets
        The first individuals; the rest is drawn. Each begins with ``fixed``.

    Examples
    --------
    >>> from protopick.search.pools import same_for_all
    >>> search = Genetic(
    ...     same_for_all(np.arange(50), 3), population_size=20, n_generations=40,
    ...     crossover_rate=0.5, mutation_rate=0.1, rng=np.random.default_rng(0),
    ... )
    >>> while not search.done:
    ...     search.tell(search.ask().sum(axis=1))  # the largest sum wins
    >>> int(search.best_value) > 130
    True
    """

    def __init__(
        self,
        pools: Pools,
        *,
        population_size: int,
        n_generations: int,
        crossover_rate: float,
        mutation_rate: float,
        rng: np.random.Generator,
        fixed: np.ndarray | None = None,
        init: Sequence[Sequence[int]] = (),
    ) -> None:
        self._pools = pools
        self._n_fixed = 0 if fixed is None else len(fixed)
        self._n_generations = n_generations
        self._rates = crossover_rate, mutation_rate
        self._rng = rng
        self._population = np.empty((population_size, len(pools)), np.intp)
        for individual, genes in zip(self._population, init, strict=False):
            individual[:] = genes
        self._draw_sets(self._population[len(init) :], np.empty(0, np.intp) if fixed is None else fixed)
        self._best = -1
        self.history: list[float] = []

    @property
    def done(self) -> bool:
        return len(self.history) > self._n_generations

    @property
    def best(self) -> np.ndarray:
        """The best individual so far."""
        return self._population[self._best].copy()

    @property
    def best_value(self) -> float:
        return self.history[-1]

    def ask(self) -> np.ndarray:
        """Return the population to evaluate, shape (S, k)."""
        if self.history:
            self._evolve()
        return self._population.copy()

    def upcoming(self, limit: int) -> np.ndarray:
        """Return up to ``limit`` candidates that the next generations will ask for first.

        New genes come from mutation alone, and what mutates into what depends on the random numbers
        alone, not on the values told; except where a draw is repeated because the individual has the
        gene already. The forecast ends where that has become likely.
        """
        rng, pools = copy.deepcopy(self._rng), self._pools.fork()
        if pools.repeats:
            limit = min(limit, int(_LIKELY / pools.repeats))
        genes: dict[int | None, None] = {}
        for _ in range(len(self.history), self._n_generations):
            if len(genes) >= limit:
                break
            positions = self._changes(rng)[1].nonzero()[1]
            genes.update(dict.fromkeys(_drawn(pools, positions, rng)))
        return np.array([gene for gene in genes if gene is not None][:limit], dtype=np.intp)

    def tell(self, values: np.ndarray) -> None:
        """Take the values of the population that was asked; greater is better."""
        if self._best < 0:
            self._best = 0
        for i, value in enumerate(values):  # Algorithm 1: strictly better replaces the best
            if value > values[self._best]:
                self._best = i
        self.history.append(values[self._best].item())

    def _draw_sets(self, individuals: np.ndarray, start: np.ndarray) -> None:
        """Draw individuals that begin with the genes ``start``."""
        n, k = individuals.shape
        individuals[:] = -1  # no candidate
        individuals[:, : len(start)] = start
        which, positions = np.indices((n, k - len(start))).reshape(2, -1)
        positions += len(start)
        genes = self._pools.draw_each(positions, individuals, which, self._rng)
        if genes is not None:
            individuals[which, positions] = genes
            return
        for individual in individuals:
            for position in range(len(start), k):
                gene = self._pools.draw(position, individual[:position].tolist(), self._rng)
                assert gene is not None, "pools must offer k distinct candidates"
                individual[position] = gene

    def _evolve(self) -> None:
        """Reproduce every individual but the best with the best, then mutate it."""
        best, is_other = self._population[self._best], np.arange(len(self._population)) != self._best
        others = self._population[is_other]
        crossed, mutated = self._changes(self._rng)
        has = (others[:, :, None] == best).any(axis=1)  # (others, k) genes of the best, wherever they stand
        individuals = np.where(crossed & ~has, best, others)
        self._mutate(individuals, *mutated.nonzero())
        self._population[is_other] = individuals

    def _mutate(self, individuals: np.ndarray, which: np.ndarray, positions: np.ndarray) -> None:
        """Draw the genes of these individuals at these positions anew."""
        genes = self._pools.draw_each(positions, individuals, which, self._rng)
        if genes is not None:
            individuals[which, positions] = genes
            return
        for i, position in zip(which.tolist(), positions.tolist(), strict=True):
            gene = self._pools.draw(position, individuals[i].tolist(), self._rng)
            if gene is not None:
                individuals[i, position] = gene

    def _changes(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw which genes of all but the best are taken from it, and which are drawn anew."""
        n_individuals, k = self._population.shape
        crossed, mutated = (rng.random((n_individuals - 1, k)) < rate for rate in self._rates)
        mutated[:, : self._n_fixed] = False
        return crossed, mutated


def _drawn(pools: Pools, positions: np.ndarray, rng: np.random.Generator) -> list[int | None]:
    """Draw for each position, for individuals that have no genes yet."""
    n = len(positions)
    genes = pools.draw_each(positions, np.empty((n, 0), np.intp), np.arange(n), rng)
    return [pools.draw(p, [], rng) for p in positions.tolist()] if genes is None else genes.tolist()
