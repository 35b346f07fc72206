"""Table 4: YouTube Faces, prototypes out of a quarter of a million frames."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.paper import tables
from benchmarks.paper.results import Results


def section(results: Results) -> Iterator[str]:
    """Yield the table."""
    yield from tables.huge(results, "YouTube")
