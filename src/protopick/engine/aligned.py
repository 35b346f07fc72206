"""Arrays with an entry for each object, where the objects are."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.engine.digits import middle
from protopick.objects import Objects


class AlignedArrays:
    """What columns know of arrays that are aligned with their rows: here, those of NumPy."""

    n_rows: int

    def full(self, value: float, dtype: Any, *width: int) -> np.ndarray:
        """Return an array with an entry for each object, where the objects are, to be shown to visits.

        With a ``width``, an entry has so many numbers.
        """
        shape = self.n_rows, *width
        return np.full(shape, value, dtype) if value else np.zeros(shape, dtype)  # touches no page yet

    def ones(self) -> np.ndarray:
        """Return ones for all objects that no visit may write to."""
        return np.broadcast_to(np.int8(1), self.n_rows)

    def aligned(self, values: np.ndarray) -> np.ndarray:
        """Return ``values``, one for each object, where the objects are."""
        return values

    def gathered(self, aligned: np.ndarray) -> np.ndarray:
        """Return an array that `full` or `aligned` gave as one of NumPy."""
        return aligned

    def middle(self, aligned: np.ndarray) -> np.ndarray:
        """Return, of each column of such an array with a width, the value that half do not exceed."""
        return middle(aligned)

    def as_rows(self, aligned: np.ndarray, dtype: Any = None) -> Objects:
        """Return such an array with a width as objects, their bytes read as those of ``dtype``."""
        return aligned if dtype is None else aligned.view(dtype)
