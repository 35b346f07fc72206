"""What was measured, as arrays over the repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.paper.methods import HASHED, METHODS
from benchmarks.paper.sets import SETS
from benchmarks.store import Store

Measure = Callable[[dict[str, Any]], float]


def error(classifier: str) -> Measure:
    return lambda result: result["errors"][classifier]


def log_seconds(result: dict[str, Any]) -> float:
    """Times are compared by their ratio, so their logarithms are what is averaged."""
    return float(np.log(result["seconds"]))


class Results:
    """The cells of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._runs: dict[tuple[str, int, str], dict[int, dict[str, Any]]] = {}
        for key, result in store.cells.items():
            names = key.split(" | ")
            if names[0] in SETS and len(names) == 4:
                set_name, k, method, repeat = names
                self._runs.setdefault((set_name, int(k), method), {})[int(repeat)] = result

    def sets(self, *sizes: str) -> list[str]:
        """Return the data sets of some sizes that were run."""
        found = {set_name for set_name, _, _ in self._runs}
        return [name for name, one in SETS.items() if name in found and one.size in sizes]

    def ks(self, set_name: str, method: str) -> list[int]:
        return [k for k in SETS[set_name].ks if (set_name, k, method) in self._runs]

    def methods(self, set_name: str) -> list[str]:
        return [name for name in METHODS + HASHED if self.ks(set_name, name)]

    def runs(self, set_name: str, k: int, method: str) -> list[dict[str, Any]]:
        """Return the results of all repeats, in their order."""
        found = self._runs.get((set_name, k, method), {})
        return [found[repeat] for repeat in sorted(found)]

    def values(self, set_name: str, k: int, method: str, measure: Measure) -> np.ndarray:
        return np.array([measure(run) for run in self.runs(set_name, k, method)])

    def pairs(self, set_name: str, ks: Iterable[int], methods: list[str], measure: Measure) -> np.ndarray:
        """Return, in column j and one row for each repeat that all have, the mean of method j over ks."""
        wanted = [[self._runs.get((set_name, k, method), {}) for k in ks] for method in methods]
        if not wanted or not all(wanted):
            return np.empty((0, len(methods)))
        common = set.intersection(*(set(runs) for of_method in wanted for runs in of_method))
        rows = [
            [np.mean([measure(runs[repeat]) for runs in of_method]) for of_method in wanted]
            for repeat in sorted(common)
        ]
        return np.array(rows).reshape(len(rows), len(methods))

    def n_repeats(self, set_name: str) -> int:
        return max(len(runs) for (name, _, _), runs in self._runs.items() if name == set_name)
