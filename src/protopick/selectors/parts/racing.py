"""When a search looks at a sample of the objects only."""

from __future__ import annotations

ABOVE = 100_000
"""Racing is faster from some ten thousand objects on; below this size, exact takes well under a second."""


def races(evaluation: str, n: int) -> bool:
    """Say whether n objects are sampled where the user asked for ``evaluation``."""
    return evaluation == "racing" or (evaluation == "auto" and n > ABOVE)
