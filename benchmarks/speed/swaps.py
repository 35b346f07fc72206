"""Swaps against their floor, and the time and memory of the automatic choice, on MNIST."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.speed import ceilings, memory
from benchmarks.speed.clock import best, seconds
from benchmarks.speed.data import both_kinds, mnist
from benchmarks.speed.ours import K
from benchmarks.speed.row import Row, at_most, times_slower
from protopick import AutoSelector, SwapSelector, ldc, nearest_neighbor, qdc

_N_CANDIDATES = 1_200
_CLASSIFIERS: dict[str, Callable[[], Any]] = {"1-NN": nearest_neighbor, "LDC": ldc, "QDC": qdc}


def rows(quick: bool) -> Iterator[Row]:
    """Yield the figures of swaps and of the automatic choice."""
    y = mnist().y
    for name, X in both_kinds().items():
        yield from _against_floor(name, X, y)
    for name, X in both_kinds().items():
        for classifier, make in list(_CLASSIFIERS.items())[: 1 if quick else None]:
            taken, extra = _measured(AutoSelector(K, estimator=make(), random_state=0), X, y)
            yield at_most(f"AutoSelector for {classifier}, {name}, time", taken, "s", must=10)
            if memory.available:
                figure = f"AutoSelector for {classifier}, {name}, memory above the input"
                yield at_most(figure, extra / 1e6, "MB", must=1200)


def _against_floor(name: str, X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    one_round, to_the_end = _swaps(max_rounds=1), _swaps()
    product = ceilings.product(_N_CANDIDATES + K, X.shape[1], len(X))
    # The product writes into memory that is there. So one round follows a fit that left as much free: some
    # virtual machines take a second to hand out what it needs.
    whole, once, floor = best(lambda: to_the_end.fit(X, y), lambda: one_round.fit(X, y), product)
    figure = (
        f"swaps with {_N_CANDIDATES:,} candidates, {{}} / float32 matrix product of their columns, {name}"
    )
    for how, selector, taken in (("one round", one_round, once), ("to the end", to_the_end, whole)):
        note = f"label match {selector.criterion_value_ / len(X):.3f}"
        must = {"must": 1.5} if selector is one_round else {}
        yield times_slower(figure.format(how), taken, floor, note=note, **must)


def _swaps(**params: Any) -> SwapSelector:
    common = {"criterion": "label-match", "max_candidates": _N_CANDIDATES, "random_state": 0}
    return SwapSelector(K, **common, **params)


def _measured(selector: Any, X: Any, y: Any) -> tuple[float, int]:
    """Return the time of a fit, the shorter of two, and the most memory that one held."""
    if not memory.available:
        return min(seconds(lambda: selector.fit(X, y)) for _ in range(2)), 0
    before = memory.present()
    memory.forget_peak()
    taken = min(seconds(lambda: selector.fit(X, y)) for _ in range(2))
    return taken, memory.peak() - before
