"""Columns of dissimilarities: one tiling loop, a cache, a budget, a counter."""

from protopick.engine.columns import QUANTUM, Columns, Counter, Tile, working_memory
from protopick.engine.kinds import columns_of
from protopick.engine.nearest import approach, assign, nearest_keys, reach
from protopick.engine.pairs import Pairs
from protopick.engine.racing import RowSample, race
from protopick.engine.two_nearest import TwoNearest

__all__ = [
    "QUANTUM",
    "Columns",
    "Counter",
    "Pairs",
    "RowSample",
    "Tile",
    "TwoNearest",
    "approach",
    "assign",
    "columns_of",
    "nearest_keys",
    "race",
    "reach",
    "working_memory",
]
