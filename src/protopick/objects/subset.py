"""Some of the objects, looked up when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.objects.sequence import Objects
from protopick.objects.sizes import nbytes_of, read_bytes_of


class Subset:
    """The objects at some indices, without a copy of them.

    Examples
    --------
    >>> Subset(np.arange(20).reshape(10, 2), np.array([7, 3, 5]))[1:]
    array([[ 6,  7],
           [10, 11]])
    """

    on_demand = True

    def __init__(self, objects: Objects, rows: np.ndarray) -> None:
        self._objects = objects
        self._rows = rows
        self.dtype = getattr(objects, "dtype", None)

    @property
    def nbytes(self) -> int:
        """About how much a copy would take."""
        return self._share_of(nbytes_of(self._objects))

    @property
    def read_bytes(self) -> int:
        """About how much is read to look all of them up."""
        return self._share_of(read_bytes_of(self._objects))

    def _share_of(self, nbytes: int) -> int:
        n = self._objects.shape[0] if hasattr(self._objects, "shape") else len(self._objects)
        return nbytes * len(self) // max(1, n)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, which: Any) -> Any:
        return self._objects[self._rows[which]]
