"""Pick the k objects that stand for n objects, given only how different two of them are."""

from protopick.classifiers import ldc, nearest_neighbor, qdc
from protopick.diagnostics import Description, Forecast, describe, forecast, intrinsic_dimension
from protopick.dissimilarity import batch_metric, symmetrized, transformed, weighted_sum
from protopick.objects import Ragged
from protopick.selectors import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    pick,
)
from protopick.storage import load, save

__version__ = "0.1.0"

__all__ = [
    "AutoSelector",
    "Description",
    "FarthestFirstSelector",
    "Forecast",
    "ForwardSelector",
    "GeneticSelector",
    "KCentersSelector",
    "Ragged",
    "RandomSelector",
    "SwapSelector",
    "batch_metric",
    "describe",
    "forecast",
    "intrinsic_dimension",
    "ldc",
    "load",
    "nearest_neighbor",
    "pick",
    "qdc",
    "save",
    "symmetrized",
    "transformed",
    "weighted_sum",
]
