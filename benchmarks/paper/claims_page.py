"""The claims on the page: verdicts first, then every test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper.claim import ERROR_MARGIN, NOT_TESTABLE, TIME_MARGIN, Claim, Comparison, Outcome
from benchmarks.paper.paired import LEVEL


def summary(claims: list[Claim]) -> Iterator[str]:
    """Yield the verdicts."""
    yield (
        "Each claim stands for some comparisons, tested by paired t-tests over the repeats at "
        f"{LEVEL:.0%}; the p-values of a claim are adjusted for their number by Holm's method. *Held*: every "
        "comparison came out as claimed, significantly. *Not held*: at least one came out the other way, "
        "significantly. *Undecided*: neither; more repeats would tell. Where a claim says that something is "
        f"not higher, the 95 % interval must stay below {100 * ERROR_MARGIN:g} percentage point of error or "
        f"{TIME_MARGIN:g} times the time. Every test is listed at the end."
    )
    rows = []
    for number, claim in enumerate(claims, 1):
        counts = Counter(claim.outcomes())
        rows.append(
            [
                number,
                claim.says,
                claim.where,
                f"**{claim.verdict()}**",
                *(counts[outcome] if counts else "" for outcome in Outcome),
                ", ".join(claim.lacks),
            ]
        )
    head = ["", "the paper says", "where", "here", "as claimed", "undecided", "against", "data not at hand"]
    yield table(head, rows)


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
            yield f"Data not at hand: {', '.join(claim.lacks) or 'two repeats at least'}."
            continue
        rows = [
            [comparison.what, _difference(comparison), f"{p:.2g}", comparison.test.n, outcome.value]
            for comparison, p, outcome in zip(
                claim.comparisons, claim.adjusted(), claim.outcomes(), strict=True
            )
        ]
        yield table(["comparison", "difference or ratio", "p", "repeats", "as claimed"], rows)


def _difference(comparison: Comparison) -> str:
    test = comparison.test
    if comparison.ratio:
        mean, low, high = np.exp([test.difference, test.low, test.high])
        return f"{mean:.2f} times ({low:.2f} to {high:.2f})"
    return f"{test.difference:+.4f} ({test.low:+.4f} to {test.high:+.4f})"
