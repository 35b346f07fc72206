"""A critical-difference plot: mean ranks, and a bar over those that a test does not tell apart."""

from __future__ import annotations

from pathlib import Path


def critical_difference(ranks: dict[str, float], difference: float, path: Path, title: str) -> None:
    """Draw methods along a line of ranks; methods under one bar differ by less than ``difference``."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    order = sorted(ranks, key=lambda name: ranks[name])
    low, high = 1, len(order)
    half = (len(order) + 1) // 2
    bars = _bars([ranks[name] for name in order], difference)
    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.24 * half + 0.09 * len(bars)))
    top = 0.0
    axes.hlines(top, low, high, color="black", lw=1)
    for rank in range(low, high + 1):
        axes.vlines(rank, top, top + 0.12, color="black", lw=0.8)
        axes.text(rank, top + 0.2, str(rank), ha="center", va="bottom", fontsize=8)
    axes.hlines(top + 0.75, low, low + difference, color="black", lw=2)
    axes.text(
        low + difference + 0.1, top + 0.75, f"critical difference {difference:.2f}", va="center", fontsize=8
    )
    depth = 0.35 + 0.12 * len(bars)
    for i, (start, stop) in enumerate(bars):
        axes.hlines(top - 0.2 - 0.12 * i, start - 0.05, stop + 0.05, color="tab:blue", lw=3)
    for i, name in enumerate(order):
        left = i < half
        y = top - depth - 0.3 * (i if left else len(order) - 1 - i)
        x = low - 0.3 if left else high + 0.3
        axes.plot([ranks[name], ranks[name], x], [top, y, y], color="grey", lw=0.8)
        label = f"{name}  {ranks[name]:.1f}" if left else f"{ranks[name]:.1f}  {name}"
        weight = "bold" if name in ("Auto", "Swap") else "normal"
        axes.text(
            x - 0.1 if left else x + 0.1,
            y,
            label,
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            weight=weight,
        )
    axes.set_xlim(low - 5, high + 5)
    axes.set_title(title, fontsize=10)
    axes.axis("off")
    figure.savefig(path, dpi=130, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


def _bars(ranks: list[float], difference: float) -> list[tuple[float, float]]:
    """Return the longest stretches of ranks that span no more than ``difference``."""
    bars: list[tuple[float, float]] = []
    for i, start in enumerate(ranks):
        stop = max(rank for rank in ranks[i:] if rank <= start + difference)
        if stop > start and not any(a <= start and stop <= b for a, b in bars):
            bars.append((start, stop))
    return bars
