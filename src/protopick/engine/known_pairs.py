"""Dissimilarities of which each pair is computed once, where memory allows."""

from __future__ import annotations

import numpy as np

from protopick.dissimilarity import Dissimilarity
from protopick.engine.budget import working_memory
from protopick.engine.columns import Columns
from protopick.engine.nearest import assign


class KnownPairs:
    """Columns with all pairs that were asked for.

    It remembers pairs of users' functions, where there is memory for all. Blocks without a pair in common may
    be asked for in several threads at a time.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        dissimilarity, n = columns.dissimilarity, columns.n_rows
        self._remembers = columns.n_machines == 1 and can_remember(dissimilarity, n, columns.memory)
        if self._remembers:
            self._is_known = np.zeros((n, n), bool)  # takes memory where it is written to
            self._values = np.empty((n, n), dissimilarity.dtype)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of the objects ``rows`` to the candidates ``cols``."""
        if not self._remembers:
            return self._columns.block(rows, cols)
        self._learn(rows, cols)
        return self._values[np.ix_(rows, cols)]

    def nearest(self, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each object's nearest of the distinct ``centres``, as a position and as a dissimilarity.

        Ties go to the lowest position.
        """
        if not self._remembers:
            position, keys = assign(self._columns, centres)
            return position, self._columns.dissimilarity.restore(keys)
        table = self.block(np.arange(self._columns.n_rows), centres)
        return table.argmin(axis=1), table.min(axis=1)

    def _learn(self, rows: np.ndarray, cols: np.ndarray) -> None:
        """Compute what is not known yet of a block."""
        missing = ~self._is_known[np.ix_(rows, cols)]
        requests = [(rows[missing[:, some[0]]], cols[some]) for some in _alike(missing)]
        requests = [request for request in requests if len(request[0])]
        for request, found in zip(requests, self._columns.blocks(requests), strict=True):
            self._values[np.ix_(*request)] = found
            self._is_known[np.ix_(*request)] = True
            if self._columns.dissimilarity.symmetric:
                self._values[np.ix_(*request[::-1])] = found.T
                self._is_known[np.ix_(*request[::-1])] = True


def can_remember(dissimilarity: Dissimilarity, n: int, memory: int) -> bool:
    """Say whether `KnownPairs` of n objects remembers, in half of the memory."""
    # Other measures than users' functions compute a pair about as fast as it is looked up.
    nbytes = n * n * (dissimilarity.dtype.itemsize + 1)
    return not dissimilarity.threads and nbytes <= min(memory, working_memory()) // 2


def _alike(missing: np.ndarray) -> list[list[int]]:
    """Return the columns in groups that miss the same rows."""
    groups: dict[bytes, list[int]] = {}
    for j, pattern in enumerate(np.packbits(missing, axis=0).T):
        groups.setdefault(pattern.tobytes(), []).append(j)
    return list(groups.values())
