"""A Sphinx extension: before a build, make what the pages take from the code and from the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pictures
import tables
from command_line import command_line
from sklearn.datasets import load_digits

from protopick import SwapSelector

REPOSITORY = Path(__file__).parent.parent.parent

_BENCHMARKS = {  # where the pages have what the repository has there
    "../../benchmarks/quality/RESULTS.md": "../compare/quality.md",
    "../../benchmarks/README.md": "../compare/speed.md",
    "../../benchmarks/paper/RESULTS.md": "../compare/paper.md",
}


def make(app: Any) -> None:
    """Write pictures, tables and included pages to ``_made``; what is there and right is left alone."""
    folder = Path(app.srcdir) / "_made"
    pictures.draw_missing(folder / "pictures")
    parts = {
        "metrics.md": tables.metrics(),
        "criteria.md": tables.criteria(),
        "methods.md": tables.methods(),
        "command-line.md": command_line(),
        "speed.md": _speed(),
    }
    for name, text in parts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def add_report(app: Any, exception: Exception | None) -> None:
    """Put the report page that the guide shows beside the pages."""
    if exception is None and app.builder.format == "html":
        X, y = load_digits(return_X_y=True)
        selector = SwapSelector(20, random_state=0).fit(X, y)
        path = Path(app.outdir) / "digits-report.html"
        selector.report(X, y, path, image_shape=(8, 8), title="Handwritten digits")


def _speed() -> str:
    """Return benchmarks/README.md with its links as these pages have them."""
    text = (REPOSITORY / "benchmarks" / "README.md").read_text(encoding="utf-8")
    moved = {
        "(quality/RESULTS.md)": "(quality.md)",
        "(paper/README.md)": "(paper.md)",
        "(cluster/RESULTS.md)": "(cluster.md)",
        "(gpu/RESULTS.md)": "(gpu.md)",
        "(objects/RESULTS.md)": "(objects.md)",
        "(speed/figures/": "(../../benchmarks/speed/figures/",
    }
    for link, ours in moved.items():
        text = text.replace(link, ours)
    return text


def link_to_pages(app: Any, docname: str, source: list[str]) -> None:
    """Let links to the benchmarks lead to their pages."""
    for link, ours in _BENCHMARKS.items():
        source[0] = source[0].replace(f"({link}", f"({ours}")


def setup(app: Any) -> dict[str, Any]:
    """Join the build."""
    app.connect("builder-inited", make, priority=100)  # before autosummary looks for pages
    app.connect("source-read", link_to_pages)
    app.connect("build-finished", add_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
