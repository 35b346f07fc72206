"""scikit-learn estimators: a criterion meets a search. One file a selector."""

from protopick.selectors.auto import AutoSelector
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.forward import ForwardSelector
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.pick import METHODS, pick
from protopick.selectors.random import RandomSelector
from protopick.selectors.swap import SwapSelector

__all__ = [
    "METHODS",
    "AutoSelector",
    "FarthestFirstSelector",
    "ForwardSelector",
    "GeneticSelector",
    "KCentersSelector",
    "RandomSelector",
    "SwapSelector",
    "pick",
]
