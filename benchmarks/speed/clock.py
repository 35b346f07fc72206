"""How long does it take?"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Task = Callable[[], Any]


def seconds(task: Task) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def best(*tasks: Task, repeats: int = 5) -> list[float]:
    """Return the shortest time of each task after a warm-up.

    The tasks take turns, so that a busy minute of the machine hits all of them.
    """
    for task in tasks:
        task()
    rounds = [[seconds(task) for task in tasks] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]
