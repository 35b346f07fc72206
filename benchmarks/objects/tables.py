"""A large table of numbers and categories, by Gower's measure."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pandas as pd

from benchmarks.data import load
from benchmarks.objects.line import Line
from benchmarks.speed import memory
from benchmarks.speed.clock import seconds
from protopick import GeneticSelector


def lines() -> Iterator[Line]:
    load("kddcup99_10pct")  # or say that it is not there
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
        n, time, peak = apart.submit(_fit).result()
    figure = f"KDD Cup 99 ({n:,} x 41, 3 categorical): GA (clust) sup, 64 pivots, k = 20"
    yield Line(f"{figure}, time", f"{time:.1f} s", "60 s", time <= 60, "in a new process, first call")
    yield Line(f"{figure}, peak memory", f"{peak / 1e9:.2f} GB", "2 GB", peak <= 2e9, "of the whole process")


def _fit() -> tuple[int, float, int]:
    """Return the number of rows, seconds, and the most memory that this process took."""
    file = load("kddcup99_10pct")
    frame = pd.DataFrame(file["X"]).rename(columns=str)
    for column in file["categorical_columns"].tolist():
        frame[str(column)] = frame[str(column)].astype("category")
    selector = GeneticSelector(20, metric="gower", criterion="label-match", n_pivots=64, random_state=0)
    labels = file["y"]
    memory.forget_peak()
    time = seconds(lambda: selector.fit(frame, labels))
    return len(frame), time, memory.peak()
