"""One cell: a method picks k prototypes of a data set; each classifier is trained and tested on them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.quality.data import Objects, Split, objects, split
from benchmarks.quality.methods import CLASSIFIERS, METHODS, Task
from protopick import RandomSelector


def run(set_name: str, k: int, seed: int, method_name: str) -> dict[str, Any] | None:
    """Return errors and seconds, None where the method does not apply."""
    data, method = objects(set_name), METHODS[method_name]
    if method.vectors_only and data.metric != "euclidean":
        return None
    parts = split(data, seed)
    if len(parts.selection) <= k:
        return None
    X = _rows(data, parts.selection, parts)
    task = Task(X, data.y[parts.selection], k, seed, data.metric, data.metric_params)
    start = time.perf_counter()
    picked = method.pick(task)
    seconds = time.perf_counter() - start
    sets = picked if isinstance(picked, dict) else dict.fromkeys(CLASSIFIERS, picked)
    errors: dict[str, float] = {}
    spaces: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    for name, prototypes in sets.items():
        key = prototypes.tobytes()
        if key not in spaces:
            spaces[key] = _spaces(data, parts, X, prototypes)
        training, test = spaces[key]
        classifier = CLASSIFIERS[name]().fit(training, data.y[parts.training])
        errors[name] = 1 - float(classifier.score(test, data.y[parts.test]))
    return {"errors": errors, "seconds": seconds / (len(sets) if isinstance(picked, dict) else 1)}


def _spaces(data: Objects, parts: Split, X: Any, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and the test part in the dissimilarity space of prototypes."""
    prototypes = np.unique(prototypes)
    space = RandomSelector(
        len(prototypes), fixed=prototypes, metric=data.metric, metric_params=data.metric_params
    ).fit(X)
    return (
        space.transform(_rows(data, parts.training, parts)),
        space.transform(_rows(data, parts.test, parts)),
    )


def _rows(data: Objects, which: np.ndarray, parts: Split) -> Any:
    if data.metric == "precomputed":
        return data.X[np.ix_(which, parts.selection)]
    return data.X[which]
