"""Cells and tables of errors, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper.methods import METHODS
from benchmarks.paper.published import PUBLISHED
from benchmarks.paper.results import Results, error
from benchmarks.paper.sets import SETS

NOTE = "In each cell ours / the paper's; the lowest of ours and the lowest of the paper's are bold."

Column = tuple[str, int, str]
"""A data set, a number of prototypes and a classifier."""


def ours(results: Results, columns: Sequence[Column], digits: int) -> dict[tuple[str, Column], str]:
    """Return what each method reached, as text: mean ± standard deviation, the lowest of a column bold."""
    cells = {}
    for column in columns:
        set_name, k, classifier = column
        found = {name: results.values(set_name, k, name, error(classifier)) for name in METHODS}
        found = {name: errors for name, errors in found.items() if len(errors)}
        lowest = min((errors.mean() for errors in found.values()), default=np.nan)
        for name, errors in found.items():
            text = f"{errors.mean():.{digits}f}"
            if len(errors) > 1:
                text += f" ± {errors.std(ddof=1):.{digits}f}"
            cells[name, column] = marked(text, errors.mean() == lowest)
    return cells


def marked(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def both(ours: str, theirs: str) -> str:
    """Return a cell, with a dash for what there is not."""
    return f"{ours or '-'} / {theirs or '-'}"


def huge(results: Results, set_name: str) -> list[str]:
    """Return the table of a data set of hundreds of thousands of objects."""
    published = PUBLISHED[set_name]
    parts = [f"The paper's {published['table']}. {NOTE}"]
    if set_name not in results.sets("huge"):
        parts.append(f"{set_name} was not run here. To run it: {SETS[set_name].get}.")
    return [*parts, _by_number(results, set_name)]


def _by_number(results: Results, set_name: str) -> str:
    """Return errors by classifier, method and number of prototypes."""
    ks, errors = PUBLISHED[set_name]["ks"], PUBLISHED[set_name]["errors"]
    cells = ours(results, [(set_name, k, classifier) for classifier in errors for k in ks], 4)
    rows = []
    for classifier, of_methods in errors.items():
        lowest = np.min(list(of_methods.values()), axis=0)
        for method in METHODS:
            if method not in of_methods and not results.ks(set_name, method):
                continue
            row = [f"{method} + {classifier}"]
            for j, k in enumerate(ks):
                theirs = of_methods[method][j] if method in of_methods else None
                row.append(
                    both(
                        cells.get((method, (set_name, k, classifier)), ""),
                        "" if theirs is None else marked(f"{theirs:.4f}", theirs == lowest[j]),
                    )
                )
            rows.append(row)
    return table(["method", *(f"k = {k}" for k in ks)], rows)
