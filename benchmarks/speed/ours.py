"""Our selectors with the settings that all figures share."""

from __future__ import annotations

from typing import Any

from protopick import FarthestFirstSelector, GeneticSelector

K = 20


def spanning_tree(**params: Any) -> GeneticSelector:
    """The paper's unsupervised GA."""
    return GeneticSelector(**{"n_prototypes": K, "random_state": 0, **params})


def label_match(**params: Any) -> GeneticSelector:
    """The paper's supervised GA, exact unless ``evaluation="racing"``."""
    settings = {"criterion": "label-match", "evaluation": "exact", "random_state": 0}
    return GeneticSelector(**{"n_prototypes": K, **settings, **params})


def farthest_first(**params: Any) -> FarthestFirstSelector:
    return FarthestFirstSelector(**{"n_prototypes": K, "random_state": 0, **params})
