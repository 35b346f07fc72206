"""The genetic algorithm on MNIST: against itself as written, against its floor, and with pivots."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.speed import as_written, ceilings
from benchmarks.speed.clock import best, typical
from benchmarks.speed.data import mnist
from benchmarks.speed.ours import K, label_match, spanning_tree
from benchmarks.speed.row import Row, times_faster, times_slower
from protopick import GeneticSelector

_QUICK_GENERATIONS = 1


def rows(quick: bool) -> Iterator[Row]:
    """Yield the figures of the genetic algorithm."""
    X, y, _ = mnist()
    exact = label_match()
    ours = typical(lambda: exact.fit(X, y), repeats=7)
    yield _against_as_written("pairwise_distances", as_written.by_distances, exact, ours, quick, 60, 100)
    yield _against_as_written("pairwise_distances_argmin", as_written.by_argmin, exact, ours, quick)
    yield _against_floor(exact)
    yield from _with_pivots()


def _against_as_written(
    name: str,
    nearest: as_written.Nearest,
    exact: GeneticSelector,
    ours: float,
    quick: bool,
    must: float | None = None,
    aim: float | None = None,
) -> Row:
    """Compare the time, and the best value after every generation, with the algorithm as written."""
    X, y, _ = mnist()
    n_generations = _QUICK_GENERATIONS if quick else exact.n_generations
    run = as_written.fit(X, y, nearest, n_generations)
    same = run.history == exact.history_[: len(run.history)]
    # Every population is the same work, so the median one stands for all, as our median fit does.
    n_populations = exact.n_generations + 1
    time = n_populations * statistics.median(run.seconds)
    note = (
        f"{'same' if same else 'DIFFERENT'} criterion value {run.history[-1]:,.0f}; medians on both sides; "
        f"{n_populations} times its fastest population would be {n_populations * min(run.seconds):.0f} s"
    )
    figure = f"as written ({name} in the fitness) / exact label-match GA"
    return times_faster(figure, ours, time, must=must, aim=aim, note=note, valid=same)


def _against_floor(exact: GeneticSelector) -> Row:
    """Compare with the matrix product of the columns that the search asked for, and nothing else."""
    X, y, _ = mnist()
    n_columns, n_asked = as_written.columns_asked_for(X, y)
    n_computed = exact.n_dissimilarities_ // len(X) - K  # less the clusters
    product = ceilings.product(n_columns, X.shape[1], len(X))
    ours, floor = best(lambda: exact.fit(X, y), product)
    figure = "exact label-match GA / matrix product of its distinct columns"
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
