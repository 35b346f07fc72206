"""Means, ranks and tests of the cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.quality.data import n_splits
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
    """Return the mean rank of the methods that were run in all cells, and Nemenyi's critical difference."""
    names = [name for name in METHODS if all(name in cell.errors for cell in cells)]
    ranks = np.array([stats.rankdata([cell.means[name] for name in names]) for cell in cells])
    n, k = ranks.shape
    q = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    return dict(zip(names, ranks.mean(axis=0), strict=True)), float(q * np.sqrt(k * (k + 1) / (6 * n)))
