"""A claim of the paper: the comparisons that stand for it, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from benchmarks.paper.paired import LEVEL, Test, holm, paired
from benchmarks.paper.results import Measure, Results
from benchmarks.paper.sets import SETS

HELD, NOT_HELD, UNDECIDED, NOT_TESTABLE = "held", "not held", "undecided", "not testable here"

ERROR_MARGIN = 0.01
TIME_MARGIN = 1.25
"""What is above by less counts as not higher: a percentage point of error, a quarter of a time."""


class Outcome(Enum):
    """How a comparison came out."""

    AS_CLAIMED = "yes"
    UNDECIDED = "undecided"
    AGAINST = "no"


@dataclass(frozen=True)
class Comparison:
    """One test: the first is lower than the second, or at least not higher by more than a margin."""

    what: str
    test: Test
    must_be_lower: bool = True
    ratio: bool = False
    """The difference is one of logarithms, so a ratio of times."""

    def outcome(self, p: float) -> Outcome:
        """Tell how it came out, given its adjusted p-value."""
        if self.test.difference > 0 and p < LEVEL:
            return Outcome.AGAINST
        if self.must_be_lower:
            return Outcome.AS_CLAIMED if p < LEVEL else Outcome.UNDECIDED
        margin = np.log(TIME_MARGIN) if self.ratio else ERROR_MARGIN
        return Outcome.AS_CLAIMED if self.test.high < margin else Outcome.UNDECIDED


@dataclass(frozen=True)
class Claim:
    """A claim, the comparisons that stand for it, and the data sets that it lacks."""

    says: str
    where: str
    comparisons: list[Comparison]
    lacks: list[str] = field(default_factory=list)
    note: str = ""

    def adjusted(self) -> list[float]:
        """Return the p-values of the comparisons, adjusted for their number by Holm's method."""
        return holm([comparison.test.p for comparison in self.comparisons])

    def outcomes(self) -> list[Outcome]:
        """Tell of each comparison how it came out."""
        return [c.outcome(p) for c, p in zip(self.comparisons, self.adjusted(), strict=True)]

    def verdict(self) -> str:
        """Return held if every comparison came out as claimed, not held if any speaks against it."""
        outcomes = self.outcomes()
        if not outcomes:
            return NOT_TESTABLE
        if Outcome.AGAINST in outcomes:
            return NOT_HELD
        return UNDECIDED if Outcome.UNDECIDED in outcomes else HELD


class SetsOf:
    """Of the data sets that a claim is about, those that were run, and those that it lacks."""

    def __init__(self, results: Results, *names: str) -> None:
        run = results.sets("medium", "large", "huge")
        self.at_hand = [name for name in names if name in run]
        self.lacks = [name for name in names if name not in run]


def compared(
    results: Results,
    set_name: str,
    first: str,
    second: str,
    measure: Measure,
    by: str,
    ks: tuple[int, ...] | None = None,
    must_be_lower: bool = True,
) -> Iterator[Comparison]:
    """Compare two methods on a data set, by their means over the numbers of prototypes.

    ``by`` names the classifier, or is "time". Yields nothing where there are no two repeats of both.
    """
    columns = results.pairs(set_name, ks or SETS[set_name].ks, [first, second], measure)
    test = paired(columns[:, 0], columns[:, 1])
    if test is not None:
        sign = "<" if must_be_lower else "not >"
        yield Comparison(f"{set_name}, {by}: {first} {sign} {second}", test, must_be_lower, by == "time")
