"""Dissimilarities of which each pair is computed once, where memory allows."""

from __future__ import annotations

import numpy as np

from protopick.dissimilarity import Dissimilarity
from protopick.engine import threads
from protopick.engine.columns import Columns, working_memory
from protopick.engine.nearest import assign


class KnownPairs:
    """Columns with all pairs that were asked for.

    Where pairs are cheap, or there is no memory for all of them, it remembers nothing. Blocks without a
    pair in common may be asked for in several threads at a time.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        dissimilarity, n = columns.dissimilarity, columns.n_rows
        self._remembers = can_remember(dissimilarity, n, columns.memory)
        if self._remembers:
            self._is_known = np.zeros((n, n), bool)  # takes memory where it is written to
            self._values = np.empty((n, n), dissimilarity.dtype)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of the objects ``rows`` to the candidates ``cols``."""
        if not self._remembers:
            return self._columns.block(rows, cols)
        missing = ~self._is_known[np.ix_(rows, cols)]
        for some in _alike(missing):
            lacking = np.ix_(rows[missing[:, some[0]]], cols[some])
            if lacking[0].size:
                self._values[lacking] = self._columns.block(lacking[0][:, 0], lacking[1][0])
                self._is_known[lacking] = True
        return self._values[np.ix_(rows, cols)]

    def nearest(self, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each object's nearest of the distinct ``centres``, as a position and as a dissimilarity.

        Ties go to the lowest position.
        """
        if not self._remembers:
            position, keys = assign(self._columns, centres)
            return position, self._columns.dissimilarity.restore(keys)
        every = np.arange(self._columns.n_rows)
        columns = threads.run(
            lambda j: self.block(every, centres[j : j + 1]), len(centres), self._columns.n_jobs
        )
        table = np.hstack(columns)
        return table.argmin(axis=1), table.min(axis=1)


def can_remember(dissimilarity: Dissimilarity, n: int, memory: int) -> bool:
    """Say whether `KnownPairs` of n objects remembers, in half of the memory."""
    # Other measures than users' functions and alignments of series compute a pair as fast as it is looked up.
    is_costly = dissimilarity.takes in ("objects", "series") or not dissimilarity.threads
    nbytes = n * n * (dissimilarity.dtype.itemsize + 1)
    # Other machines may have more memory, but the pairs are here.
    return is_costly and nbytes <= min(memory, working_memory()) // 2


def _alike(missing: np.ndarray) -> list[list[int]]:
    """Return the columns in groups that miss the same rows."""
    groups: dict[bytes, list[int]] = {}
    for j, pattern in enumerate(np.packbits(missing, axis=0).T):
        groups.setdefault(pattern.tobytes(), []).append(j)
    return list(groups.values())
