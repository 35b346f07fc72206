"""The pictures of the guide, drawn from the library itself, once for light and once for dark pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    SwapSelector,
    forecast,
    ldc,
    pick,
)

BLUE, ORANGE, GREEN, GREY = "#3b82c4", "#d9730d", "#2a9455", "#8a8a8a"
CLASSES = (
    BLUE,
    GREEN,
    "#9467bd",
    "#17919e",
    "#d6549f",
    "#a0714f",
    "#84891c",
    "#6a6ae0",
    "#d64550",
    "#5c6f82",
)
INK = {"light": "#24292f", "dark": "#ced6dd"}
PAPER = {"light": "#ffffff", "dark": "#14181e"}

Picture = Callable[[str], Figure]
PICTURES: dict[str, Picture] = {}


def picture(draw: Picture) -> Picture:
    """Add a function of the theme, "light" or "dark", to the pictures."""
    PICTURES[draw.__name__.replace("_", "-")] = draw
    return draw


def draw_missing(folder: Path) -> None:
    """Draw the pictures that are not in the folder yet, or older than this file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        for theme, ink in INK.items():
            path = folder / f"{name}-{theme}.svg"
            if path.exists() and path.stat().st_mtime >= Path(__file__).stat().st_mtime:
                continue
            with plt.rc_context(_style(ink)):
                figure = draw(theme)
            figure.savefig(path, transparent=True, bbox_inches="tight", pad_inches=0.05, dpi=160)
            plt.close(figure)


def _style(ink: str) -> dict[str, Any]:
    coloured = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(coloured, ink),
        "font.size": 11,
        "axes.titlesize": 12,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "svg.hashsalt": "protopick",
    }


@cache  # drawn twice, computed once
def _map_of_digits() -> np.ndarray:
    return TSNE(init="pca", random_state=0).fit_transform(load_digits().data)


@cache
def _picked_digits() -> np.ndarray:
    return pick(*load_digits(return_X_y=True), k=20, method="swap", random_state=0)


@picture
def digits_and_prototypes(theme: str) -> Figure:
    """A map of the digits, and the 20 that the code beside it picks."""
    X, y = load_digits(return_X_y=True)
    points = _map_of_digits()
    figure, ax = plt.subplots(figsize=(7, 6.2))
    ax.scatter(*points.T, c=[CLASSES[c] for c in y], s=9, alpha=0.6, linewidths=0, rasterized=True)
    for i in _picked_digits():
        image = OffsetImage(X[i].reshape(8, 8), zoom=3, cmap="gray_r", interpolation="bilinear")
        frame = {
            "edgecolor": CLASSES[y[i]],
            "linewidth": 2,
            "boxstyle": "round,pad=0.12",
            "facecolor": "white",
        }
        ax.add_artist(AnnotationBbox(image, points[i], bboxprops=frame))
    ax.margins(0.06)
    ax.set_axis_off()
    return figure


