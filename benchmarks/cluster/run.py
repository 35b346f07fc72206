"""What does a cluster cost, against the same fit in one process? On two workers of this machine."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, get_task_stream, wait
from sklearn import config_context
from sklearn.base import clone

from benchmarks.cluster.plan import Costs, plan
from benchmarks.cluster.traffic import Traffic
from benchmarks.markdown import table
from benchmarks.speed.clock import best, seconds
from protopick import FarthestFirstSelector, GeneticSelector, SwapSelector
from protopick.criteria.label_match import LabelMatchObjective, _count
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from protopick.engine.nearest import _approach
from protopick.engine.on_chunks import ChunkedColumns, Sent

N_WORKERS = 2
PAGE = Path(__file__).parent / "RESULTS.md"
GENETIC = GeneticSelector(20, criterion="label-match", evaluation="exact", random_state=0)
SWAPS = SwapSelector(20, criterion="coverage", evaluation="exact", max_candidates=200, random_state=0)
FITS: dict[str, tuple[Any, int]] = {  # a selector, and MiB for columns
    "genetic, exact, few columns kept": (GENETIC, 64),
    "genetic, exact, most columns kept": (GENETIC, 1024),
    "genetic, exact, 64 pivots": (clone(GENETIC).set_params(n_pivots=64), 1024),
    "swaps, exact": (SWAPS, 1024),
    "farthest first": (FarthestFirstSelector(20, random_state=0), 1024),
}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    options.add_argument("--rows", type=int, default=600_000)
    options.add_argument("--chunks", type=int, default=2)
    options.add_argument("--keep", action="store_true", help=f"write the figures to {PAGE.name}")
    asked = options.parse_args()
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, asked.rows)
    X = rng.normal(size=(asked.rows, 128)).astype(np.float32)
    X[:, :10] += 2 * np.eye(10, dtype=np.float32)[y]
    size = asked.rows // asked.chunks
    with two_workers() as client:
        rows, labels = client.persist(in_chunks(X, size, client)), da.from_array(y, chunks=size)
        wait(rows)
        lines = [overhead(name, (X, y), (rows, labels), client) for name in FITS]
        moved = traffic(rows, labels, client)
    columns = [
        "generation",
        "new candidates",
        "rows + counts",
        "moved",
        "moved / (rows + counts) / workers",
    ]
    text = f"""\
# What a cluster costs

Written by `python -m benchmarks.cluster --keep`. {asked.rows:,} rows of 128 numbers (float32) in
{asked.chunks} chunks: {N_WORKERS} workers of one thread, against one process with two threads and as much
memory for columns. All are on the same two cores, with the scheduler and the client. Taken in turns, the
better of two. The prototypes were the same.

{table(["fit", "local", "cluster", "overhead", "steps", "a chunk's step, median", "longest"], lines)}

Bytes that all processes together wrote to sockets in a generation, small talk included:

{table(columns, moved)}

{plan(chunk_costs(X[:size], y[:size]))}
"""
    print(text)
    if asked.keep:
        PAGE.write_text(text)


@contextmanager
def two_workers() -> Iterator[Client]:
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with (
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, host="127.0.0.1", **quiet) as cluster,
        Client(cluster) as client,
    ):
        yield client


def in_chunks(X: np.ndarray, size: int, client: Client) -> da.Array:
    """Return an array whose chunks are with the workers in turn."""
    workers = list(client.nthreads())
    blocks = []
    for i, start in enumerate(range(0, len(X), size)):
        part = X[start : start + size]
        there = client.scatter(part, workers=[workers[i % len(workers)]])
        blocks.append(da.from_delayed(dask.delayed(there), part.shape, part.dtype))
    return da.concatenate(blocks)


def overhead(name: str, here: tuple[Any, Any], there: tuple[Any, Any], client: Client) -> list[str]:
    """Return a line of the table: the same fit, local and on the cluster."""
    selector, memory = FITS[name]

    def fit(data: tuple[Any, Any], working_memory: int) -> list[int]:
        with config_context(working_memory=working_memory):
            return selector.fit(*data).prototype_indices_.tolist()

    tasks = partial(fit, here, memory), partial(fit, there, memory // N_WORKERS)
    local, remote = best(*tasks, repeats=2)
    with get_task_stream(client) as stream:
        assert tasks[0]() == tasks[1](), "the prototypes must be the same"
    times = [
        sum(part["stop"] - part["start"] for part in task["startstops"] if part["action"] == "compute")
        for task in stream.data
        if "visited" in str(task["key"])
    ]
    n_steps = len(times) // len(there[0].chunks[0])
    spent = f"{1e3 * np.median(times):.0f} ms", f"{1e3 * max(times):.0f} ms"
    line = [name, f"{local:.2f} s", f"{remote:.2f} s", f"{remote / local - 1:+.0%}", str(n_steps), *spent]
    print(*line, flush=True)
    return line


def traffic(rows: Any, labels: Any, client: Client) -> list[list[str]]:
    """Return what a generation moves between processes, against what it has to."""
    counted, totals, sent = Traffic(client), [], []
    send, measure = Sent._send, LabelMatchObjective.__call__

    def sending(self: Any, names: list[int]) -> None:
        if sent:
            sent[-1] += len(names)
        send(self, names)

    def measured(self: Any, population: np.ndarray, ahead: Any = None) -> np.ndarray:
        if not isinstance(self._columns, ChunkedColumns):
            return measure(self, population)
        if len(sent) in (0, 1):  # asking moves bytes too
            totals.append(counted.total)
        sent.append(0)
        values = measure(self, population)
        if len(sent) == 1 + GENETIC.n_generations:
            totals.extend([counted.total, counted.total])
        return values

    Sent._send, LabelMatchObjective.__call__ = sending, measured  # type: ignore[method-assign]
    try:
        clone(GENETIC).set_params(clustered=False).fit(rows, labels)
    finally:
        Sent._send, LabelMatchObjective.__call__ = send, measure  # type: ignore[method-assign]
    moved = np.diff(totals)
    lines = []
    whole = moved[0] + moved[1] - moved[2]
    for name, some, total in (
        ("the first", sent[:1], moved[0]),
        ("the others, mean", sent[1:], moved[1]),
        ("all, mean", sent, whole),
    ):
        needed = np.mean(some) * 128 * 4 + 20 * 8 * len(rows.chunks[0])
        each = (total - moved[2]) / len(some)
        line = f"{np.mean(some):.0f}", f"{needed:,.0f}", f"{each:,.0f}", f"{each / needed / N_WORKERS:.2f}"
        lines.append([name, *line])
    return lines


def chunk_costs(X: np.ndarray, y: np.ndarray) -> Costs:
    """Return what one thread takes on a chunk: for new columns, and for the look at kept ones."""
    columns = columns_of(X, resolve("euclidean").fit(X), n_jobs=1)
    where, codes = np.arange(400).reshape(20, 20), y.astype(np.int32)
    count = partial(_count, where=where, prototype_labels=codes[where])
    wanted, nearest = np.arange(400), np.full(len(X), np.inf, np.float32)
    columns.scan(wanted, count, codes, keep=True)
    kept = min(seconds(partial(columns.scan, wanted, count, codes, keep=True)) for _ in range(3))
    new = min(seconds(partial(columns.scan, wanted + 400 * i, count, codes)) for i in range(1, 4))
    step = partial(_approach, own=0)
    alone = min(seconds(partial(columns.scan, np.array([i]), step, nearest, lone=True)) for i in range(1, 6))
    return Costs((new - kept) / len(X) / 400, kept / len(X) / 20, alone / len(X))
