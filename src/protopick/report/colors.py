"""A colour and a shape for each class."""

from __future__ import annotations

from typing import Any, NamedTuple

from protopick.diagnostics.description_page import PALETTE, REST, SHAPES


class Style(NamedTuple):
    """How a class is drawn."""

    color: str
    shape: str

    @property
    def dot(self) -> str:
        """The mark of the class as HTML."""
        return f'<span class="pp-dot pp-{self.shape}" style="background:{self.color}"></span>'


OTHER = Style(REST, SHAPES[0])


def class_styles(summary: dict[str, Any]) -> list[Style]:
    """Return the style of each class. Where there are more than colours, the smaller classes share grey."""
    n_classes = len(summary["classes"])
    colored = list(range(n_classes))
    if n_classes > len(PALETTE):
        rows = summary["coverage"]["classes"] if summary["coverage"] else [{"class": c} for c in colored]
        colored = sorted(row["class"] for row in rows[: len(PALETTE) - 1])
    styles = [OTHER] * n_classes
    for place, c in enumerate(colored):
        styles[c] = Style(PALETTE[place], SHAPES[place % len(SHAPES)])
    return styles
