"""One figure of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Line:
    """What was measured, and what was asked of it, if anything."""

    head: ClassVar[tuple[str, ...]] = ("figure", "measured", "must", "verdict", "note")

    figure: str
    measured: str
    must: str = ""
    met: bool | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        verdict = "" if self.met is None else "pass" if self.met else "no"
        return self.figure, self.measured, self.must, verdict, self.note
