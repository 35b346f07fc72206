"""The claims on the page: verdicts first, then every test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper.claim import NOT_TESTABLE, Claim, Comparison
from benchmarks.paper.paired import LEVEL


def summary(claims: list[Claim]) -> Iterator[str]:
    """Yield the verdicts."""
    rows = []
    for number, claim in enumerate(claims, 1):
        verdicts = claim.verdicts()
        share = f"{sum(verdicts)} of {len(verdicts)}" if verdicts else ""
        rows.append(
            [number, claim.says, claim.where, f"**{claim.verdict()}**", share, ", ".join(claim.lacks)]
        )
    yield (
        "A claim is held only if every comparison that stands for it came out as claimed, by a paired t-test "
        f"over the repeats at {LEVEL:.0%}; the p-values of a claim are adjusted for their number by Holm's "
        "method. With few repeats a claim that holds can fail its test. Every test is listed at the end."
    )
    yield table(["", "the paper says", "where", "here", "comparisons", "data not at hand"], rows)


def details(claims: list[Claim]) -> Iterator[str]:
    """Yield every test."""
    yield (
        "Differences are first less second, means over the numbers of prototypes, with a 95 % interval; "
        "for times, the ratio of first to second. p is adjusted by Holm's method within a claim."
    )
    for number, claim in enumerate(claims, 1):
        yield f"### {number}. {claim.says}: {claim.verdict()}"
        if claim.note:
            yield claim.note
        if claim.verdict() == NOT_TESTABLE:
            yield f"Data not at hand: {', '.join(claim.lacks) or 'too few repeats'}."
            continue
        rows = [
            [comparison.what, _difference(comparison), f"{p:.2g}", comparison.test.n, "yes" if held else "no"]
            for comparison, p, held in zip(claim.comparisons, claim.adjusted(), claim.verdicts(), strict=True)
        ]
        yield table(["comparison", "difference or ratio", "p", "repeats", "as claimed"], rows)


def _difference(comparison: Comparison) -> str:
    test = comparison.test
    if comparison.ratio:
        mean, low, high = np.exp([test.difference, test.low, test.high])
        return f"{mean:.2f} times ({low:.2f} to {high:.2f})"
    return f"{test.difference:+.4f} ({test.low:+.4f} to {test.high:+.4f})"
