"""A line of the table: a figure, what it must be, and whether it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure.

    ``value`` is what ``must`` and ``aim`` speak of, mostly the ratio of the times ``ours`` and
    ``other``. ``must`` None says that the row is there for comparison only. A row that is not
    ``valid``, such as a time for another answer, never passes.
    """

    figure: str
    ours: float | None = None
    other: float | None = None
    unit: str = "s"
    value: float | None = None
    value_unit: str = "x"
    at_least: bool = True
    must: float | None = None
    aim: float | None = None
    note: str = ""
    valid: bool = True

    @property
    def passes(self) -> bool | None:
        """Whether the figure is what it must be; None where nothing was asked or measured."""
        return self._reaches(self.must)

    @property
    def reaches_aim(self) -> bool | None:
        return self._reaches(self.aim)

    def _reaches(self, limit: float | None) -> bool | None:
        if self.value is None or limit is None:
            return None
        return self.valid and (self.value >= limit if self.at_least else self.value <= limit)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "passes": self.passes, "reaches_aim": self.reaches_aim}


def times_faster(figure: str, ours: float, other: float, **rest: Any) -> Row:
    """How many times longer the other takes: the more, the better."""
    return Row(figure, ours, other, value=other / ours, at_least=True, **rest)


def times_slower(figure: str, ours: float, other: float, **rest: Any) -> Row:
    """How many times longer ours takes than a floor: the less, the better."""
    return Row(figure, ours, other, value=ours / other, at_least=False, **rest)


def at_most(figure: str, value: float, value_unit: str, **rest: Any) -> Row:
    """A figure that stands for itself: the less, the better."""
    return Row(figure, value=value, value_unit=value_unit, at_least=False, **rest)


def missing(figure: str, why: str, *, at_least: bool = True, **limits: float) -> Row:
    """A figure that could not be measured."""
    return Row(figure, at_least=at_least, note=why, **limits)
