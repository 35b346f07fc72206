"""The scaling plots: one picture for what grows, time on the left, memory on the right."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.speed.scaling import AXES, Axis

_LABELS = {"n": "objects, n", "k": "prototypes, k", "q": "features, q"}
_LOOKS = {  # colours that colour-blind readers and grey prints tell apart, with markers beside
    "GA, label match, exact": ("#D55E00", "o"),
    "GA, label match, 64 pivots": ("#E69F00", "s"),
    "GA, label match, racing": ("#CC79A7", "D"),
    "GA, spanning tree": ("#0072B2", "^"),
    "farthest first": ("#009E73", "v"),
    "random": ("#777777", "x"),
}
_SMALLEST = 1.0
"""Megabytes: less than this is noise of the memory allocator."""


def draw(points: list[dict[str, Any]], folder: Path) -> list[str]:
    """Draw a picture for each axis into ``folder``; return the names of the files."""
    import matplotlib as mpl

    mpl.use("Agg")
    folder.mkdir(exist_ok=True)
    return [_draw_axis(axis, points, folder) for axis in AXES]


def _draw_axis(axis: Axis, points: list[dict[str, Any]], folder: Path) -> str:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
    for method, (colour, marker) in _LOOKS.items():
        line = [point for point in points if point["axis"] == axis.name and point["method"] == method]
        if not line:
            continue
        x = [point[axis.name] for point in line]
        look = {"color": colour, "marker": marker, "markersize": 4.5, "linewidth": 1.4}
        left.plot(x, [point["seconds"] for point in line], label=method, **look)
        right.plot(x, [max(point["bytes"] / 1e6, _SMALLEST) for point in line], **look)
    others = ", ".join(f"{name} = {value:,}" for name, value in axis.others.items())
    for panel, label in (left, "time to fit (s)"), (right, "peak memory above the input (MB)"):
        panel.set(xscale="log", yscale="log", xlabel=f"{_LABELS[axis.name]}   ({others})", ylabel=label)
        panel.grid(which="major", linewidth=0.4, alpha=0.6)
        if axis.name != "n":
            panel.set_xticks(axis.values, [f"{value:,}" for value in axis.values])
            panel.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    name = f"scaling_{axis.name}.png"
    part = folder / f".{name}.part"
    figure.savefig(part, dpi=130, format="png")
    os.replace(part, folder / name)
    plt.close(figure)
    return name
