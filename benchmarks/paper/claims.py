"""What the paper claims, each claim tested over the repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.paper.figure_convergence import PAIRS, histories
from benchmarks.paper.methods import (
    BINARY_CODE,
    GENETIC,
    PAPER,
    SUPERVISED,
    UNSUPERVISED,
    hashed,
)
from benchmarks.paper.paired import LEVEL, Test, holm, paired
from benchmarks.paper.results import Measure, Results, error, log_seconds
from benchmarks.paper.sets import SETS

HELD, NOT_HELD, NOT_TESTABLE = "held", "not held", "not testable here"


@dataclass(frozen=True)
class Comparison:
    """One test: the first is lower than the second, or at least not higher."""

    what: str
    test: Test
    must_be_lower: bool = True
    ratio: bool = False
    """The difference is one of logarithms, so a ratio of times."""


@dataclass(frozen=True)
class Claim:
    """A claim, the comparisons that stand for it, and what it would take to test more of it."""

    says: str
    where: str
    comparisons: list[Comparison]
    lacks: list[str] = field(default_factory=list)
    note: str = ""

    def adjusted(self) -> list[float]:
        """Return the p-values of the comparisons, adjusted for their number by Holm's method."""
        return holm([comparison.test.p for comparison in self.comparisons])

    def verdicts(self) -> list[bool]:
        """Tell of each comparison whether it came out as claimed."""
        found = []
        for comparison, p in zip(self.comparisons, self.adjusted(), strict=True):
            difference = comparison.test.difference
            if comparison.must_be_lower:
                found.append(difference < 0 and p < LEVEL)
            else:
                found.append(not (difference > 0 and p < LEVEL))
        return found

    def verdict(self) -> str:
        """Return held only if every comparison came out as claimed."""
        if not self.comparisons:
            return NOT_TESTABLE
        return HELD if all(self.verdicts()) else NOT_HELD


def all_claims(results: Results) -> list[Claim]:
    """Return the claims in the order of the paper's text."""
    return [make(results) for make in _CLAIMS]


class _Sets:
    """Names of data sets that were run, and those that a claim lacks."""

    def __init__(self, results: Results, *names: str) -> None:
        run = results.sets("medium", "large", "huge")
        self.at_hand = [name for name in names if name in run]
        self.lacks = [name for name in names if name not in run]


def _lower(
    results: Results,
    set_name: str,
    first: str,
    second: str,
    measure: Measure,
    label: str = "",
    ks: tuple[int, ...] | None = None,
    **how: bool,
) -> Iterator[Comparison]:
    """Compare two methods on a data set, by their means over the numbers of prototypes."""
    ks = ks or SETS[set_name].ks
    columns = results.pairs(set_name, ks, [first, second], measure)
    test = paired(columns[:, 0], columns[:, 1])
    if test is not None:
        yield Comparison(f"{set_name}{label}: {first} < {second}", test, **how)


def _genetic_beats_random(results: Results) -> Claim:
    sets = _Sets(results, "MNIST", "SVHN1")
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for comparison in _lower(results, set_name, method, "Random", error("1-NN"), ", 1-NN")
    ]
    return Claim(
        "The genetic algorithms have a lower 1-NN error than random prototypes on MNIST and SVHN1, "
        "significantly",
        "Section 5.2, Figures 2 and 3",
        comparisons,
        sets.lacks,
    )


def _one_nn_gains_more(results: Results) -> Claim:
    sets = _Sets(results, "MNIST", "SVHN1")
    comparisons = []
    for set_name in sets.at_hand:
        for method in GENETIC:
            gains = []
            for classifier in ("1-NN", "QDC"):
                pair = results.pairs(set_name, SETS[set_name].ks, ["Random", method], error(classifier))
                gains.append((pair[:, 0] - pair[:, 1]) / pair[:, 0].mean() if len(pair) else pair[:, 0])
            test = paired(gains[1], gains[0])
            if test is not None:
                comparisons.append(Comparison(f"{set_name}: QDC's gain < 1-NN's gain, {method}", test))
    return Claim(
        "1-NN gains more from a systematic selection than QDC does",
        "Section 5.2, Figures 2 and 3",
        comparisons,
        sets.lacks,
        "Gain: how much lower the error is than that of random prototypes, as a share of it.",
    )


def _farthest_first_leads(results: Results) -> Claim:
    sets = _Sets(results, "MNIST")
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in PAPER
        if method not in ("FFT", "FS")
        for comparison in _lower(results, set_name, "FFT", method, error("1-NN"), ", 1-NN")
    ]
    return Claim("FFT has the lowest 1-NN error on MNIST", "Section 5.2, Figure 2", comparisons, sets.lacks)


def _clusters_converge_sooner(results: Results) -> Claim:
    sets = _Sets(results, *(name for name, one in SETS.items() if one.size != "huge"))
    comparisons = []
    for set_name in sets.at_hand:
        for without, with_clusters in PAIRS.values():
            first, second = (_mean_value(results, set_name, m) for m in (without, with_clusters))
            n = min(len(first), len(second))
            scale = second.mean() if n else 1.0
            test = paired(first[:n] / scale, second[:n] / scale)
            if test is not None:
                comparisons.append(Comparison(f"{set_name}: {without} < {with_clusters}", test))
    return Claim(
        "With clusters the genetic algorithm converges sooner",
        "Sections 3 and 5.1",
        comparisons,
        [],
        "Compared is the best value, averaged over the start and the first 20 generations, so a search that "
        "rises sooner has more; as a share of the value with clusters. k = 20.",
    )


