"""Pick the k objects that stand for n objects, given only how different two of them are."""

from protopick.classifiers import ldc, nearest_neighbor, qdc
from protopick.diagnostics import Forecast, forecast, intrinsic_dimension
from protopick.dissimilarity import batch_metric, symmetrized, transformed, weighted_sum
from protopick.objects import Ragged
from protopick.selectors import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    pick,
)

__version__ = "0.1.0"

__all__ = [
    "FarthestFirstSelector",
    "Forecast",
    "ForwardSelector",
    "GeneticSelector",
    "KCentersSelector",
    "Ragged",
    "RandomSelector",
    "batch_metric",
    "forecast",
    "intrinsic_dimension",
    "ldc",
    "nearest_neighbor",
    "pick",
    "qdc",
    "symmetrized",
    "transformed",
    "weighted_sum",
]
