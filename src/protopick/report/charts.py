"""The interactive charts. The only file that needs plotly."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.report.colors import OTHER, class_styles
from protopick.report.text import several

_SYMBOLS = {"circle": "circle", "square": "square", "triangle": "triangle-up", "diamond": "diamond"}
_MOST_NUMBERED = 60
_CROWDED = 1.6
_FEW_TICKS = 12

Figure = dict[str, Any]


def plotly_script() -> str:
    """Return plotly.js as text, to be put into the page once."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ImportError(
            "The report needs plotly for its charts. Install it by: pip install 'protopick[report]'"
        ) from error
    return str(get_plotlyjs())


def map_figure(summary: dict[str, Any]) -> Figure:
    """Return the map: a trace for each class, then the prototypes; points know their place in the summary."""
    drawn, k = summary["map"], summary["n_prototypes"]
    traces, styles = [], class_styles(summary)
    for code, places in classes_shown(summary):
        style = OTHER if code < 0 else styles[code]
        marker = {"color": style.color, "symbol": _SYMBOLS[style.shape], "size": 6, "opacity": 0.6}
        unlit = {"marker": {"opacity": 0.07}}
        traces.append(_points(drawn, places) | {"mode": "markers", "marker": marker, "unselected": unlit})
    colors = None
    if summary["is_labelled"]:
        colors = [styles[one["class"]].color for one in summary["prototypes"]]
    numbered = k <= _MOST_NUMBERED
    prototypes = _points(drawn, list(range(k))) | {
        "mode": "markers+text" if numbered else "markers",
        "marker": {"color": colors, "symbol": "circle", "size": 19 if numbered else 11, "opacity": 1},
        "text": [str(rank) for rank in range(1, k + 1)] if numbered else None,
        "textfont": {"color": "#fff", "size": 10},
        "unselected": {"marker": {"opacity": 0.25}, "textfont": {"color": "rgba(255,255,255,.5)"}},
        "meta": "prototypes",
    }
    xaxis, yaxis = ({"visible": False} | ({} if r is None else {"range": r}) for r in view_ranges(summary))
    return {"data": [*traces, prototypes], "layout": {"xaxis": xaxis, "yaxis": yaxis | {"scaleanchor": "x"}}}


def view_ranges(summary: dict[str, Any]) -> tuple[list[float] | None, list[float] | None]:
    """Return what the map shows at first: all, unless a few objects far away would crowd the rest.

    Prototypes are always in view.
    """
    points = np.array([summary["map"]["x"], summary["map"]["y"]], np.float64)  # (2, objects)
    prototypes = points[:, : summary["n_prototypes"]]
    low = np.minimum(np.quantile(points, 0.01, axis=1), prototypes.min(axis=1))
    high = np.maximum(np.quantile(points, 0.99, axis=1), prototypes.max(axis=1))
    widest = (high - low).max()
    if np.ptp(points, axis=1).max() < _CROWDED * widest or widest == 0:
        return None, None
    room = 0.06 * widest
    x, y = np.column_stack([low - room, high + room]).tolist()
    return x, y


def classes_shown(summary: dict[str, Any]) -> list[tuple[int, list[int]]]:
    """Return the classes on the map, each with its objects that are no prototypes, maybe none.

    Grey classes, or all objects where there are no classes, are one: -1, the first and lowest.
    """
    styles, codes = class_styles(summary), summary["map"]["class"]
    groups: dict[int, list[int]] = {}
    for place in range(summary["map"]["n_objects"]):
        code = -1 if codes is None or styles[codes[place]] == OTHER else codes[place]
        groups.setdefault(code, []).extend([place] if place >= summary["n_prototypes"] else [])
    return sorted(groups.items())


def _points(drawn: dict[str, Any], places: list[int]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [drawn["x"][i] for i in places],
        "y": [drawn["y"][i] for i in places],
        "customdata": places,
        "hoverinfo": "none",  # the page has a card of its own
    }


def search_figure(search: dict[str, Any]) -> Figure | None:
    """Return the best value after each step or search, None where there are none to speak of."""
    if len(search["values"]) < 2:
        return None
    mode = "lines+markers" if len(search["values"]) <= 40 else "lines"
    line = {"type": "scatter", "x": search["steps"], "y": search["values"], "mode": mode, "name": "value"}
    line |= {"line": {"shape": "hv", "width": 2}, "marker": {"size": 6}, "meta": "accent"}
    step = "step" if search["results"] is None else "search"
    line |= {"hovertemplate": f"{step} %{{x}}: %{{y:.5~g}}<extra></extra>"}
    return {"data": [line], "layout": {"xaxis": _counted(step, search["steps"]), "yaxis": {}}}


def error_figure(summary: dict[str, Any]) -> Figure | None:
    """Return the error against the number of prototypes, None where none was measured."""
    judged, curve = summary["judged"], summary["search"]["curve"]
    traces = []
    if judged is not None and not judged["failed"]:
        traces.append(_errors(judged["curve"], "the first prototypes", "accent", "solid"))
    if curve is not None and summary["is_labelled"] and len(curve["n_prototypes"]) > 1:
        traces.append(_errors(curve, "a set of its own for each number", "muted", "dot"))
    if not traces:
        return None
    numbers = [k for trace in traces for k in trace["x"]]
    axes = {
        "xaxis": _counted("prototypes", numbers),
        "yaxis": {"title": "error", "tickformat": ".3~%", "rangemode": "tozero"},
    }
    return {"data": traces, "layout": axes | {"showlegend": len(traces) > 1}}


def _errors(curve: dict[str, Any], name: str, role: str, dash: str) -> Figure:
    spread = {"type": "data", "array": [s or 0 for s in curve["std_error"]], "thickness": 1, "width": 3}
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": curve["n_prototypes"],
        "y": curve["error"],
        "error_y": spread,
        "name": name,
        "line": {"width": 2, "dash": dash},
        "marker": {"size": 7},
        "meta": role,
        "text": [several(k, "prototype") for k in curve["n_prototypes"]],
        "hovertemplate": "%{text}: error %{y:.1%}<extra></extra>",
    }


def _counted(title: str, numbers: list[int]) -> dict[str, Any]:
    """Return an axis of whole numbers."""
    return {"title": title} | ({"dtick": 1} if max(numbers) <= _FEW_TICKS else {})
