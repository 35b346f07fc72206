"""Figure 4: the digits of MNIST that are picked as two and as ten prototypes, by five methods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.paper import looks
from benchmarks.paper.methods import fitter
from benchmarks.paper.runs import task_of
from benchmarks.paper.settings import Cell
from benchmarks.store import Store

METHODS = ("GA (clust) MST", "GA MST", "GA (clust) sup", "GA sup", "Random")
"""From top to bottom, as in the paper."""
KS = (2, 10)
SET = "MNIST"
_FILE = "digits.png"


def run(store: Store, figures: Path) -> None:
    """Pick the digits of the first repeat and draw them, once: the picture needs the data."""
    if store.has("digits") and (figures / _FILE).exists():
        return
    picked, images = {}, {}
    for k in KS:
        for method in METHODS:
            data, parts, task = task_of(Cell(SET, k, method, 0))
            chosen = np.sort(parts.selection[fitter(method, "large")(task).prototype_indices_])
            chosen = chosen[np.argsort(data.y[chosen].astype(int), kind="stable")]
            picked[f"{method}, {k}"] = [int(label) for label in data.y[chosen]]
            images[method, k] = data.X[chosen].reshape(-1, 28, 28)
    _draw(images, figures / _FILE)
    store.put(picked, "digits")


def section(store: Store, figures: Path) -> Iterator[str]:
    """Yield the picture, and how many different digits there are among ten."""
    picked = store.get("digits")
    if not picked:
        return
    yield f"![Digits picked as prototypes]({figures.name}/{_FILE})"
    counts = [f"{method} {len(set(picked[f'{method}, 10']))}" for method in METHODS]
    yield f"Different digits among the ten prototypes: {', '.join(counts)}."


def _draw(images: dict[tuple[str, int], np.ndarray], path: Path) -> None:
    plt = looks.pyplot()
    figure, grid = plt.subplots(
        len(METHODS),
        len(KS),
        figsize=(7.4, 3.2),
        width_ratios=KS,
        gridspec_kw={"wspace": 0.08, "hspace": 0.12},
    )
    for row, method in zip(grid, METHODS, strict=True):
        for axes, k in zip(row, KS, strict=True):
            strip = np.concatenate(list(images[method, k]), axis=1)
            axes.imshow(strip, cmap="gray_r", interpolation="nearest")
            axes.set_xticks(28 * np.arange(1, k) - 0.5, [])
            axes.set_yticks([])
            axes.tick_params(length=0)
            axes.grid(axis="x", color="#999999", linewidth=0.6)
            axes.spines[:].set(visible=True, color="#999999", linewidth=0.6)
        row[0].set_ylabel(method, rotation=0, ha="right", va="center")
    for axes, k in zip(grid[0], KS, strict=True):
        axes.set_title(f"{'two' if k == 2 else 'ten'} prototypes")
    looks.save(figure, path)
