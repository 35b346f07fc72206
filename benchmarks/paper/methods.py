"""What is compared: the eight methods with the paper's parameters, ours, and the search on pivots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.paper.sets import Size
from benchmarks.space import Task
from protopick import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
)

Fit = Callable[[Task], Any]
"""Returns the fitted selector."""

UNSUPERVISED = ("GA MST", "GA (clust) MST")
SUPERVISED = ("GA sup", "GA (clust) sup")
GENETIC = UNSUPERVISED + SUPERVISED
PAPER = ("Random", "FFT", "Kcentres", "FS", *GENETIC)
AUTO = "Auto"  # a fit for each classifier
OURS = ("Swap", AUTO)
METHODS = PAPER + OURS

N_PIVOTS = 64
DISSIMILARITY_CODE, BINARY_CODE = "LSH", "binary"
_CODES = {DISSIMILARITY_CODE: "dissimilarity", BINARY_CODE: "binary"}


def hashed(method: str, code: str = DISSIMILARITY_CODE) -> str:
    """Return what a genetic algorithm is called that searches on pivots."""
    return f"{method} + {code}"


HASHED = tuple(hashed(method, code) for code in _CODES for method in GENETIC)


def fitter(method: str, size: Size) -> Fit:
    """Return how a method is fitted to data of a size."""
    if method in _OTHERS:
        selector, params = _OTHERS[method]
        return lambda task: task.fit(selector, **params)
    name, _, code = method.partition(" + ")
    params = genetic_params(name, size)
    if code:
        params |= {"n_pivots": N_PIVOTS, "pivot_code": _CODES[code]}
    return lambda task: task.fit(GeneticSelector, **params)


def genetic_params(method: str, size: Size) -> dict[str, Any]:
    """Return the paper's parameters of a genetic algorithm."""
    clustered, few = "(clust)" in method, size == "medium"
    return {
        "criterion": "label-match" if method in SUPERVISED else "spanning-tree",
        "clustered": clustered,
        "population_size": 20,
        "n_generations": 25 if few and not clustered else 20,
        "crossover_rate": 0.5,
        "mutation_rate": 0.02 if few else 0.1,
        "evaluation": "exact",
    }


_OTHERS: dict[str, tuple[type, dict[str, Any]]] = {
    "Random": (RandomSelector, {}),
    "FFT": (FarthestFirstSelector, {}),
    "Kcentres": (KCentersSelector, {}),
    "FS": (ForwardSelector, {}),
    "Swap": (SwapSelector, {"criterion": "label-match"}),
}
