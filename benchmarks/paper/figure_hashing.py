"""Figures 7 and 8: errors and times of the genetic algorithms with and without hashing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper import looks
from benchmarks.paper.methods import BINARY_CODE, DISSIMILARITY_CODE, GENETIC, hashed
from benchmarks.paper.results import Measure, Results, error, log_seconds
from benchmarks.paper.sets import SETS

_STYLES = {None: "-", DISSIMILARITY_CODE: "--", BINARY_CODE: ":"}
_SHOWN = ("GA (clust) MST", "GA (clust) sup")
_LABELS = {None: "without hashing", DISSIMILARITY_CODE: "64 pivots, dissimilarities", BINARY_CODE: "64 bits"}


def section(results: Results, figures: Path) -> Iterator[str]:
    """Yield a picture and a table for each data set."""
    for set_name in results.sets("medium", "large"):
        if hashed(GENETIC[0]) not in results.methods(set_name):
            continue
        path = _draw(results, set_name, figures / f"hashing_{set_name.lower()}.png")
        yield f"### {set_name}, {results.n_repeats(set_name)} repeats"
        yield f"![Errors and times with and without hashing, {set_name}]({path})"
        yield "Means over the numbers of prototypes and the repeats; geometric means of the times."
        yield _numbers(results, set_name)


def _draw(results: Results, set_name: str, path: Path) -> str:
    plt = looks.pyplot()
    figure, panels = plt.subplots(1, 3, figsize=(8.6, 3.4), layout="constrained")
    ks = SETS[set_name].ks
    measures: list[tuple[str, Measure]] = [
        ("1-NN, mean error", error("1-NN")),
        ("QDC, mean error", error("QDC")),
        ("seconds", log_seconds),
    ]
    for axes, (title, measure) in zip(panels, measures, strict=True):
        for method in _SHOWN:
            for code, style in _STYLES.items():
                name = method if code is None else hashed(method, code)
                means = np.array([results.values(set_name, k, name, measure).mean() for k in ks])
                shown = np.exp(means) if measure is log_seconds else means
                look = {**looks.LOOKS[method], "linestyle": style}
                axes.plot(ks, shown, **looks.LINE, **look)
        looks.log_axis(axes, looks.SECONDS_TICKS if measure is log_seconds else looks.ERROR_TICKS)
        axes.set_title(title)
        axes.set_xticks(ks)
        axes.set_xlabel("prototypes, k")
    figure.suptitle(set_name, fontsize=10)
    _legend(figure, plt)
    return looks.save(figure, path)


def _legend(figure: Any, plt: Any) -> None:
    methods = [plt.Line2D([], [], label=name, **{**looks.LOOKS[name], "linestyle": ""}) for name in _SHOWN]
    codes = [
        plt.Line2D([], [], color="black", linestyle=style, label=_LABELS[code])
        for code, style in _STYLES.items()
    ]
    figure.legend(handles=methods + codes, loc="outside lower center", ncols=5, handlelength=2.5)


def _numbers(results: Results, set_name: str) -> str:
    ks = SETS[set_name].ks
    rows = []
    for method in GENETIC:
        for code in _STYLES:
            name = method if code is None else hashed(method, code)
            found = [results.pairs(set_name, ks, [name], error(c)).mean() for c in ("1-NN", "QDC", "LDC")]
            seconds = np.exp(results.pairs(set_name, ks, [name], log_seconds).mean())
            rows.append([name, *(f"{value:.4f}" for value in found), f"{seconds:.3g}"])
    return table(["method", "1-NN", "QDC", "LDC", "seconds"], rows)
