"""Means, ranks and tests of the cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.quality import at_equal_cost
from benchmarks.quality.data import NUMBERS, n_splits
from benchmarks.quality.methods import METHODS
from benchmarks.space import CLASSIFIERS
from benchmarks.store import Store


@dataclass(frozen=True)
class Cell:
    """The errors of all methods for a data set, a number of prototypes and a classifier."""

    set_name: str
    k: int
    classifier: str
    errors: dict[str, np.ndarray]  # by method, one for each seed

    @property
    def means(self) -> dict[str, float]:
        return {method: float(errors.mean()) for method, errors in self.errors.items()}

    @property
    def lowest(self) -> str:
        """The method with the lowest mean error."""
        return min(self.means, key=lambda method: self.means[method])

    def lowest_but(self, *left_out: str) -> str:
        """The method with the lowest mean error of all others."""
        means = self.means
        return min((name for name in means if name not in left_out), key=lambda name: means[name])

    def p_value(self, method: str, other: str) -> float:
        """Return the p-value of a paired t-test that the two have the same error."""
        difference = self.errors[method] - self.errors[other]
        return 1.0 if not difference.any() else float(stats.ttest_1samp(difference, 0.0).pvalue)


@dataclass(frozen=True)
class EqualCost:
    """Swaps and the genetic algorithm with as many dissimilarities, one figure for each seed."""

    set_name: str
    k: int
    genetic: np.ndarray  # label matches, as a share of the objects
    swap: np.ndarray
    needed: np.ndarray  # share of the dissimilarities with which swaps reach the genetic algorithm's value
    is_within: bool  # swaps never computed more

    @property
    def name(self) -> str:
        return f"{self.set_name} at k = {self.k}"

    @property
    def points(self) -> np.ndarray:
        """Percentage points that swaps gain."""
        return 100 * (self.swap - self.genetic)


def equal_costs_of(store: Store) -> Iterator[EqualCost]:
    """Return what was found at equal cost, in the order of the data sets."""
    for set_name in at_equal_cost.SETS:
        for k in NUMBERS:
            runs = [store.get("at equal cost", set_name, k, seed) for seed in range(at_equal_cost.N_SEEDS)]
            runs = [run for run in runs if run]
            if runs:
                genetic, swap, needed = (
                    np.array([run[name] for run in runs]) for name in ("genetic", "swap", "share_to_reach")
                )
                is_within = all(run["swap_dissimilarities"] <= run["dissimilarities"] for run in runs)
                yield EqualCost(set_name, k, genetic, swap, needed, is_within)


def cells_of(store: Store) -> list[Cell]:
    """Return the cells for which every method that applies was run on all splits."""
    found: dict[tuple[str, int], dict[str, dict[int, dict[str, float]]]] = {}
    for key, result in store.cells.items():
        set_name, k, method, seed = key.split(" | ")
        if set_name == "at equal cost" or not result:
            continue
        of_method = found.setdefault((set_name, int(k)), {}).setdefault(method, {})
        of_method[int(seed)] = result["errors"]
    cells = []
    for (set_name, k), methods in found.items():
        seeds = range(n_splits(set_name))
        if "Auto" not in methods or len(methods) < 2:
            continue
        if not all(seed in runs for runs in methods.values() for seed in seeds):
            continue
        for classifier in CLASSIFIERS:
            errors = {
                name: np.array([methods[name][seed][classifier] for seed in seeds])
                for name in METHODS
                if name in methods
            }
            cells.append(Cell(set_name, k, classifier, errors))
    return cells


def average_ranks(cells: list[Cell]) -> tuple[dict[str, float], float]:
    """Return the mean rank of the methods that were run in all cells, and Nemenyi's critical difference.

    The cells of a data set are not independent. Their ranks are averaged first, so that it counts once.
    """
    names = [name for name in METHODS if all(name in cell.errors for cell in cells)]
    of_set: dict[str, list[np.ndarray]] = {}
    for cell in cells:
        of_set.setdefault(cell.set_name, []).append(stats.rankdata([cell.means[name] for name in names]))
    ranks = np.array([np.mean(of_cells, axis=0) for of_cells in of_set.values()])  # (data sets, methods)
    n, k = ranks.shape
    q = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    return dict(zip(names, ranks.mean(axis=0), strict=True)), float(q * np.sqrt(k * (k + 1) / (6 * n)))
