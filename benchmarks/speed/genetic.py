"""The genetic algorithm on MNIST: against itself as written, against its floor, and with pivots."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np

from benchmarks.speed import as_written, ceilings
from benchmarks.speed.clock import best, seconds
from benchmarks.speed.data import both_kinds, mnist
from benchmarks.speed.ours import K, label_match, spanning_tree
from benchmarks.speed.row import Row, times_faster, times_slower
from protopick import GeneticSelector

_QUICK_GENERATIONS = 1
_ROUNDED = 1e-4  # of the objects may lie so near the middle of two prototypes that rounding decides


def rows(quick: bool) -> Iterator[Row]:
    """Yield the figures of the genetic algorithm."""
    for name, X in both_kinds().items():
        yield from _exact(X, name, quick)
    yield from _with_pivots()


def _exact(X: np.ndarray, name: str, quick: bool) -> Iterator[Row]:
    exact, y = label_match(), mnist().y
    exact.fit(X, y)
    ours = [seconds(lambda: exact.fit(X, y)) for _ in range(7)]
    case, limits = (X, name, exact, ours, quick), {"must": 60, "aim": 100}
    yield from _against_as_written("pairwise_distances", as_written.by_distances, *case, limits)
    yield from _against_as_written("pairwise_distances_argmin", as_written.by_argmin, *case, {})
    yield _against_floor(X, name, exact)


def _against_as_written(
    function: str,
    nearest: as_written.Nearest,
    X: np.ndarray,
    name: str,
    exact: GeneticSelector,
    ours: list[float],
    quick: bool,
    limits: dict[str, float],
) -> Iterator[Row]:
    """Compare the time, and the best value after every generation, with the algorithm as written."""
    n_generations = _QUICK_GENERATIONS if quick else exact.n_generations
    run = as_written.fit(X, mnist().y, nearest, n_generations)
    apart = max(abs(theirs - own) for theirs, own in zip(run.history, exact.history_, strict=False))
    # Every population is the same work. Their times vary by half here, so both statistics are shown,
    # and each has to meet the demand by itself.
    n_populations = exact.n_generations + 1
    note = f"criterion value {run.history[-1]:,.0f}; ours differs by at most {apart:,.0f} in any generation"
    for kind, statistic in (("medians", statistics.median), ("fastest", min)):
        figure = f"as written ({function} in the fitness) / exact label-match GA, {name}, {kind}"
        time = n_populations * statistic(run.seconds)
        yield times_faster(
            figure, statistic(ours), time, note=note, valid=apart <= _ROUNDED * len(X), **limits
        )


def _against_floor(X: np.ndarray, name: str, exact: GeneticSelector) -> Row:
    """Compare with the matrix product of the columns that the search asked for, and nothing else."""
    y = mnist().y
    n_columns, n_asked = as_written.columns_asked_for(X, y)
    n_computed = exact.n_dissimilarities_ // len(X) - K  # less the clusters
    product = ceilings.product(n_columns, X.shape[1], len(X))
    ours, floor = best(lambda: exact.fit(X, y), product)
    figure = f"exact label-match GA / float32 matrix product of its distinct columns, {name}"
    note = f"{n_columns:,} distinct columns of {n_asked:,} asked for; {n_computed:,} computed"
    return times_slower(figure, ours, floor, must=2.0, aim=1.3, note=note)


def _with_pivots() -> Iterator[Row]:
    X, y, _ = mnist()
    exact, racing, tree = best(
        lambda: label_match(n_pivots=64).fit(X, y),
        lambda: label_match(n_pivots=64, evaluation="racing").fit(X, y),
        lambda: spanning_tree().fit(X),
    )
    figure = "label-match GA with 64 pivots, {} / clustered spanning-tree GA"
    yield times_slower(figure.format("racing"), racing, tree, must=4, aim=1.5)
    yield times_slower(figure.format("exact"), exact, tree)
