"""Which columns go with which objects: computation follows the data."""

from __future__ import annotations

from typing import Any

from protopick.dissimilarity import Dissimilarity
from protopick.engine.columns import Columns
from protopick.engine.on_chunks import ChunkedColumns
from protopick.engine.on_tensors import TensorColumns
from protopick.objects import Chunked, Objects, TensorRows

KINDS: dict[type, type[Columns]] = {Chunked: ChunkedColumns, TensorRows: TensorColumns}
"""Collections of objects that do not live in the memory of this machine, and the columns over them."""


def columns_of(rows: Objects, dissimilarity: Dissimilarity, **how: Any) -> Columns:
    """Return the columns of ``rows``; see `Columns` for the parameters."""
    return KINDS.get(type(rows), Columns)(rows, dissimilarity, **how)
