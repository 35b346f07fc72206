"""What will a fit cost? Told before it runs."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from protopick import checks
from protopick.engine import Columns, Tile
from protopick.warned import warn

_PROBE_SECONDS = 0.05
_HOUR = 3600.0
_PROBED_ABOVE = {True: 10**11, False: 10**7}  # bulk or not: fewer never take an hour


@dataclass(frozen=True)
class Size:
    """What the cost of a fit depends on."""

    n: int
    k: int
    n_candidates: int
    n_fixed: int
    capacity: int  # columns that can be kept
    seed: int | None = None  # to count the random draws of this very fit; None for the expected number
    remembers: bool = False  # whether `KnownPairs` computes no pair twice


@dataclass(frozen=True)
class Demand:
    """What a selector will ask of the engine."""

    dissimilarities: int
    exact: bool = True
    kept_columns: int = 0
    evaluations: int = 0  # sets whose label matches are counted over all objects
    timed: bool = True  # whether dissimilarities and evaluations take most of the time
    of_objects: int = 0  # dissimilarities of the objects themselves where the search has stand-ins


@dataclass(frozen=True)
class Forecast:
    """What a fit will cost.

    Attributes
    ----------
    n_dissimilarities : int
        How many dissimilarities it computes.
    exact : bool
        Whether that number is exact. For the genetic algorithm it counts every gene that is drawn,
        so it is an upper bound that is reached where none is drawn twice; swaps, k-centres,
        `AutoSelector` and what is sampled are estimated.
    memory : int
        Bytes beyond the input.
    seconds : float or None
        Time, from a short probe on the sample; None without a sample, and for `AutoSelector`, whose
        time depends on what it finds.
    """

    n_dissimilarities: int
    exact: bool
    memory: int
    seconds: float | None

    def __str__(self) -> str:
        about = "" if self.exact else "about "
        text = (
            f"{about}{self.n_dissimilarities:,} dissimilarities, {self.memory / 1e6:,.0f} MB beyond the input"
        )
        return text if self.seconds is None else f"{text}, about {spoken(self.seconds)}"


def forecast(selector: Any, n: int, sample: Any = None) -> Forecast:
    """Tell what fitting a selector to n objects will cost, without fitting it.

    Parameters
    ----------
    selector : selector
        Not fitted; it is left as it is.
    n : int
        How many objects there will be.
    sample : objects, optional
        Some of the objects, a thousand or so. A few of their dissimilarities are timed. Without it,
        dissimilarities are taken to be 4 bytes each and no time is given.

    Returns
    -------
    Forecast

    Examples
    --------
    >>> from protopick import FarthestFirstSelector, forecast
    >>> print(forecast(FarthestFirstSelector(20), 1_000_000))
    19,000,000 dissimilarities, 4 MB beyond the input
    """
    _refuse_no_selector(selector)
    n = checks.whole_number(
        "n", n, 1, " It is how many objects there will be; of the objects, pass some as sample."
    )
    columns = None if sample is None else selector._sample_columns(sample)
    dtype = np.dtype(np.float32) if columns is None else columns.dissimilarity.dtype
    demand, held = selector._forecast(n, columns)
    memory = held + n * demand.kept_columns * dtype.itemsize
    seconds = None
    if columns is not None and demand.timed:
        seconds = demand.dissimilarities * seconds_each(columns)
        seconds += demand.evaluations * n * 4e-10 / columns.n_jobs
    return Forecast(demand.dissimilarities, demand.exact, memory, seconds)


def _refuse_no_selector(selector: Any) -> None:
    if isinstance(selector, type) or not hasattr(selector, "_forecast"):
        raise TypeError(
            f"selector={checks.shown(selector)} is not allowed. Pass a selector, such as SwapSelector(20), "
            "or of a pipeline the step that is one."
        )


def seconds_each(columns: Columns) -> float:
    """Return the time that one dissimilarity takes in a large block, from a short probe."""
    columns.over(np.zeros(1, np.intp)).scan(np.zeros(1, np.intp), _ignore)  # loads kernels, starts processes
    rows, cols = 16, 2
    while True:
        some = np.linspace(0, columns.n_rows - 1, min(rows, columns.n_rows)).astype(np.intp)
        part, wanted = columns.over(some), some[: min(cols, len(some))]
        start = time.perf_counter()
        part.scan(wanted, _ignore)
        seconds = time.perf_counter() - start
        if seconds > _PROBE_SECONDS or (len(some) < rows and len(wanted) < cols) or rows * cols > 1 << 24:
            return seconds / (len(some) * len(wanted))
        rows, cols = rows * 4, cols * 2


def warn_if_costly(columns: Columns, demand: Demand, bytes_per_object: int, way_out: str) -> None:
    """Warn where a fit would need more memory than the machine has, or more than an hour."""
    memory = columns.n_rows * bytes_per_object // columns.n_machines
    available = _physical_memory()
    if memory > available:
        warn(
            f"This fit needs about {memory / 1e9:.1f} GB beyond the input, but the machine has "
            f"{available / 1e9:.1f} GB. Fit on a part of the objects.",
        )
    bulk = columns.dissimilarity.bulk
    if demand.dissimilarities <= _PROBED_ABOVE[bulk]:
        return
    rows, cols = (1024, 32) if bulk else (8, 8)
    some = np.unique(np.linspace(0, columns.n_rows - 1, rows).astype(np.intp))
    part, every = columns.part(some), np.arange(len(some))  # in memory, wherever the objects are
    part.block(every[:1], every[:1])  # loads kernels, starts processes
    start = time.perf_counter()
    part.block(every, every[:cols])
    each = (time.perf_counter() - start) / (len(some) * cols * columns.n_machines)
    if each * demand.dissimilarities > _HOUR:
        warn(
            f"This fit needs about {demand.dissimilarities:.1e} dissimilarities, which take about "
            f"{spoken(each * demand.dissimilarities)} at the speed of the first few. {way_out}",
        )


def _ignore(tile: Tile) -> None:
    pass


def spoken(seconds: float) -> str:
    """Write a time as people say it."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2g} s"


def _physical_memory() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not to be known on this system
        return math.inf