def _mean_value(results: Results, set_name: str, method: str) -> np.ndarray:
    values = histories(results, set_name, method)
    return values[:, :21].mean(axis=1) if len(values) else np.empty(0)


def _spanning_tree_is_fastest(results: Results) -> Claim:
    sets = _Sets(results, "Zongker", "Diabetes", "Pendigits", "MNIST", "SVHN1")
    comparisons = []
    for set_name in sets.at_hand:
        large = SETS[set_name].size == "large"
        ks = tuple(k for k in SETS[set_name].ks if not (large and k == 10))  # the paper's own exception
        others = [m for m in results.methods(set_name) if m in PAPER and m not in (*UNSUPERVISED, "Random")]
        for method in UNSUPERVISED:
            for other in others:
                comparisons += _lower(results, set_name, method, other, log_seconds, ", time", ks, ratio=True)
    return Claim(
        "The genetic algorithm on the spanning tree is the fastest method (not at k = 10 on MNIST and SVHN1)",
        "Section 5.2, Figure 5",
        comparisons,
        sets.lacks,
        "Random prototypes are left out, which no search can be faster than.",
    )


def _hashing(results: Results) -> Iterator[str]:
    """Yield the paper's two sets, and others that were run with hashing."""
    yield from ("SVHN1", "XM2VTS")
    for set_name in results.sets("medium", "large"):
        if hashed(GENETIC[0]) in results.methods(set_name) and set_name not in ("SVHN1", "XM2VTS"):
            yield set_name


def _hashing_cuts_time(results: Results) -> Claim:
    sets = _Sets(results, *_hashing(results))
    comparisons = []
    for set_name in sets.at_hand:
        for method in SUPERVISED:
            comparisons += _lower(
                results, set_name, hashed(method), method, log_seconds, ", time", ratio=True
            )
    return Claim(
        "Hashing cuts the time of the supervised algorithm",
        "Section 5.2, Figures 7 and 8",
        comparisons,
        sets.lacks,
    )


def _hashing_loses_nothing(results: Results) -> Claim:
    sets = _Sets(results, *_hashing(results))
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for classifier in ("1-NN", "QDC")
        for comparison in _lower(
            results,
            set_name,
            hashed(method),
            method,
            error(classifier),
            f", {classifier}",
            must_be_lower=False,
        )
    ]
    return Claim(
        "Hashing does not raise the error significantly",
        "Section 5.2, Figures 7 and 8",
        comparisons,
        sets.lacks,
        "Held where no significant rise was found; the interval shows how large one could still be.",
    )


def _hashing_reaches_unsupervised(results: Results) -> Claim:
    sets = _Sets(results, *_hashing(results))
    comparisons = []
    for set_name in sets.at_hand:
        for supervised, unsupervised in zip(SUPERVISED, UNSUPERVISED, strict=True):
            comparisons += _lower(
                results,
                set_name,
                hashed(supervised),
                unsupervised,
                log_seconds,
                ", time",
                ratio=True,
                must_be_lower=False,
            )
    return Claim(
        "With hashing the supervised algorithm is as fast as the unsupervised one",
        "Section 6",
        comparisons,
        sets.lacks,
    )


def _binary_codes_lose(results: Results) -> Claim:
    sets = _Sets(results, *_hashing(results))
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for classifier in ("1-NN", "QDC")
        for comparison in _lower(
            results,
            set_name,
            hashed(method),
            hashed(method, BINARY_CODE),
            error(classifier),
            f", {classifier}",
        )
    ]
    return Claim(
        "Binary codes have a higher error than codes of dissimilarities",
        "Section 5.2",
        comparisons,
        sets.lacks,
    )


def _supervised_suits_overlap(results: Results) -> Claim:
    overlaps = {name: results.store.get("overlap", name).get("error") for name in SETS}
    overlapping = [name for name, found in overlaps.items() if found is not None and found >= OVERLAP]
    comparisons = [
        comparison
        for set_name in overlapping
        if set_name in results.sets("medium", "large", "huge")
        for supervised, unsupervised in zip(SUPERVISED, UNSUPERVISED, strict=True)
        for other in (unsupervised, "FFT")
        for classifier in SETS[set_name].classifiers
        for comparison in _lower(results, set_name, supervised, other, error(classifier), f", {classifier}")
    ]
    known = "; ".join(f"{name} {found:.0%}" for name, found in overlaps.items() if found is not None)
    lacks = [name for name in ("Zongker", "SVHN2") if overlaps[name] is None]
    return Claim(
        "The supervised algorithm is to be preferred where classes overlap",
        "Sections 5.2 and 6",
        comparisons,
        lacks,
        "Overlap is measured by the leave-one-out 1-NN error by the dissimilarities themselves, on a sample "
        f"of 2,000: {known}. Classes overlap from {OVERLAP:.0%} on.",
    )


OVERLAP = 0.25

_CLAIMS: list[Callable[[Results], Claim]] = [
    _genetic_beats_random,
    _one_nn_gains_more,
    _farthest_first_leads,
    _clusters_converge_sooner,
    _spanning_tree_is_fastest,
    _hashing_cuts_time,
    _hashing_loses_nothing,
    _hashing_reaches_unsupervised,
    _binary_codes_lose,
    _supervised_suits_overlap,
]
