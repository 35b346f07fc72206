"""A description as HTML for notebooks: a table, a map as SVG, the advice. No network is needed."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from protopick.diagnostics.description_text import Section, headline, sections

if TYPE_CHECKING:
    from protopick.diagnostics.description import Description

PALETTE = (
    "#3b82c4", "#d9730d", "#2a9455", "#d64550", "#9467bd", "#17919e", "#d6549f", "#a0714f", "#84891c",
    "#6a6ae0",
)  # fmt: skip
"""Colours that stand out from a white and from a black ground."""

SHAPES = ("circle", "square", "triangle", "diamond")
"""Tell classes apart where colours do not."""

REST = "#8a8a8a"
_SIDE, _MARGIN, _RADIUS = 420.0, 14.0, 3.2
_LONGEST_LABEL = 28

# A notebook sets its own text colour, light or dark: everything else is a shade of that.
_STYLE = """
.protopick-description{font:14px/1.45 system-ui,sans-serif;max-width:1020px}
.protopick-description h4{margin:0 0 10px;font-size:16px}
.protopick-description h5{margin:16px 0 4px;font-size:14px}
.protopick-description .both{display:flex;flex-wrap:wrap;gap:12px 36px;align-items:flex-start}
.protopick-description .both>div{flex:1 1 440px;min-width:0}
.protopick-description figure{flex:0 1 420px;margin:0;min-width:280px}
.protopick-description table{border-collapse:collapse;width:100%;margin:0}
.protopick-description th,.protopick-description td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;
font-weight:normal;background:none;border:0;border-top:1px solid rgba(128,128,128,.3);white-space:normal}
.protopick-description tbody tr{background:none!important}
.protopick-description th{white-space:nowrap;opacity:.75;width:1%}
.protopick-description tr.title th{font-weight:600;opacity:1;border-top:0;padding-top:12px}
.protopick-description tbody:first-child tr.title th{padding-top:0}
.protopick-description svg{display:block;width:100%;height:auto;border:1px solid rgba(128,128,128,.4);
border-radius:4px}
.protopick-description .legend{display:flex;flex-wrap:wrap;gap:2px 16px;margin:8px 0 0;padding:0;
list-style:none}
.protopick-description .legend li{margin:0}
.protopick-description .legend svg{display:inline-block;width:12px;height:12px;border:0;
vertical-align:-1px;margin-right:5px}
.protopick-description figcaption{margin-top:6px;opacity:.75;font-size:13px}
.protopick-description ul.advice{margin:0;padding-left:20px}
.protopick-description ul.advice li{margin:4px 0;max-width:90ch}
"""


def page_of(d: Description, say: Callable[[str], str] = str) -> str:
    """Return a description as a fragment of HTML, its advice as ``say`` puts it."""
    advice = "".join(f"<li>{escape(say(sentence))}</li>" for sentence in d.advice)
    return (
        f'<div class="protopick-description"><style>{_STYLE}</style><h4>{escape(headline(d))}</h4>'
        f'<div class="both"><div>{_table(sections(d))}</div>{_figure(d)}</div>'
        f'<h5>What this means</h5><ul class="advice">{advice}</ul></div>'
    )


def _table(parts: list[Section]) -> str:
    bodies = []
    for part in parts:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
            for name, value in part.rows
        )
        title = f'<tr class="title"><th colspan="2" scope="rowgroup">{escape(part.title)}</th></tr>'
        bodies.append(f"<tbody>{title}{rows}</tbody>")
    return f"<table>{''.join(bodies)}</table>"


def _figure(d: Description) -> str:
    if d.points is None:
        return ""
    groups = _groups(d)
    marks = "".join(
        f'<g fill="{group.color}">'
        + "".join(_mark(group.shape, x, y, title) for x, y, title in group.marks)
        + "</g>"
        for group in groups
    )
    height = _fitted(d.points)[1]
    share = 0 if d.map_share is None else 100 * d.map_share
    return (
        f'<figure><svg viewBox="0 0 {_SIDE:g} {height:.0f}" role="img" aria-label="map of the sample">'
        f'<g fill-opacity="0.75">{marks}</g></svg>{_legend(d, groups)}<figcaption>A map of the sample by '
        f"landmark MDS. It shows {share:.0f} % of the spread. Point at a mark to read its number."
        "</figcaption></figure>"
    )


class _Group(NamedTuple):
    """The objects of a class, or of all classes that got no colour of their own."""

    name: str
    color: str
    shape: str
    marks: list[tuple[Any, ...]]  # x, y and what a mark is called


def _groups(d: Description) -> list[_Group]:
    """Give each class a colour and a shape, the largest first where there are more than colours."""
    places = _fitted(d.points)[0]
    if d.labels is None:
        marks = [(*at, f"object {i}") for at, i in zip(places, d.sample_indices.tolist(), strict=True)]
        return [_Group("", PALETTE[0], SHAPES[0], marks)]
    names, codes, counts = np.unique(d.labels, return_inverse=True, return_counts=True)
    colored = np.arange(len(names))
    if len(names) > len(PALETTE):
        colored = np.sort(np.argsort(-counts, kind="stable")[: len(PALETTE) - 1])
    styles = zip(colored.tolist(), PALETTE, SHAPES * 3, strict=False)
    groups = {code: _Group(_label(names[code]), color, shape, []) for code, color, shape in styles}
    rest = _Group(f"{len(names) - len(colored)} other classes", REST, SHAPES[0], [])
    for at, code, i in zip(places, codes.tolist(), d.sample_indices.tolist(), strict=True):
        title = f"object {i}, {_label(names[code])}"
        groups.get(code, rest).marks.append((*at, title))
    return [*([rest] if rest.marks else []), *groups.values()]


def _legend(d: Description, groups: list[_Group]) -> str:
    if d.labels is None:
        return ""
    items = "".join(
        f'<li><svg viewBox="0 0 12 12" fill="{group.color}">{_mark(group.shape, 6, 6, scale=1.5)}</svg>'
        f"{escape(group.name)} ({len(group.marks):,})</li>"
        for group in sorted(groups, key=lambda group: group.color == REST)
    )
    return f'<ul class="legend">{items}</ul>'


def _mark(shape: str, x: float, y: float, title: str = "", scale: float = 1.0) -> str:
    said = f"<title>{escape(title)}</title>" if title else ""
    r = _RADIUS * scale
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}">{said}</circle>'
    if shape == "square":
        h = 0.87 * r
        return f'<path d="M{x - h:.1f} {y - h:.1f}h{2 * h:.1f}v{2 * h:.1f}h{-2 * h:.1f}z">{said}</path>'
    if shape == "diamond":
        h = 1.25 * r
        steps = f"l{h:.1f} {h:.1f}l{-h:.1f} {h:.1f}l{-h:.1f} {-h:.1f}"
        return f'<path d="M{x:.1f} {y - h:.1f}{steps}z">{said}</path>'
    return f'<path d="M{x:.1f} {y - 1.2 * r:.1f}l{1.15 * r:.1f} {2 * r:.1f}h{-2.3 * r:.1f}z">{said}</path>'


def _fitted(points: Any) -> tuple[list[list[float]], float]:
    """Return where the points go in the picture, one scale for both axes, and the picture's height."""
    low, high = points.min(axis=0), points.max(axis=0)
    widest = float((high - low).max())
    room = _SIDE - 2 * _MARGIN
    scale = room / widest if widest > 0 else 0.0
    height = min(_SIDE, max(_SIDE / 2, float((high - low)[1]) * scale + 2 * _MARGIN))
    middle = np.array([_SIDE / 2, height / 2])
    at = middle + (points - (low + high) / 2) * [scale, -scale]
    return at.tolist(), height


def _label(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"
