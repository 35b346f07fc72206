"""Objects as a dissimilarity compares them: all of them held, or some encoded whenever they are needed."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np

from protopick.dissimilarity import Dissimilarity, length
from protopick.engine import threads
from protopick.engine.numbering import Numbering, naming
from protopick.objects import Objects
from protopick.objects.sizes import nbytes_of, read_bytes_of


class Encoded:
    """Encoded objects. All of them are held once they are asked for, where half of the memory is enough.

    Parameters
    ----------
    objects : Objects
    dissimilarity : Dissimilarity
    memory : int
        In bytes.
    n_jobs : int
        How many threads share out the work where all are encoded.
    numbering : Numbering
        What numbers the objects have in X.
    """

    def __init__(
        self, objects: Objects, dissimilarity: Dissimilarity, memory: int, n_jobs: int, numbering: Numbering
    ) -> None:
        self.on_demand = getattr(objects, "on_demand", False)
        self.nbytes = 0 if self.on_demand else dissimilarity.encoded_bytes(objects)
        self.may_be_held = not self.on_demand and self.nbytes <= memory // 2
        self._objects = objects
        self._dissimilarity = dissimilarity
        self._n_jobs = n_jobs
        self._numbering = numbering
        self._held: Any = None
        self._holding = threading.Lock()

    def held(self) -> Any:
        """Return all objects, encoded, and hold them from now on."""
        with self._holding, naming(self._numbering):
            if self._held is None:
                run = partial(threads.run, threads=self._n_jobs)
                self._held = self._dissimilarity.encode_all(self._objects, run)
        return self._held

    def some(self, which: slice | np.ndarray, hold: bool = True, source: Any = None) -> Any:
        """Return some of them, out of all of them where these are held, or may be and should be.

        Others are looked up in ``source``, which may have read them ahead.
        """
        if self.may_be_held and (hold or self._held is not None):
            return self.held()[which]
        numbers = range(length(self._objects))[which] if isinstance(which, slice) else which
        with naming(self._numbering.of(numbers)):
            return self._dissimilarity.encode((self._objects if source is None else source)[which])

    def row_bytes(self, hold: bool) -> tuple[int, int]:
        """Return about how much it takes to look up an object, and how much it is encoded, for one tile."""
        if self.may_be_held and hold:
            return 0, 0
        n = max(1, length(self._objects))
        if not self.on_demand:
            return 0, -(-self.nbytes // n)
        made = encoded_bytes_of(self._objects, self._dissimilarity)
        return -(-read_bytes_of(self._objects) // n), -(-made // n)


def encoded_bytes_of(objects: Objects, dissimilarity: Dissimilarity) -> int:
    """Return about how much objects take encoded: as many numbers, but none smaller than dissimilarities."""
    itemsize = dissimilarity.dtype.itemsize
    dtype = getattr(objects, "dtype", None) or dissimilarity.dtype
    return nbytes_of(objects) * max(itemsize, dtype.itemsize) // dtype.itemsize
