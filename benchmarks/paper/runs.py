"""One run: a method picks k prototypes, and each classifier is trained and tested in their space."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks import space
from benchmarks.data import Objects, Split
from benchmarks.paper.methods import AUTO, GENETIC, fitter
from benchmarks.paper.sets import SETS, objects
from benchmarks.paper.settings import Cell
from benchmarks.space import CLASSIFIERS, Task
from protopick import AutoSelector

_HISTORY_K = 20
"""The values of every generation are kept for this number of prototypes."""
_WARM_UP = 200


def run(cell: Cell) -> dict[str, Any]:
    """Return errors, seconds, how many dissimilarities were computed, and the values of a search."""
    data, parts, task = task_of(cell)
    if cell.method == AUTO:
        return _run_auto(data, parts, task)
    fit = fitter(cell.method, SETS[cell.set_name].size)
    start = time.perf_counter()
    selector = fit(task)
    seconds = time.perf_counter() - start
    picked = dict.fromkeys(CLASSIFIERS, selector.prototype_indices_)
    result = _result(data, parts, task, picked, seconds, selector.n_dissimilarities_)
    if cell.method in GENETIC and cell.k == _HISTORY_K:
        result["history"] = [float(f"{value:.6g}") for value in selector.history_]
    return result


def task_of(cell: Cell) -> tuple[Objects, Split, Task]:
    """Return the data of a cell, its split, and what to pick."""
    data, parts, task = _repeat(cell.set_name, cell.repeat)
    return data, parts, replace(task, k=cell.k)


@functools.lru_cache(maxsize=1)
def _repeat(set_name: str, repeat: int) -> tuple[Objects, Split, Task]:
    """Copy the objects to pick from once for all methods."""
    data = objects(set_name)
    parts = SETS[set_name].split(data, repeat)
    return data, parts, space.task(data, parts, 1, repeat)


def warm_up(cell: Cell) -> None:
    """Run a method on a few objects, so that no time holds a compilation."""
    data, parts, _ = task_of(cell)
    some = parts.selection[:_WARM_UP]
    task = space.task(data, Split(some, some, some), 5, 0)
    if cell.method == AUTO:
        task.fit(AutoSelector, estimator=CLASSIFIERS["LDC"]())
    else:
        fitter(cell.method, SETS[cell.set_name].size)(task)


def _run_auto(data: Objects, parts: Split, task: Task) -> dict[str, Any]:
    """Fit once for each classifier; the time and the count are those of a mean fit."""
    picked, seconds, counts = {}, [], []
    for name, classifier in CLASSIFIERS.items():
        start = time.perf_counter()
        selector = task.fit(AutoSelector, estimator=classifier())
        seconds.append(time.perf_counter() - start)
        counts.append(selector.n_dissimilarities_)
        picked[name] = selector.prototype_indices_
    return _result(data, parts, task, picked, float(np.mean(seconds)), round(np.mean(counts)))


def _result(
    data: Objects,
    parts: Split,
    task: Task,
    picked: dict[str, np.ndarray],
    seconds: float,
    n_dissimilarities: int,
) -> dict[str, Any]:
    errors = space.errors(data, parts, task.X, picked)
    return {
        "errors": {name: round(error, 6) for name, error in errors.items()},
        "seconds": float(f"{seconds:.4g}"),
        "dissimilarities": int(n_dissimilarities),
    }
