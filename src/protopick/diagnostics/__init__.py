"""Look at the data and at the cost before anything is picked."""

from protopick.diagnostics.cost import Forecast, forecast
from protopick.diagnostics.describe import describe
from protopick.diagnostics.description import Description
from protopick.diagnostics.dimension import intrinsic_dimension
from protopick.diagnostics.landmarks import LandmarkMap, landmark_map

__all__ = [
    "Description",
    "Forecast",
    "LandmarkMap",
    "describe",
    "forecast",
    "intrinsic_dimension",
    "landmark_map",
]
