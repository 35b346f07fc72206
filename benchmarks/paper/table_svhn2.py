"""Table 5: SVHN2, prototypes out of half a million images."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.paper import tables
from benchmarks.paper.results import Results


def section(results: Results) -> Iterator[str]:
    """Yield the table."""
    yield from tables.huge(results, "SVHN2")
