"""Which columns go with which objects: computation follows the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.dissimilarity import Dissimilarity, length
from protopick.engine.columns import Columns
from protopick.engine.on_chunks import ChunkedColumns
from protopick.engine.on_host import HostColumns
from protopick.engine.on_tensors import TensorColumns
from protopick.objects import Chunked, Objects, TensorRows

KINDS: dict[type, type[Columns]] = {Chunked: ChunkedColumns, TensorRows: TensorColumns}
"""Collections of objects that do not live in the memory of this machine, and the columns over them."""


def columns_of(rows: Objects, dissimilarity: Dissimilarity, **how: Any) -> Columns:
    """Return the columns of ``rows``; see `Columns` for the parameters."""
    return KINDS.get(type(rows), HostColumns)(rows, dissimilarity, **how)


def columns_among(
    rows: Objects, dissimilarity: Dissimilarity, numbers: np.ndarray | None = None, **how: Any
) -> Columns:
    """Return the columns of ``rows`` against each other.

    Rows of a matrix of dissimilarities are not compared. What they have as ``candidates`` are columns of the
    matrix: those at the ``numbers`` of the rows in it, all of them by default.
    """
    if dissimilarity.takes == "matrix":
        how["candidates"] = np.arange(length(rows)) if numbers is None else numbers
    return columns_of(rows, dissimilarity, **how)
