"""One cell: a method picks k prototypes of a data set; each classifier is trained and tested on them."""

from __future__ import annotations

import time
from typing import Any

from benchmarks import space
from benchmarks.quality.data import objects, split
from benchmarks.quality.methods import METHODS


def run(set_name: str, k: int, seed: int, method_name: str) -> dict[str, Any] | None:
    """Return errors and seconds, None where the method does not apply."""
    data, method = objects(set_name), METHODS[method_name]
    if method.vectors_only and data.metric != "euclidean":
        return None
    parts = split(data, seed)
    if len(parts.selection) <= k:
        return None
    task = space.task(data, parts, k, seed)
    start = time.perf_counter()
    picked = method.pick(task)
    seconds = time.perf_counter() - start
    sets = picked if isinstance(picked, dict) else dict.fromkeys(space.CLASSIFIERS, picked)
    errors = space.errors(data, parts, task.X, sets)
    return {"errors": errors, "seconds": seconds / (len(sets) if isinstance(picked, dict) else 1)}
