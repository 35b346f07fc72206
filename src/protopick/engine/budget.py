"""What computing may take, and what it took: memory, and dissimilarities."""

from __future__ import annotations

import threading

from sklearn import get_config

_LEAST_FOR_TILES = 1 << 23


class Counter:
    """How many dissimilarities were computed, by all threads together."""

    def __init__(self) -> None:
        self.total = 0
        self._lock = threading.Lock()

    def add(self, n: int) -> None:
        with self._lock:
            self.total += n


def working_memory() -> int:
    """Return scikit-learn's ``working_memory`` setting in bytes."""
    return int(get_config()["working_memory"] * 2**20)


def for_tiles(memory: int) -> int:
    """Return how much of the memory rows may take that are read or encoded anew for every tile."""
    return max(memory // 4, _LEAST_FOR_TILES)
