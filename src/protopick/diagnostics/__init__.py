"""Look at the data and at the cost before anything is picked."""

from protopick.diagnostics.cost import Forecast, forecast
from protopick.diagnostics.dimension import intrinsic_dimension

__all__ = ["Forecast", "forecast", "intrinsic_dimension"]
