"""Which set to try next? Searches see integer arrays and values only."""

from protopick.search.genetic import Genetic
from protopick.search.pools import AllIndices, Candidates, Pools, by_cluster, same_for_all

__all__ = ["AllIndices", "Candidates", "Genetic", "Pools", "by_cluster", "same_for_all"]
