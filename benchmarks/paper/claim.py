"""A claim of the paper: the comparisons that stand for it, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.paper.paired import LEVEL, Test, holm, paired
from benchmarks.paper.results import Measure, Results
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
    """A claim, the comparisons that stand for it, and the data sets that it lacks."""

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
