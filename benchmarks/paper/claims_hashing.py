"""What the paper claims about hashing. Each function is one claim."""

from __future__ import annotations

from benchmarks.paper.claim import Claim, SetsOf, compared
from benchmarks.paper.methods import BINARY_CODE, GENETIC, SUPERVISED, UNSUPERVISED, hashed
from benchmarks.paper.results import Results, error, log_seconds

_FIGURES = "Section 5.2, Figures 7 and 8"
_PAPER = ("SVHN1", "XM2VTS")
_CLASSIFIERS = ("1-NN", "QDC")


def _sets(results: Results) -> SetsOf:
    """Return the paper's two sets, and others that were run with hashing."""
    more = [name for name in results.sets("medium", "large") if hashed(GENETIC[0]) in results.methods(name)]
    return SetsOf(results, *_PAPER, *(name for name in more if name not in _PAPER))


def cuts_time(results: Results) -> Claim:
    sets = _sets(results)
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in SUPERVISED
        for comparison in compared(results, set_name, hashed(method), method, log_seconds, "time")
    ]
    return Claim("Hashing cuts the time of the supervised algorithm", _FIGURES, comparisons, sets.lacks)


def loses_nothing(results: Results) -> Claim:
    sets = _sets(results)
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for by in _CLASSIFIERS
        for comparison in compared(
            results, set_name, hashed(method), method, error(by), by, must_be_lower=False
        )
    ]
    return Claim(
        "Hashing does not raise the error significantly",
        _FIGURES,
        comparisons,
        sets.lacks,
    )


def reaches_unsupervised(results: Results) -> Claim:
    sets = _sets(results)
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for first, second in zip(SUPERVISED, UNSUPERVISED, strict=True)
        for comparison in compared(
            results, set_name, hashed(first), second, log_seconds, "time", must_be_lower=False
        )
    ]
    return Claim(
        "With hashing the supervised algorithm is as fast as the unsupervised one",
        "Section 6",
        comparisons,
        sets.lacks,
    )


def binary_codes_lose(results: Results) -> Claim:
    sets = _sets(results)
    comparisons = [
        comparison
        for set_name in sets.at_hand
        for method in GENETIC
        for by in _CLASSIFIERS
        for comparison in compared(
            results, set_name, hashed(method), hashed(method, BINARY_CODE), error(by), by
        )
    ]
    return Claim(
        "Binary codes have a higher error than codes of dissimilarities",
        "Section 5.2",
        comparisons,
        sets.lacks,
    )
