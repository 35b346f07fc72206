"""What a billion rows would take on a hundred workers, from what a chunk took here."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.markdown import table

N, WIDTH, WORKERS, THREADS, CHUNK = 10**9, 128, 100, 8, 10**6
K, SETS, GENERATIONS, MUTATION = 20, 20, 20, 0.1
MESSAGE = 8000
"""Bytes of talk about one task. A later generation moved some 60 kB beyond its rows, for about 8 tasks."""


class Costs(NamedTuple):
    """Seconds of one thread."""

    new: float  # for a row and a new column
    kept: float  # for a row and a set, where the columns are kept
    alone: float  # for a row and a step of a traversal


def plan(costs: Costs) -> str:
    """Return the plan in Markdown."""
    rows, n_chunks, row_bytes = N // WORKERS, N // CHUNK, WIDTH * 4
    live, new = SETS * K, int(SETS * K * MUTATION)
    n_kept = 2**30 // (4 * rows)  # in a working memory of 1 GiB
    recomputed = rows * ((live - n_kept) * costs.new + SETS * costs.kept) / THREADS
    all_kept = rows * (new * costs.new + SETS * costs.kept) / THREADS
    step = rows * costs.alone / THREADS
    counts, talk = SETS * 8 * n_chunks, n_chunks * MESSAGE
    first, later = live * row_bytes * WORKERS + counts, new * row_bytes * WORKERS + counts
    lines = [
        ("the first generation", _s(recomputed), _mb(first), _mb(talk)),
        (f"a later one, {n_kept} columns kept (1 GiB)", _s(recomputed), _mb(later), _mb(talk)),
        (f"a later one, all kept ({4e-9 * rows * live:.0f} GB)", _s(all_kept), _mb(later), _mb(talk)),
        (
            f"{1 + GENERATIONS} generations with 1 GiB",
            _s((1 + GENERATIONS) * recomputed),
            _mb(first + GENERATIONS * later),
            _mb((1 + GENERATIONS) * talk),
        ),
        ("a step of farthest first", _s(step), _mb(row_bytes * WORKERS + 16 * n_chunks), _mb(2 * talk)),
    ]
    return f"""\
Measured on one chunk, one thread: {1e9 * costs.new:.2f} ns for a row and a new column,
{1e9 * costs.kept:.1f} ns for a row and a set of {K} kept columns, {1e9 * costs.alone:.1f} ns for a row and a
step of a traversal.

## A billion rows, on paper

{N:,} x {WIDTH} (float32, {N * row_bytes / 1e9:.0f} GB) on {WORKERS} workers of {THREADS} threads, each with
{rows * row_bytes / 1e9:.1f} GB of rows in {rows // CHUNK} chunks of {CHUNK:,} rows; k = {K}, {SETS} sets,
exact. The threads are taken to scale, and to be as fast as here.

{table(["what", "work of a worker", "rows and counts, to and from all workers", "talk about tasks"], lines)}

The scheduler handles {n_chunks:,} tasks a step, about a second at 1 ms each: fewer, larger chunks cost less
of that. That millisecond is assumed, not measured; so is that talk grows with the tasks.

By default none of this happens above 100,000 objects: a race fetches at most 262,144 rows,
{2**18 * row_bytes / 1e6:.0f} MB, and compares them where the client runs."""


def _s(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def _mb(n: float) -> str:
    return f"{n / 1e6:.0f} MB" if n >= 1e7 else f"{n / 1e6:.2g} MB"
