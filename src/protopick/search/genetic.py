"""The genetic algorithm of the paper (Algorithm 1), as ask and tell."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from protopick.search.draws import Draws, drawn_in_batches
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
        self._crossover_rate = crossover_rate
        self._mutation_rate = mutation_rate
        self._rng = rng
        given = [list(genes) for genes in init]
        start = [] if fixed is None else [int(g) for g in fixed]
        n_drawn = population_size - len(given)
        with drawn_in_batches(rng, n_drawn * len(pools)) as draws:
            self._population = given + [self._draw(start, draws) for _ in range(n_drawn)]
        self._best = -1
        self.history: list[float] = []

    @property
    def done(self) -> bool:
        return len(self.history) > self._n_generations

    @property
    def best(self) -> np.ndarray:
        """The best individual so far."""
        return np.array(self._population[self._best], dtype=np.intp)

    @property
    def best_value(self) -> float:
        return self.history[-1]

    def ask(self) -> np.ndarray:
        """Return the population to evaluate, shape (S, k)."""
        if self.history:
            self._evolve()
        return np.array(self._population, dtype=np.intp)

    def upcoming(self, limit: int) -> np.ndarray:
        """Return up to ``limit`` candidates that the next generations will ask for first.

        New genes come from mutation alone, and what mutates into what depends on the random numbers
        alone, not on the values told; except where a draw is repeated because the individual has the
        gene already. The forecast ends where that has become likely.
        """
        future = copy.copy(self)
        future._population = [list(individual) for individual in self._population]
        future._rng = copy.deepcopy(self._rng)
        future._pools = self._pools.fork()
        future._best = max(self._best, 0)
        if self._pools.repeats:
            limit = min(limit, int(_LIKELY / self._pools.repeats))
        genes: dict[int, None] = {}
        for _ in range(len(self.history), self._n_generations):
            if len(genes) >= limit:
                break
            before = {gene for individual in future._population for gene in individual}
            future._evolve()
            new = (gene for individual in future._population for gene in individual)
            genes.update(dict.fromkeys(gene for gene in new if gene not in before))
        return np.array(list(genes)[:limit], dtype=np.intp)

    def tell(self, values: np.ndarray) -> None:
        """Take the values of the population that was asked; greater is better."""
        if self._best < 0:
            self._best = 0
        for i, value in enumerate(values):  # Algorithm 1: strictly better replaces the best
            if value > values[self._best]:
                self._best = i
        self.history.append(values[self._best].item())

    def _draw(self, start: list[int], draws: Draws) -> list[int]:
        individual = list(start)
        for position in range(len(individual), len(self._pools)):
            gene = self._pools.draw(position, individual, draws)
            assert gene is not None, "pools must offer k distinct candidates"
            individual.append(gene)
        return individual

    def _evolve(self) -> None:
        """Reproduce every individual but the best with the best, then mutate it."""
        best = self._population[self._best]
        first, k = self._n_fixed, len(best)
        with drawn_in_batches(self._rng, 3 * len(self._population) * (k - first)) as draws:
            for individual in self._population:
                if individual is best:
                    continue
                taken = set(individual)
                for position, number in enumerate(draws.several(k - first), first):
                    if number < self._crossover_rate and best[position] not in taken:
                        taken.remove(individual[position])
                        taken.add(best[position])
                        individual[position] = best[position]
                position = first + draws.until_below(self._mutation_rate, k - first)
                while position < k:
                    gene = self._pools.draw(position, individual, draws)
                    if gene is not None:
                        individual[position] = gene
                    position += 1 + draws.until_below(self._mutation_rate, k - position - 1)
