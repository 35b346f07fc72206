"""Figure 6: maps of the data sets by multidimensional scaling, with prototypes marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.paper import looks
from benchmarks.paper.methods import fitter
from benchmarks.paper.runs import task_of
from benchmarks.paper.sets import SETS
from benchmarks.paper.settings import Cell
from benchmarks.space import columns
from benchmarks.store import Store
from protopick.diagnostics.landmarks import landmark_map

_K = 20
_METHODS = {"GA (clust) MST": "^", "GA (clust) sup": "o"}
_SHOWN = 3000
_COLUMNS = 2
_SIDE = 4.0
_FLATTEST = 0.5


class _Map(NamedTuple):
    points: np.ndarray  # of some objects
    classes: np.ndarray
    prototypes: dict[str, np.ndarray]
    share: float

    @property
    def stretch(self) -> float:
        """How much to draw the map higher than it is, so that it is no strip."""
        width, height = np.ptp(self.points, axis=0)
        return float(np.ceil(max(1.0, _FLATTEST * width / height)))


def run(store: Store, figures: Path, set_name: str) -> None:
    """Draw the map of a data set, once: unlike other pictures, it needs the data."""
    path = figures / file_of(set_name)
    if store.has("map", set_name) and path.exists():
        return
    made = _map(set_name)
    _draw(made, set_name, path)
    store.put({"share": round(made.share, 3), "stretch": made.stretch}, "map", set_name)


def section(store: Store, figures: Path) -> Iterator[str]:
    """Yield the pictures."""
    for set_name in SETS:
        found = store.get("map", set_name)
        if found:
            drawn = f", drawn {found['stretch']:g} times higher than it is" if found["stretch"] > 1 else ""
            yield f"![Map of {set_name}]({figures.name}/{file_of(set_name)})"
            yield f"{set_name}: the map shows {found['share']:.0%} of the spread{drawn}."


def file_of(set_name: str) -> str:
    return f"map_{set_name.lower()}.png"


def _map(set_name: str) -> _Map:
    rng = np.random.default_rng(0)
    data, _, task = task_of(Cell(set_name, _K, "Random", 0))
    picked = {method: fitter(method, SETS[set_name].size)(task).prototype_indices_ for method in _METHODS}
    placed = landmark_map(columns(task.X, data.metric), rng)
    some = rng.permutation(len(task.y))[:_SHOWN]
    classes = np.unique(task.y, return_inverse=True)[1]
    prototypes = {method: placed.points[indices] for method, indices in picked.items()}
    return _Map(placed.points[some], classes[some], prototypes, placed.share)


def _draw(made: _Map, set_name: str, path: Path) -> None:
    plt = looks.pyplot()
    width, height = np.ptp(made.points, axis=0)
    tall = _SIDE * height * made.stretch / width
    figure, panels = plt.subplots(1, _COLUMNS, figsize=(_COLUMNS * _SIDE, tall + 0.8), layout="constrained")
    for axes, (method, marker) in zip(panels, _METHODS.items(), strict=True):
        _objects(axes, made)
        axes.plot(
            *made.prototypes[method].T,
            marker,
            color="white",
            markeredgecolor="black",
            markeredgewidth=1.3,
            markersize=7,
        )
        axes.set_title(f"{set_name}, {method}")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect(made.stretch, adjustable="datalim")
        axes.spines[:].set(visible=True, color="#bbbbbb")
    _legend(figure, plt, made)
    looks.save(figure, path)


def _objects(axes: Any, made: _Map) -> None:
    """Draw the objects in one go, so that no class covers another."""
    colours = np.array(looks.CLASSES)[made.classes % len(looks.CLASSES)]
    axes.scatter(*made.points.T, c=colours, s=5, linewidths=0, alpha=0.7)


def _legend(figure: Any, plt: Any, made: _Map) -> None:
    n_classes = int(made.classes.max()) + 1
    if n_classes > len(looks.CLASSES):
        return
    handles = [
        plt.Line2D([], [], color=looks.CLASSES[c], marker="o", linestyle="", markersize=5, label=f"{c}")
        for c in range(n_classes)
    ]
    figure.legend(
        handles=handles, title="class", loc="outside lower center", ncols=n_classes, handletextpad=0.1
    )
