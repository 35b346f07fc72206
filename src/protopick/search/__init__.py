"""Which set to try next? Searches see integer arrays and values only."""

from protopick.search.genetic import Genetic
from protopick.search.pools import AllBut, AllIndices, Candidates, Pools, by_class, by_cluster, same_for_all
from protopick.search.quota import Quota, apportioned
from protopick.search.swaps import Swaps

__all__ = [
    "AllBut",
    "AllIndices",
    "Candidates",
    "Genetic",
    "Pools",
    "Quota",
    "Swaps",
    "apportioned",
    "by_class",
    "by_cluster",
    "same_for_all",
]
