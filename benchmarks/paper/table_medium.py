"""Table 3: errors with 20 prototypes on the medium data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.markdown import table
from benchmarks.paper.methods import METHODS
from benchmarks.paper.published import PUBLISHED
from benchmarks.paper.results import Results
from benchmarks.paper.tables import NOTE, both, marked, ours
from benchmarks.space import CLASSIFIERS

_K = 20
_DIGITS = 3


def section(results: Results) -> Iterator[str]:
    """Yield the paper's table beside ours, then ours for all classifiers."""
    published = PUBLISHED["medium"]
    at_hand = results.sets("medium")
    yield f"The paper's {published['table']}, mean ± standard deviation. {NOTE}"
    yield _beside(results, published)
    missing = [name for name in published["classifiers"] if name not in at_hand]
    repeats = [f"{name} {results.n_repeats(name)}" for name in at_hand]
    yield f"Repeats here: {', '.join(repeats) or 'none'}. Not run here: {', '.join(missing) or 'none'}."
    if at_hand:
        yield "Ours for all three classifiers:"
        yield _all_classifiers(results, at_hand)


def _beside(results: Results, published: dict[str, Any]) -> str:
    classifiers, errors = published["classifiers"], published["errors"]
    lowest = {name: min(row[name][0] for row in errors.values()) for name in classifiers}
    columns = {name: (name, _K, classifier) for name, classifier in classifiers.items()}
    cells = ours(results, list(columns.values()), _DIGITS)
    rows = []
    for method in METHODS:
        row = [method]
        for name, column in columns.items():
            mean, spread = errors[method][name] if method in errors else (None, None)
            theirs = "" if mean is None else marked(f"{mean:.3f} ± {spread:g}", mean == lowest[name])
            row.append(both(cells.get((method, column), ""), theirs))
        rows.append(row)
    return table(["method", *(f"{name} ({c})" for name, c in classifiers.items())], rows)


def _all_classifiers(results: Results, sets: list[str]) -> str:
    columns = [(name, _K, classifier) for name in sets for classifier in CLASSIFIERS]
    cells = ours(results, columns, _DIGITS)
    rows = [[method, *(cells.get((method, column), "") for column in columns)] for method in METHODS]
    return table(["method", *(f"{name} ({c})" for name, _, c in columns)], rows)
