"""Look at the data before anything is picked."""

from protopick.diagnostics.dimension import intrinsic_dimension

__all__ = ["intrinsic_dimension"]
