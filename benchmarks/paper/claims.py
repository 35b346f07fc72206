"""What the paper claims about errors, convergence and times. Each function is one claim."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.paper import claims_hashing
from benchmarks.paper.claim import Claim, Comparison, SetsOf, compared
from benchmarks.paper.figure_convergence import PAIRS, histories
from benchmarks.paper.methods import GENETIC, PAPER, SUPERVISED, UNSUPERVISED
from benchmarks.paper.paired import paired
from benchmarks.paper.results import Results, error, log_seconds
from benchmarks.paper.sets import SETS

OVERLAP = 0.25
"""From this leave-one-out 1-NN error on, classes count as overlapping."""


def all_claims(results: Results) -> list[Claim]:
    """Return the claims."""
    return [make(results) for make in _CLAIMS]


def genetic_beats_random(results: Results) -> Claim:
    sets = SetsOf(results, "MNIST", "SVHN1")
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for comparison in compared(results, set_name, method, "Random", error("1-NN"), "1-NN")
    ]
    return Claim(
        "The genetic algorithms have a lower 1-NN error than random prototypes on MNIST and SVHN1, "
        "significantly",
        "Section 5.2, Figures 2 and 3",
        comparisons,
        sets.lacks,
    )


def one_nn_gains_more(results: Results) -> Claim:
    sets = SetsOf(results, "MNIST", "SVHN1")
    comparisons = []
    for set_name in sets.at_hand:
        for method in GENETIC:
            test = paired(_gain(results, set_name, method, "QDC"), _gain(results, set_name, method, "1-NN"))
            if test is not None:
                comparisons.append(Comparison(f"{set_name}, {method}: gain of QDC < gain of 1-NN", test))
    return Claim(
        "1-NN gains more from a systematic selection than QDC does",
        "Section 5.2, Figures 2 and 3",
        comparisons,
        sets.lacks,
        "Gain: how much lower the error is than that of random prototypes, as a share of it.",
    )


def _gain(results: Results, set_name: str, method: str, classifier: str) -> np.ndarray:
    errors = results.pairs(set_name, SETS[set_name].ks, ["Random", method], error(classifier))
    return 1 - errors[:, 1] / errors[:, 0]


def quadratic_beats_linear(results: Results) -> Claim:
    sets = SetsOf(results, "MNIST", "SVHN1", "SVHN2", "YouTube")
    comparisons = []
    for set_name in sets.at_hand:
        for method in [name for name in results.methods(set_name) if name in PAPER]:
            quadratic, linear = (
                results.pairs(set_name, SETS[set_name].ks, [method], error(name))[:, 0]
                for name in ("QDC", "LDC")
            )
            test = paired(quadratic, linear)
            if test is not None:
                comparisons.append(Comparison(f"{set_name}, {method}: QDC < LDC", test))
    return Claim(
        "QDC has a lower error than LDC for all methods on the large data sets",
        "Section 5.1",
        comparisons,
        sets.lacks,
    )


def farthest_first_leads(results: Results) -> Claim:
    sets = SetsOf(results, "MNIST")
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in PAPER
        if method != "FFT"
        for comparison in compared(results, set_name, "FFT", method, error("1-NN"), "1-NN")
    ]
    return Claim("FFT has the lowest 1-NN error on MNIST", "Section 5.2, Figure 2", comparisons, sets.lacks)


def spanning_tree_among_best(results: Results) -> Claim:
    sets = SetsOf(results, "Diabetes", "Pendigits")
    best = "GA (clust) MST"
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in PAPER
        if method != best
        for by in SETS[set_name].classifiers
        for comparison in compared(results, set_name, best, method, error(by), by, must_be_lower=False)
    ]
    return Claim(
        "GA (clust) MST is the best or among the best on Diabetes and Pendigits",
        "Section 5.2, Table 3",
        comparisons,
        sets.lacks,
    )


def supervised_best_on_svhn2(results: Results) -> Claim:
    return _best(
        results,
        "SVHN2",
        SUPERVISED,
        "The supervised genetic algorithms have the lowest errors on SVHN2",
        "Section 5.2, Table 5",
    )


def spanning_tree_best_on_youtube(results: Results) -> Claim:
    return _best(
        results,
        "YouTube",
        UNSUPERVISED,
        "The genetic algorithms on the spanning tree have the lowest errors on YouTube Faces",
        "Section 5.2, Table 4",
    )


def _best(results: Results, set_name: str, best: tuple[str, ...], says: str, where: str) -> Claim:
    sets = SetsOf(results, set_name)
    comparisons = [
        comparison
        for method in best
        for other in results.methods(set_name)
        if other in PAPER and other not in best
        for by in SETS[set_name].classifiers
        for comparison in compared(results, set_name, method, other, error(by), by)
    ]
    return Claim(says, where, comparisons, sets.lacks)


def supervised_suits_overlap(results: Results) -> Claim:
    overlaps = {name: results.store.get("overlap", name).get("error") for name in SETS}
    overlapping = [name for name, found in overlaps.items() if found is not None and found >= OVERLAP]
    comparisons = [
        comparison
        for set_name in overlapping
        for supervised, unsupervised in zip(SUPERVISED, UNSUPERVISED, strict=True)
        for other in (unsupervised, "FFT")
        for by in SETS[set_name].classifiers
        for comparison in compared(results, set_name, supervised, other, error(by), by)
    ]
    known = ", ".join(f"{name} {found:.0%}" for name, found in overlaps.items() if found is not None)
    return Claim(
        "The supervised genetic algorithm is to be preferred where classes overlap",
        "Sections 5.2 and 6",
        comparisons,
        [name for name in ("Zongker", "SVHN2") if overlaps[name] is None],
        "Overlap is measured by the leave-one-out 1-NN error by the dissimilarities themselves, on a sample: "
        f"{known}. From {OVERLAP:.0%} on, classes count as overlapping.",
    )


def clusters_converge_sooner(results: Results) -> Claim:
    comparisons = []
    for set_name in results.sets("medium", "large"):
        for without, clustered in PAIRS.values():
            first, second = (_mean_value(results, set_name, name) for name in (without, clustered))
            n = min(len(first), len(second))
            test = paired(first[:n] / second[:n].mean(), second[:n] / second[:n].mean()) if n else None
            if test is not None:
                comparisons.append(Comparison(f"{set_name}: {without} < {clustered}", test))
    return Claim(
        "With clusters the genetic algorithm converges sooner",
        "Sections 3 and 5.1",
        comparisons,
        [],
        "Compared is the best value, averaged over the start and the first 20 generations, so a search that "
        "rises sooner has more; as a share of the value with clusters; k = 20.",
    )


def _mean_value(results: Results, set_name: str, method: str) -> np.ndarray:
    values = histories(results, set_name, method)
    return values[:, :21].mean(axis=1) if len(values) else np.empty(0)


def spanning_tree_is_fastest(results: Results) -> Claim:
    sets = SetsOf(results, "Zongker", "Diabetes", "Pendigits", "MNIST", "SVHN1")
    comparisons = []
    for set_name in sets.at_hand:
        large = SETS[set_name].size == "large"
        ks = tuple(k for k in SETS[set_name].ks if not (large and k == 10))  # the paper's own exception
        others = [m for m in results.methods(set_name) if m in PAPER and m not in (*UNSUPERVISED, "Random")]
        for method in UNSUPERVISED:
            for other in others:
                comparisons += compared(results, set_name, method, other, log_seconds, "time", ks)
    return Claim(
        "The genetic algorithm on the spanning tree is the fastest (not at k = 10 on MNIST and SVHN1)",
        "Section 5.2, Figure 5",
        comparisons,
        sets.lacks,
        "Random prototypes are left out: no search can be faster.",
    )


_CLAIMS: list[Callable[[Results], Claim]] = [
    genetic_beats_random,
    one_nn_gains_more,
    quadratic_beats_linear,
    farthest_first_leads,
    spanning_tree_among_best,
    supervised_best_on_svhn2,
    spanning_tree_best_on_youtube,
    supervised_suits_overlap,
    clusters_converge_sooner,
    spanning_tree_is_fastest,
    claims_hashing.cuts_time,
    claims_hashing.loses_nothing,
    claims_hashing.reaches_unsupervised,
    claims_hashing.binary_codes_lose,
]
