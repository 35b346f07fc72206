"""Racing: does the time still grow with n, and what does it lose?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.speed import as_written
from benchmarks.speed.clock import best
from benchmarks.speed.data import mixture, mnist
from benchmarks.speed.ours import label_match
from benchmarks.speed.row import Row, at_most, times_slower

_SMALL, _LARGE, _FEATURES = 100_000, 10_000_000, 16
_SEEDS = 5


def rows(quick: bool) -> Iterator[Row]:
    """Yield growth with and without clusters, and the loss."""
    for clustered in True, False:
        yield _growth(clustered)
    yield _loss(2 if quick else _SEEDS)


def _growth(clustered: bool) -> Row:
    with_or_without = "with" if clustered else "without"
    figure = f"racing {with_or_without} clusters: {_LARGE:,} x {_FEATURES} / {_SMALL:,} x {_FEATURES}"
    X, y = mixture(_LARGE, _FEATURES)
    few_X, few_y = X[:_SMALL].copy(), y[:_SMALL].copy()
    selector = label_match(evaluation="racing", clustered=clustered)
    small, large = best(
        lambda: selector.fit(few_X, few_y),
        lambda: selector.fit(X, y),
        repeats=3,
    )
    return times_slower(figure, large, small, must=3, aim=1.5, note="left: the large set, right: the small")


def _loss(n_seeds: int) -> Row:
    """Both values are counted on all objects, whatever the search had estimated."""
    figure = f"racing: criterion lost against exact, {mnist().name}, mean of {n_seeds} seeds"
    counts = [[_matches(evaluation, seed) for evaluation in ("exact", "racing")] for seed in range(n_seeds)]
    exact, raced = np.transpose(counts)
    loss = 100 * float(np.mean(1 - raced / exact))
    means = {"ours": float(raced.mean()), "other": float(exact.mean()), "unit": "objects"}
    return at_most(figure, loss, "%", must=1, aim=0.3, **means)


def _matches(evaluation: str, seed: int) -> int:
    X, y, _ = mnist()
    selector = label_match(evaluation=evaluation, random_state=seed).fit(X, y)
    return as_written.matches(X, y, selector.prototype_indices_)
