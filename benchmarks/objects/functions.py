"""A function of a pair, in Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.base import clone

from benchmarks.data import load
from benchmarks.objects.line import Line
from benchmarks.speed.clock import best
from protopick import FarthestFirstSelector, GeneticSelector, SwapSelector

_N = 10_000


def levenshtein(a: str, b: str) -> int:
    """Return the edit distance, as a loop in Python."""
    previous = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        current = [i]
        for j, q in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (p != q)))
        previous = current
    return previous[-1]


class Counted:
    """The same, counting its calls."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, a: str, b: str) -> int:
        self.n_calls += 1
        return levenshtein(a, b)


def lines() -> Iterator[Line]:
    file = load("strings_names18")
    X, y = file["X"][:: len(file["X"]) // _N].tolist(), file["y"][:: len(file["X"]) // _N]
    selectors = {
        "farthest first": FarthestFirstSelector(20, random_state=0),
        "GA (clust) sup, 16 pivots": GeneticSelector(
            20, criterion="label-match", n_pivots=16, random_state=0
        ),
        "swaps, 16 pivots": SwapSelector(20, n_pivots=16, random_state=0),
    }
    for name, selector in selectors.items():
        counted = Counted()
        fitted = selector.set_params(metric=counted).fit(X, y)
        calls, said = counted.n_calls, fitted.n_dissimilarities_
        figure = f"a function of a pair, {len(X):,} strings: {name}"
        yield Line(f"{figure}, calls", f"{calls:,}", f"{said:,}", calls == said, "as n_dissimilarities_ says")
        jobs = [clone(selector).set_params(metric=levenshtein, n_jobs=n) for n in (1, 2)]
        alone, together = best(*(partial(one.fit, X, y) for one in jobs), repeats=3)
        gain = alone / together
        note = f"{alone:.2f} s, {together:.2f} s"
        yield Line(f"{figure}, 1 job / 2 jobs", f"{gain:.2f}", "1.6", gain >= 1.6, note)