@picture
def dissimilarity_space(theme: str) -> Figure:
    """Two rings, and where they lie once described by their distances to two prototypes."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 300), np.repeat([1.0, 2.2], 150) + rng.normal(0, 0.12, 300)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], 150)
    prototypes = np.array([np.hypot(*(X - p).T).argmin() for p in ([-0.9, -0.4], [1.0, 0.3])])
    D = np.hypot(*(X[:, None] - X[prototypes]).transpose(2, 0, 1))  # (objects, prototypes)
    one = int(np.hypot(*(X - [0.6, 2.2]).T).argmin())
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.3))
    ground = {"facecolor": PAPER[theme], "edgecolor": "none", "alpha": 0.85, "boxstyle": "round,pad=0.15"}
    for ax, points in ((left, X), (right, D)):
        ax.scatter(*points.T, c=np.array([BLUE, GREEN])[y], s=16, alpha=0.55, linewidths=0)
        ax.scatter(*points[prototypes].T, c=ORANGE, s=110, edgecolors=PAPER[theme], linewidths=1.2, zorder=3)
        ax.scatter(*points[one], c=INK[theme], s=60, zorder=3)
    for j, p in enumerate(prototypes):
        left.plot(*X[[one, p]].T, color=ORANGE, linestyle="--", linewidth=1.6)
        below = {"xytext": (0, -22), "textcoords": "offset points", "ha": "center"}
        left.annotate(f"prototype {j + 1}", X[p], **below, color=ORANGE, weight="bold", bbox=ground)
        left.text(*X[[one, p]].mean(axis=0), f"{D[one, j]:.1f}", ha="center", va="center", bbox=ground)
    left.set(title="objects", aspect="equal", xticks=[], yticks=[])
    left.spines[:].set_visible(False)
    right.plot(
        [D[one, 0], D[one, 0], 0], [0, D[one, 1], D[one, 1]], color=ORANGE, linestyle="--", linewidth=1.6
    )
    model, edge = ldc().fit(D, y), np.linspace(0, 3.6, 200)
    grid = np.meshgrid(edge, edge)
    side = model.decision_function(np.column_stack([g.ravel() for g in grid])).reshape(grid[0].shape)
    right.contour(*grid, side, levels=[0], colors=INK[theme], linewidths=1.2)
    right.set(title="dissimilarity space", xlabel="to prototype 1", ylabel="to prototype 2")
    right.set(xlim=(-0.1, 3.6), ylim=(-0.1, 3.6), aspect="equal")
    figure.tight_layout(w_pad=3)
    return figure


@picture
def words_as_rows(theme: str) -> Figure:
    """Words described by their edit distances to three of them."""
    words = ["colour", "color", "colors", "house", "houses", "mouse", "night", "light", "lights"]
    selector = SwapSelector(3, metric="levenshtein", random_state=0).fit(words)
    D = selector.transform(words)
    figure, ax = plt.subplots(figsize=(4.4, 4.4))
    ax.imshow(D, cmap="Blues_r", aspect="auto", vmin=-1, vmax=9)
    for (i, j), value in np.ndenumerate(D):
        ax.text(j, i, f"{value:.0f}", ha="center", va="center", color="white" if value < 4 else "#24292f")
    ax.set_yticks(range(len(words)), words)
    ax.set_xticks(range(3), selector.prototypes_, color=ORANGE, weight="bold")
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return figure


def _islands() -> tuple[np.ndarray, np.ndarray]:
    """Three classes of unequal size and shape, and a few outliers."""
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, np.pi, 220)
    arc = np.column_stack([3 * np.cos(angle), 3 * np.sin(angle)]) + rng.normal(0, 0.25, (220, 2))
    disc = rng.normal([0, 0], [0.75, 0.6], (260, 2))
    small = rng.normal([3.4, -1.0], 0.28, (50, 2))
    far = np.array([[-4.6, -1.3], [4.9, 3.6], [-4.2, 4.0]])
    return np.vstack([arc, disc, small, far]), np.repeat([0, 1, 2, 0], [220, 260, 50, 3])


@picture
def what_criteria_favour(theme: str) -> Figure:
    """Swaps by each criterion on the same points."""
    X, y = _islands()
    by_neighbors = "label-match", "neighbor-agreement", "neighbor-margin"
    by_classes = "discriminant", "linear-margin", "quadratic-margin"
    without_labels = "spanning-tree", "coverage", "radius"
    figure, axes = plt.subplots(3, 3, figsize=(9.6, 8.4))
    criteria = *by_neighbors, *by_classes, *without_labels
    for ax, criterion in zip(axes.ravel(), criteria, strict=True):
        picked = SwapSelector(8, criterion=criterion, random_state=0).fit(X, y).prototype_indices_
        _draw_picked(ax, X, y, picked, criterion, theme)
    figure.tight_layout()
    return figure


def _draw_picked(ax: Any, X: np.ndarray, y: np.ndarray, picked: np.ndarray, title: str, theme: str) -> None:
    ax.scatter(*X.T, c=[CLASSES[c] for c in y], s=9, alpha=0.5, linewidths=0)
    ax.scatter(*X[picked].T, c=ORANGE, s=70, edgecolors=PAPER[theme], linewidths=1.2, zorder=3)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


@cache
def _fitted_auto() -> AutoSelector:
    X, y = load_digits(return_X_y=True)
    return AutoSelector("auto", random_state=0).fit(X, y)


@picture
def error_against_k(theme: str) -> Figure:
    """The curve by which AutoSelector takes a number of prototypes."""
    auto = _fitted_auto()
    k, error, spread = (auto.curve_[name] for name in ("n_prototypes", "error", "std_error"))
    figure, ax = plt.subplots(figsize=(6.8, 3.9))
    ax.errorbar(k, 100 * error, 100 * spread, color=BLUE, marker="o", capsize=4)
    best, taken = int(error.argmin()), int(np.flatnonzero(k == len(auto.prototype_indices_))[0])
    limit = 100 * (error[best] + spread[best])
    ax.axhline(limit, color=GREY, linestyle="--", linewidth=1)
    ax.annotate(
        "lowest error plus one standard error", (k[0], limit), (0, 5), textcoords="offset points", color=GREY
    )
    ax.scatter(k[taken], 100 * error[taken], s=150, c=ORANGE, zorder=3, label=f"taken: {k[taken]}")
    ax.set(xscale="log", xlabel="prototypes", ylabel="error of QDC in %", ylim=(0, None))
    ax.set_xticks(k, k)
    ax.minorticks_off()
    ax.legend()
    return figure


@picture
def what_a_fit_costs(theme: str) -> Figure:
    """Forecasts for 20 of 100,000 objects."""
    n, k = 100_000, 20
    selectors = {
        "GeneticSelector, spanning tree": GeneticSelector(k),
        "FarthestFirstSelector": FarthestFirstSelector(k),
        "any selector with n_pivots=64": SwapSelector(k, criterion="label-match", n_pivots=64),
        "GeneticSelector, label match": GeneticSelector(k, criterion="label-match"),
        "SwapSelector, label match": SwapSelector(k, criterion="label-match"),
        "KCentersSelector": KCentersSelector(k),
        "ForwardSelector": ForwardSelector(k),
    }
    costs = {name: forecast(selector, n).n_dissimilarities for name, selector in selectors.items()}
    costs = dict(sorted(costs.items(), key=lambda item: -item[1]))
    figure, ax = plt.subplots(figsize=(8.4, 3.7))
    bars = ax.barh(list(costs), list(costs.values()), color=BLUE, height=0.6)
    ax.bar_label(bars, [f"{cost:,}" for cost in costs.values()], padding=5)
    ax.set(xscale="log", xlim=(1e5, 1e14), xlabel="dissimilarities to pick 20 of 100,000 objects")
    ax.tick_params(axis="y", length=0)
    return figure


@picture
def racing_and_exact(theme: str) -> Figure:
    """How the cost grows with the number of objects."""
    sizes = np.geomspace(1_000, 100_000_000, 16).astype(int)
    figure, ax = plt.subplots(figsize=(6.8, 3.9))
    for evaluation, colour in (("exact", BLUE), ("racing", ORANGE)):
        selector = GeneticSelector(20, criterion="label-match", evaluation=evaluation, random_state=0)
        costs = [forecast(selector, int(n)).n_dissimilarities for n in sizes]
        ax.plot(sizes, costs, color=colour, linewidth=2)
        name = f'evaluation="{evaluation}"'
        ax.annotate(
            name, (sizes[-1], costs[-1]), (0, 8), textcoords="offset points", ha="right", color=colour
        )
    ax.axvline(100_000, color=GREY, linestyle="--", linewidth=1)
    ax.annotate('"auto" races from here', (100_000, 2e6), (5, 0), textcoords="offset points", color=GREY)
    ax.set(xscale="log", yscale="log", xlabel="objects", ylabel="dissimilarities (forecast)")
    return figure
