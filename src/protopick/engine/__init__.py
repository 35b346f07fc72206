"""Columns of dissimilarities: one tiling loop, a cache, a budget, a counter."""

from protopick.engine.columns import QUANTUM, Columns, Counter, Tile, working_memory
from protopick.engine.nearest import approach, assign
from protopick.engine.pairs import Pairs
from protopick.engine.racing import RowSample, race

__all__ = [
    "QUANTUM",
    "Columns",
    "Counter",
    "Pairs",
    "RowSample",
    "Tile",
    "approach",
    "assign",
    "race",
    "working_memory",
]
