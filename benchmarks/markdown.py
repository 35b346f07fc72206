"""Tables of a page."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
