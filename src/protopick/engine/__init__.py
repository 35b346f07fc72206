"""Columns of dissimilarities: one tiling loop, a cache, a budget, a counter."""

from protopick.engine.budget import Counter, working_memory
from protopick.engine.columns import Columns
from protopick.engine.digits import middle
from protopick.engine.heights import QUANTUM
from protopick.engine.kinds import columns_among, columns_of
from protopick.engine.known_pairs import KnownPairs, can_remember
from protopick.engine.label_matches import count_label_matches
from protopick.engine.nearest import approach, assign, nearest_keys, reach
from protopick.engine.numbering import Numbering, naming
from protopick.engine.pairs import Pairs
from protopick.engine.racing import RowSample, race
from protopick.engine.tiles import Tile
from protopick.engine.two_nearest import TwoNearest, look_again
from protopick.engine.visits import both, greatest, nothing, summed, visits

__all__ = [
    "QUANTUM",
    "Columns",
    "Counter",
    "KnownPairs",
    "Numbering",
    "Pairs",
    "RowSample",
    "Tile",
    "TwoNearest",
    "approach",
    "assign",
    "both",
    "can_remember",
    "columns_among",
    "columns_of",
    "count_label_matches",
    "greatest",
    "look_again",
    "middle",
    "naming",
    "nearest_keys",
    "nothing",
    "race",
    "reach",
    "summed",
    "visits",
    "working_memory",
]
