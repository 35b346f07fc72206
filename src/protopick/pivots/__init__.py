"""Hashing: search on a small stand-in of each object instead of on the object."""

from protopick.pivots.codes import binary_codes, training_cost
from protopick.pivots.table import pivot_table

__all__ = ["PIVOT_CODES", "training_cost"]

PIVOT_CODES = {
    "dissimilarity": pivot_table,
    "binary": binary_codes,
}
