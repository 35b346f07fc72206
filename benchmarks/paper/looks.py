"""How methods and classes look in every picture: colours that all readers tell apart, and markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.paper.methods import AUTO

_RED, _BLUE, _GREEN, _ORANGE = "#D55E00", "#0072B2", "#009E73", "#E69F00"

LOOKS: dict[str, dict[str, Any]] = {  # one colour a criterion; dashed and hollow: without clusters
    "Random": {"color": "#777777", "marker": "x"},
    "FFT": {"color": _GREEN, "marker": "v"},
    "Kcentres": {"color": "#56B4E9", "marker": "P"},
    "FS": {"color": "#000000", "marker": "*"},
    "GA MST": {"color": _BLUE, "marker": "^", "linestyle": "--", "markerfacecolor": "white"},
    "GA (clust) MST": {"color": _BLUE, "marker": "^"},
    "GA sup": {"color": _RED, "marker": "o", "linestyle": "--", "markerfacecolor": "white"},
    "GA (clust) sup": {"color": _RED, "marker": "o"},
    "Swap": {"color": "#CC79A7", "marker": "D"},
    AUTO: {"color": _ORANGE, "marker": "s"},
}
ERROR_TICKS = (
    0.04,
    0.05,
    0.06,
    0.08,
    0.1,
    0.12,
    0.15,
    0.2,
    0.25,
    0.3,
    0.35,
    0.4,
    0.45,
    0.5,
    0.55,
    0.6,
    0.65,
    0.7,
    0.8,
)
SECONDS_TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
_NARROW = [1, 2, 5, 10]
LINE = {"markersize": 5, "linewidth": 1.3}

CLASSES = [  # P. Tol's "muted" colours, and black
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
    "#000000",
]


def pyplot() -> Any:
    """Return matplotlib.pyplot, set up to draw into files for print."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "font.size": 9,
            "axes.titlesize": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
        }
    )
    return plt


def log_axis(axes: Any, ticks: tuple[float, ...]) -> None:
    """Make the upright axis logarithmic, with those ticks in plain numbers that it has room for."""
    from matplotlib.ticker import MaxNLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    shown = [tick for tick in ticks if low <= tick <= high]
    if len(shown) < 4:  # a narrow range
        shown = [tick for tick in MaxNLocator(6, steps=_NARROW).tick_values(low, high) if low <= tick <= high]
    axes.set_yticks(shown, [f"{tick:g}" for tick in shown])
    axes.minorticks_off()
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)


def save(figure: Any, path: Path) -> str:
    """Write a picture, and return how the page shows it; the text below comes from the caller."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, bbox_inches="tight", metadata={"Software": None})
    pyplot().close(figure)
    return f"{path.parent.name}/{path.name}"
