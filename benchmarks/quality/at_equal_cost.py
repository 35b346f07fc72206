"""Swaps against the genetic algorithm with the same number of dissimilarities."""

from __future__ import annotations

import numpy as np

from benchmarks.quality.data import objects, split
from benchmarks.store import Store
from protopick import GeneticSelector, SwapSelector

SETS = ("MNIST", "Fashion-MNIST", "Letter", "Covertype")
N_SEEDS = 5


def run(store: Store, set_name: str, ks: list[int], again: bool = False) -> None:
    """Compare label matches, and how soon swaps reach the value of the genetic algorithm."""
    if set_name not in SETS:
        return
    for k in ks:
        for seed in range(N_SEEDS):
            cell = "at equal cost", set_name, k, seed
            if again or not store.has(*cell):
                store.put(compare(set_name, k, seed), *cell)


def compare(set_name: str, k: int, seed: int) -> dict[str, float]:
    data = objects(set_name)
    selection = split(data, seed).selection
    X, y = data.X[selection], data.y[selection]
    common = {"criterion": "label-match", "evaluation": "exact", "random_state": seed}
    genetic = GeneticSelector(k, **common).fit(X, y)
    budget = genetic.n_dissimilarities_
    swap = SwapSelector(k, **common, max_candidates=None, max_dissimilarities=budget).fit(X, y)
    low, high = 0, budget
    for share in np.geomspace(0.01, 1, 25):  # the smallest budget that reaches the value
        few = SwapSelector(k, **common, max_candidates=None, max_dissimilarities=int(share * budget)).fit(
            X, y
        )
        if few.criterion_value_ >= genetic.criterion_value_:
            high = few.n_dissimilarities_
            break
        low = few.n_dissimilarities_
    n = len(y)
    return {
        "genetic": genetic.criterion_value_ / n,
        "swap": swap.criterion_value_ / n,
        "dissimilarities": budget,
        "swap_dissimilarities": swap.n_dissimilarities_,
        "share_to_reach": high / budget,
        "share_not_enough": low / budget,
    }
