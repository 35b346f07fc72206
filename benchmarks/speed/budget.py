"""Peak memory above the input where the columns are far from fitting into the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.speed import apart, memory
from benchmarks.speed.ours import farthest_first, label_match, spanning_tree
from benchmarks.speed.row import Row, at_most, missing

_N, _Q, _WORKING_MEMORY, _CAP_S = 10_000_000, 16, 256, 120


def rows(quick: bool) -> Iterator[Row]:
    """Yield a row for each way to fit."""
    n = 1_000_000 if quick else _N
    for name, selector in _selectors():
        yield _row(f"peak memory above the input, {n:,} x {_Q}: {name}", n, selector)


def _selectors() -> Iterator[tuple[str, Any]]:
    # What a generation holds does not depend on how many there are; two keep the exact GA short.
    yield "label-match GA, exact", label_match(n_generations=2)
    yield "label-match GA, racing", label_match(evaluation="racing")
    yield "label-match GA, racing, 64 pivots", label_match(evaluation="racing", n_pivots=64)
    yield "spanning-tree GA", spanning_tree()
    yield "farthest first", farthest_first()


def _row(figure: str, n: int, selector: Any) -> Row:
    limits = {"must": 400, "aim": 300}
    if not memory.available:
        return missing(figure, "can be measured on Linux only", at_least=False, **limits)
    result = apart.measure(selector, n=n, q=_Q, cap_s=_CAP_S, working_memory=_WORKING_MEMORY)
    if result is None:
        return missing(figure, f"not done within {_CAP_S} s", at_least=False, **limits)
    library = (result["bytes_with_library"] - result["bytes"]) / 1e6
    note = (
        f"working_memory={_WORKING_MEMORY}; {library:.0f} MB of it for numba and compiled kernels; "
        f"took {result['seconds']:.1f} s"
    )
    return at_most(figure, result["bytes_with_library"] / 1e6, "MB", note=note, **limits)
