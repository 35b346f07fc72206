"""Table 1: how time grows with n, k and q, fitted to measurements, against the paper's terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy import stats
from sklearn.metrics import pairwise_distances

from benchmarks.markdown import table
from benchmarks.paper.methods import genetic_params
from benchmarks.paper.published import PUBLISHED
from benchmarks.space import columns
from benchmarks.speed.clock import seconds
from benchmarks.speed.data import mixture
from benchmarks.store import Store
from protopick import GeneticSelector
from protopick.criteria import CRITERIA, Data
from protopick.engine import Counter

_KEY = "complexity"
_SLACK, _LEAST_SLACK = 2.0, 0.1
"""A fitted exponent may be above its bound by so many standard errors, and by so much in any case."""
_ENOUGH_S = 0.3
_MOST_TIMES = 30


class Size(NamedTuple):
    """Objects, prototypes, features."""

    n: int
    k: int
    q: int


@dataclass(frozen=True)
class Line:
    """A row of the paper's table, one column of it, and what grows."""

    situation: str
    algorithm: str
    axis: str
    values: tuple[int, ...]
    others: dict[str, int]

    def sizes(self) -> list[Size]:
        return [Size(**{**self.others, self.axis: value}) for value in self.values]


def lines() -> Iterator[Line]:
    """Yield what is measured: sizes at which the growing part is most of the time."""
    for situation, algorithms in PUBLISHED["complexity"]["terms"].items():
        for algorithm in algorithms:
            supervised = situation.endswith(", supervised")
            grids = _GIVEN if situation.startswith("given") else _ON_DEMAND
            for axis, values, others in grids[supervised, algorithm]:
                yield Line(situation, algorithm, axis, values, others)


_Grid = tuple[str, tuple[int, ...], dict[str, int]]
_CLUSTERS, _NO_CLUSTERS, _FITNESS = "GA with clusters", "GA without clusters", "fitness"
_MANY_N = (12_500, 25_000, 50_000, 100_000)
_MANY_Q = (64, 128, 256, 512, 1024)
_SUPERVISED: list[_Grid] = [
    ("n", _MANY_N, {"k": 20, "q": 64}),
    ("k", (10, 20, 40, 80), {"n": 20_000, "q": 64}),
    ("q", _MANY_Q, {"n": 10_000, "k": 20}),
]
_FEW: list[_Grid] = [
    ("k", (25, 50, 100, 200), {"n": 2_000, "q": 64}),
    ("q", (256, 512, 1024, 2048, 4096), {"n": 2_000, "k": 100}),
]
_ON_DEMAND: dict[tuple[bool, str], list[_Grid]] = {
    (True, _FITNESS): _SUPERVISED,
    (True, _CLUSTERS): _SUPERVISED,
    (True, _NO_CLUSTERS): _SUPERVISED,
    (False, _FITNESS): [
        ("n", (500, 1_000, 2_000, 4_000), {"k": 200, "q": 256}),
        ("k", (25, 50, 100, 200), {"n": 2_000, "q": 1024}),
        ("q", (256, 512, 1024, 2048), {"n": 2_000, "k": 200}),
    ],
    (False, _CLUSTERS): [("n", (50_000, 100_000, 200_000, 400_000), {"k": 20, "q": 64}), *_FEW],
    (False, _NO_CLUSTERS): [("n", _MANY_N, {"k": 20, "q": 64}), *_FEW],
}
_MATRICES = (1_000, 2_000, 4_000, 8_000)
_GIVEN_GRID: list[_Grid] = [
    ("n", _MATRICES, {"k": 20, "q": 8}),
    ("k", (10, 20, 40, 80), {"n": 4_000, "q": 8}),
]
_GIVEN_FEW: list[_Grid] = [
    ("n", _MATRICES, {"k": 20, "q": 8}),
    ("k", (25, 50, 100, 200), {"n": 2_000, "q": 8}),
]
_GIVEN: dict[tuple[bool, str], list[_Grid]] = {
    (supervised, algorithm): _GIVEN_GRID if supervised else _GIVEN_FEW
    for supervised in (False, True)
    for algorithm in (_FITNESS, _CLUSTERS, _NO_CLUSTERS)
}


def run(store: Store, repeats: int) -> None:
    """Measure all sizes that the store lacks."""
    for line in lines():
        for value, size in zip(line.values, line.sizes(), strict=True):
            key = _KEY, line.situation, line.algorithm, line.axis, value
            if not store.has(*key):
                store.put(_measure(line, size, repeats), *key)


def _measure(line: Line, size: Size, repeats: int) -> dict[str, Any]:
    """Return the shortest time, and the number of dissimilarities."""
    X, y = mixture(size.n, size.q, n_classes=10)
    if line.situation.startswith("given"):
        X, metric = pairwise_distances(X).astype(np.float32), "precomputed"
    else:
        metric = "euclidean"
    method = "sup" if line.situation.endswith(", supervised") else "MST"
    make = _fitness if line.algorithm == _FITNESS else _genetic
    task, count = make(X, y, metric, method, line.algorithm, size.k)
    task()  # compiles
    times = [seconds(task) for _ in range(repeats)]
    while sum(times) < _ENOUGH_S and len(times) < _MOST_TIMES:
        times.append(seconds(task))
    return {"seconds": float(f"{min(times):.4g}"), "dissimilarities": count()}


