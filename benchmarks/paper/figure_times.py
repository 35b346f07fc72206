"""Figure 5: how long the selection takes, on a log scale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import looks
from benchmarks.paper.methods import METHODS
from benchmarks.paper.results import Results, log_seconds
from benchmarks.paper.sets import SETS

_COLUMNS = 3


def section(results: Results, figures: Path) -> Iterator[str]:
    """Yield the picture."""
    sets = results.sets("medium", "large", "huge")
    if sets:
        yield f"![Time of the selection]({_draw(results, sets, figures / 'times.png')})"


def _draw(results: Results, sets: list[str], path: Path) -> str:
    plt = looks.pyplot()
    n_rows = -(-len(sets) // _COLUMNS)
    figure, grid = plt.subplots(
        n_rows, _COLUMNS, figsize=(8.6, 3.1 * n_rows + 0.4), layout="constrained", squeeze=False
    )
    panels = grid.ravel()
    for axes, set_name in zip(panels, sets, strict=False):
        medium = SETS[set_name].size == "medium"
        (_one_k if medium else _against_k)(axes, results, set_name)
        axes.set_title(f"{set_name}, k = 20" if medium else set_name)
    for axes in panels[len(sets) :]:
        axes.axis("off")
    for row in grid:
        if row[0].axison:
            row[0].set_ylabel("seconds")
    _legend(figure, plt)
    return looks.save(figure, path)


def _one_k(axes: Any, results: Results, set_name: str) -> None:
    """Draw a point for each method."""
    methods = [name for name in results.methods(set_name) if name in METHODS]
    for i, method in enumerate(methods):
        look = {**looks.LOOKS[method], "linestyle": ""}
        axes.plot([i], [_seconds(results, set_name, 20, method)], **{**look, "markersize": 7})
    looks.log_axis(axes, looks.SECONDS_TICKS)
    axes.set_xticks(range(len(methods)), methods, rotation=60, ha="right", rotation_mode="anchor", fontsize=7)


def _against_k(axes: Any, results: Results, set_name: str) -> None:
    """Draw a line for each method."""
    for method in results.methods(set_name):
        if method in METHODS:
            ks = results.ks(set_name, method)
            seconds = [_seconds(results, set_name, k, method) for k in ks]
            axes.plot(ks, seconds, **looks.LINE, **looks.LOOKS[method])
    looks.log_axis(axes, looks.SECONDS_TICKS)
    axes.set_xticks(SETS[set_name].ks)
    axes.set_xlabel("prototypes, k")


def _seconds(results: Results, set_name: str, k: int, method: str) -> float:
    """Return the geometric mean over the repeats."""
    return float(np.exp(results.values(set_name, k, method, log_seconds).mean()))


def _legend(figure: Any, plt: Any) -> None:
    handles = [plt.Line2D([], [], label=method, **looks.LINE, **look) for method, look in looks.LOOKS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, handlelength=3)
