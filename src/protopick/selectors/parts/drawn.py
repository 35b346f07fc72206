"""How many columns a genetic search will ask for, counted before it has seen any data."""

from __future__ import annotations

import copy

import numpy as np

from protopick.diagnostics.cost import Size
from protopick.engine.cache import ColumnCache
from protopick.search import Genetic


def drawn_columns(
    size: Size,
    *,
    population_size: int,
    n_generations: int,
    crossover_rate: float,
    mutation_rate: float,
    clustered: bool,
) -> int:
    """Return how many columns a search computes, if it draws no gene twice.

    With a seed, the search runs without data, since what it draws does not depend on values; columns
    that do not fit into memory count each time they are computed. Without one, the expected number.
    """
    k = size.k - size.n_fixed
    if size.seed is None:
        expected = k * (population_size + n_generations * (population_size - 1) * mutation_rate)
        return int(expected) + size.n_fixed
    rng = np.random.default_rng(size.seed)
    if clustered:
        rng.choice(size.n_candidates, k, replace=False)  # the centres
    search = Genetic(
        _FreshGenes(size.k),
        population_size=population_size,
        n_generations=n_generations,
        crossover_rate=crossover_rate,
        mutation_rate=mutation_rate,
        rng=rng,
        fixed=np.arange(size.n_fixed),
    )
    cache = ColumnCache(1, np.dtype(np.int8), size.capacity)
    columns = 0
    while not search.done:
        plan = cache.plan(np.unique(search.ask()), keep=True)
        columns += int((~plan.ready).sum())
        search.tell(np.zeros(population_size))
    return columns


class _FreshGenes:
    """Pools that never give a candidate twice."""

    repeats = 0.0

    def __init__(self, k: int) -> None:
        self._k = k
        self._n_drawn = 0

    def __len__(self) -> int:
        return self._k

    def draw(self, position: int, individual: list[int], rng: np.random.Generator) -> int:
        rng.random()  # as a real draw does
        self._n_drawn += 1
        return -self._n_drawn

    def draw_each(
        self, positions: np.ndarray, individuals: np.ndarray, owners: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        rng.random(len(positions))
        self._n_drawn += len(positions)
        return np.arange(-self._n_drawn, len(positions) - self._n_drawn)

    def fork(self) -> _FreshGenes:
        return copy.copy(self)