_Made = tuple[Callable[[], Any], Callable[[], int]]


def _genetic(X: Any, y: np.ndarray, metric: str, method: str, algorithm: str, k: int) -> _Made:
    name = f"GA (clust) {method}" if algorithm == _CLUSTERS else f"GA {method}"
    selector = GeneticSelector(k, metric=metric, random_state=0, **genetic_params(name, "large"))

    def task() -> None:
        with mock.patch("protopick.selectors.genetic.by_worth", _as_they_come):
            selector.fit(X, y)

    return task, lambda: int(selector.n_dissimilarities_)


def _as_they_come(criterion: Any, problem: Any, prototypes: np.ndarray) -> np.ndarray:
    """Stand for the last step of a fit, which orders the prototypes; the paper has no such step."""
    return np.arange(len(prototypes))


def _fitness(X: Any, y: np.ndarray, metric: str, method: str, algorithm: str, k: int) -> _Made:
    """One set of prototypes, a new one each time, so that no column is at hand."""
    criterion = CRITERIA["label-match" if method == "sup" else "spanning-tree"]
    counter, counts = Counter(), [0]
    objective = criterion.bind(Data(columns(X, metric, counter), y))
    rng = np.random.default_rng(0)

    def task() -> None:
        before = counter.total
        objective(rng.choice(len(y), (1, k), replace=False))
        counts.append(counter.total - before)

    return task, lambda: max(counts)


class Fit(NamedTuple):
    """The slope of a line through logarithms."""

    exponent: float
    error: float


def exponent(values: np.ndarray, amounts: np.ndarray) -> Fit:
    """Return how amounts grow: with which power of the values, and its standard error."""
    found = stats.linregress(np.log(values), np.log(amounts))
    return Fit(float(found.slope), float(found.stderr))


def bound(line: Line) -> float:
    """Return the fastest growth among the paper's terms, over the sizes that were measured."""
    terms = PUBLISHED["complexity"]["terms"][line.situation][line.algorithm]
    values = np.array(line.values)
    slopes = [
        exponent(values, np.array([term_value(term, size) for size in line.sizes()])).exponent
        for term in terms
    ]
    return max(slopes)


def term_value(term: dict[str, int], size: Size) -> float:
    """Return what a term such as n k q comes to."""
    of = {**size._asdict(), "log k": np.log(size.k)}
    return float(np.prod([of[name] ** power for name, power in term.items()]))


def section(store: Store) -> Iterator[str]:
    """Yield the table."""
    rows = [row for line in lines() if (row := _row(store, line)) is not None]
    if not rows:
        return
    published = PUBLISHED["complexity"]
    yield (
        f"The paper's {published['table']}, checked: the exponent with which time grows is the slope of a "
        "line through the logarithms of the times (the shortest of some repeats), with its standard error. "
        "Beside it, the same for the number of dissimilarities, which no other process disturbs. *At most* "
        "is the growth of the paper's fastest growing term over the same sizes. A time is within it unless "
        f"it is above by more than {_LEAST_SLACK:g} and by more than {_SLACK:g} standard errors. Time can "
        "grow more slowly than its term while a part that does not grow is most of it, and columns that a "
        "search asks for twice are computed once. Left out is the last step of a fit, which orders the "
        "prototypes and is not in the paper."
    )
    head = [
        "dissimilarities",
        "what",
        "term",
        "in",
        "sizes",
        "others",
        "time",
        "count",
        "at most",
        "within",
    ]
    yield table(head, rows)


def _row(store: Store, line: Line) -> list[str] | None:
    found = [store.get(_KEY, line.situation, line.algorithm, line.axis, value) for value in line.values]
    if not all(found):
        return None
    values = np.array(line.values)
    time = exponent(values, np.array([point["seconds"] for point in found]))
    counts = np.array([point["dissimilarities"] for point in found])
    limit = bound(line)
    terms = PUBLISHED["complexity"]["terms"][line.situation][line.algorithm]
    return [
        line.situation,
        line.algorithm,
        f"O({' + '.join(map(_written, terms))})",
        line.axis,
        f"{values[0]:,} to {values[-1]:,}",
        ", ".join(
            f"{name} = {value:,}" for name, value in line.others.items() if name != "q" or _has_q(line)
        ),
        f"{time.exponent:.2f} ± {time.error:.2f}",
        f"{exponent(values, counts).exponent:.2f}" if counts.all() else "",
        f"{limit:.2f}",
        "yes" if time.exponent <= limit + max(_LEAST_SLACK, _SLACK * time.error) else "no",
    ]


def _has_q(line: Line) -> bool:
    return line.situation.startswith("on demand")


def _written(term: dict[str, int]) -> str:
    return " ".join(name if power == 1 else f"{name}²" for name, power in term.items())
