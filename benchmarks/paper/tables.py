"""Tables that show our errors and the paper's in one cell."""

from __future__ import annotations

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper.methods import METHODS
from benchmarks.paper.published import PUBLISHED
from benchmarks.paper.results import Results, error
from benchmarks.paper.sets import SETS

NOTE = "In each cell ours / the paper's; the lowest of ours and the lowest of the paper's are bold."


def both(ours: str, theirs: str) -> str:
    """Return a cell, with a dash for what there is not."""
    return f"{ours or '-'} / {theirs or '-'}"


def marked(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def by_number(results: Results, set_name: str) -> str:
    """Return a table of errors by classifier, method and number of prototypes."""
    published = PUBLISHED[set_name]
    rows = []
    for classifier, errors in published["errors"].items():
        measure = error(classifier)
        for method in [name for name in METHODS if name in errors or results.ks(set_name, name)]:
            row = [f"{method} + {classifier}"]
            for j, k in enumerate(published["ks"]):
                ours = results.values(set_name, k, method, measure)
                theirs = errors[method][j] if method in errors else None
                lowest = min(found[j] for found in errors.values())
                best = _lowest(results, set_name, k, classifier)
                row.append(
                    both(
                        marked(f"{ours.mean():.4f}", ours.mean() == best) if len(ours) else "",
                        "" if theirs is None else marked(f"{theirs:.4f}", theirs == lowest),
                    )
                )
            rows.append(row)
    return table(["method", *(f"k = {k}" for k in published["ks"])], rows)


def _lowest(results: Results, set_name: str, k: int, classifier: str) -> float:
    measure = error(classifier)
    means = [
        float(results.values(set_name, k, method, measure).mean())
        for method in METHODS
        if len(results.values(set_name, k, method, measure))
    ]
    return min(means, default=np.nan)


def huge(results: Results, set_name: str) -> list[str]:
    """Return the table of a data set of hundreds of thousands of objects."""
    published = PUBLISHED[set_name]
    parts = [f"The paper's {published['table']}. {NOTE}"]
    if set_name not in results.sets("huge"):
        parts.append(f"{set_name} was not run here. To run it: {SETS[set_name].get}.")
    return [*parts, by_number(results, set_name)]
