"""Figures 2 and 3: error against the number of prototypes, for the large data sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.markdown import table
from benchmarks.paper import looks
from benchmarks.paper.methods import METHODS
from benchmarks.paper.results import Results, error
from benchmarks.paper.sets import SETS
from benchmarks.paper.tables import ours


def section(results: Results, figures: Path) -> Iterator[str]:
    """Yield the pictures and their numbers."""
    for set_name in results.sets("large"):
        methods = [name for name in results.methods(set_name) if name in METHODS]
        path = _draw(results, set_name, methods, figures / f"errors_{set_name.lower()}.png")
        yield f"### {set_name}, {results.n_repeats(set_name)} repeats"
        yield f"![Error against the number of prototypes, {set_name}]({path})"
        for classifier in ("1-NN", "QDC", "LDC"):
            yield f"{set_name}, {classifier}: mean error ± standard deviation over the repeats."
            yield _numbers(results, set_name, methods, classifier)


def _draw(results: Results, set_name: str, methods: list[str], path: Path) -> str:
    plt = looks.pyplot()
    classifiers = SETS[set_name].classifiers
    figure, panels = plt.subplots(1, len(classifiers), figsize=(8.2, 3.8), layout="constrained")
    for axes, classifier in zip(panels, classifiers, strict=True):
        for method in methods:
            ks = results.ks(set_name, method)
            means = [results.values(set_name, k, method, error(classifier)).mean() for k in ks]
            axes.plot(ks, means, label=method, **looks.LINE, **looks.LOOKS[method])
        _label(axes, f"{set_name}, {classifier}", SETS[set_name].ks)
    panels[0].set_ylabel("mean error")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, handlelength=3)
    return looks.save(figure, path)


def _label(axes: Any, title: str, ks: tuple[int, ...]) -> None:
    axes.set_title(title)
    axes.set_xlabel("prototypes, k")
    axes.set_xticks(ks)
    looks.log_axis(axes, looks.ERROR_TICKS)  # errors of many prototypes lie close together


def _numbers(results: Results, set_name: str, methods: list[str], classifier: str) -> str:
    columns = [(set_name, k, classifier) for k in SETS[set_name].ks]
    cells = ours(results, columns, 4)
    rows = [[method, *(cells.get((method, column), "") for column in columns)] for method in methods]
    return table(["method", *(f"k = {k}" for _, k, _ in columns)], rows)
