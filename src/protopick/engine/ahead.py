"""Read rows from their file while the rows before them are compared."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from protopick.dissimilarity import length
from protopick.objects import Objects


class ReadAhead:
    """Stretches of rows that are asked for about in their order, each once.

    Parameters
    ----------
    rows : Objects
        Where they are.
    height : int
        How many rows a stretch has.
    depth : int
        How many stretches to read beyond the one that is asked for.
    """

    def __init__(self, rows: Objects, height: int, depth: int) -> None:
        self._rows = rows
        self._height = height
        self._depth = depth
        self._n = -(-length(rows) // height)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="protopick-read")
        self._lock = threading.Lock()
        self._coming: dict[int, Future[Any]] = {}
        self._begun = 0

    def __getitem__(self, here: slice) -> Any:
        i = here.start // self._height
        with self._lock:
            while self._begun < min(i + 1 + self._depth, self._n):
                start = self._begun * self._height
                self._coming[self._begun] = self._pool.submit(
                    self._rows.__getitem__, slice(start, min(start + self._height, length(self._rows)))
                )
                self._begun += 1
            coming = self._coming.pop(i)
        return coming.result()

    def close(self) -> None:
        """Read no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
