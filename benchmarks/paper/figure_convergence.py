"""The best value of each generation, with and without clusters: what the paper says of convergence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.paper import looks
from benchmarks.paper.methods import SUPERVISED, UNSUPERVISED
from benchmarks.paper.results import Results

K = 20
PAIRS = {"MST": UNSUPERVISED, "sup": SUPERVISED}
"""Without clusters, then with them."""


def histories(results: Results, set_name: str, method: str) -> np.ndarray:
    """Return the best values, one row a repeat and one column a generation; none if not run."""
    runs = [run["history"] for run in results.runs(set_name, K, method) if "history" in run]
    return np.array(runs)


def section(results: Results, figures: Path) -> Iterator[str]:
    """Yield the picture."""
    sets = results.sets("medium", "large")
    if not sets:
        return
    plt = looks.pyplot()
    figure, grid = plt.subplots(
        len(PAIRS), len(sets), figsize=(1.9 * len(sets) + 0.5, 4.4), layout="constrained", squeeze=False
    )
    for row, (criterion, methods) in zip(grid, PAIRS.items(), strict=True):
        for axes, set_name in zip(row, sets, strict=True):
            values = {method: histories(results, set_name, method) for method in methods}
            best = max(found.mean(axis=0).max() for found in values.values())
            for method, found in values.items():
                look = {**looks.LOOKS[method], "marker": ""}
                axes.plot(found.mean(axis=0) / best, **look, linewidth=1.5)
            axes.set_title(f"{set_name}, {criterion}", fontsize=9)
            axes.grid(axis="y", color="#dddddd", linewidth=0.6)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel("best value, by the highest")
    for axes in grid[-1]:
        axes.set_xlabel("generation")
    handles = [
        plt.Line2D([], [], color="black", linestyle=style, label=label)
        for style, label in (("-", "with clusters"), ("--", "without clusters"))
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    path = looks.save(figure, figures / "convergence.png")
    yield f"![Best value against generation]({path})"
