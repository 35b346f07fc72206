"""The pictures of prototypes as HTML, without scripts."""

from __future__ import annotations

import zlib
from html import escape
from typing import Any

from protopick.report.text import count, from_data
from protopick.report.views.base import Line

_LONG = 10_000


def picture(shown: dict[str, Any], name: str) -> str:
    """Return the picture of an object, which a view made; ``name`` says what it is to who cannot see it."""
    return _DRAWN[shown["kind"]](shown, escape(name))


def background(lines: list[Line]) -> str:
    """Return lines that lie behind all pictures, drawn once; pictures refer to them by their key."""
    if not lines:
        return ""
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
        f'<g id="{background_key(lines)}" fill="none" stroke="currentColor" stroke-width="0.7">'
        f"{_paths(lines)}</g></defs></svg>"
    )


def background_key(lines: list[Line]) -> str:
    """Return a name that is another for other lines, as a notebook may show several."""
    return f"pp-behind-{zlib.crc32(repr(lines).encode()):08x}"


def _image(shown: dict[str, Any], name: str) -> str:
    size = f'width="{shown["width"]}" height="{shown["height"]}"'
    return f'<img class="pp-image" src="{shown["src"]}" {size} alt="{name}">'


def _text(shown: dict[str, Any], name: str) -> str:
    length = len(shown["text"])
    size = "long" if length > 60 else "middle" if length > 18 else "short"
    cut = f"<small>{count(shown['length'])} characters</small>" if shown["length"] > length else ""
    return f'<div class="pp-text pp-{size}">{from_data(shown["text"], _LONG)}{cut}</div>'


def _code(shown: dict[str, Any], name: str) -> str:
    return f'<div class="pp-code">{from_data(shown["text"], _LONG)}</div>'


def _set(shown: dict[str, Any], name: str) -> str:
    items = "".join(f"<li>{from_data(item, _LONG)}</li>" for item in shown["items"])
    more = f"<li class='pp-more'>and {count(shown['left_off'])} more</li>" if shown["left_off"] else ""
    return f'<ul class="pp-set">{items or "<li>empty</li>"}{more}</ul>'


def _lines(shown: dict[str, Any], name: str) -> str:
    behind = f'<use href="#{shown["behind"]}" class="pp-behind"/>' if shown.get("behind") else ""
    return (
        f'<svg class="pp-lines" viewBox="0 0 {shown["width"]} {shown["height"]}" role="img" '
        f'aria-label="{name}">{behind}{_paths(shown["lines"])}</svg>'
    )


def _paths(lines: list[Line]) -> str:
    return "".join(
        f'<path class="pp-line{c}" d="M{"L".join(f"{x:g} {y:g}" for x, y in _at_least_two(line))}"/>'
        for c, line in enumerate(lines)
    )


def _at_least_two(line: Line) -> Line:
    return line if len(line) > 1 else [line[0], [line[0][0] + 0.1, line[0][1]]]  # a dot


def _row(shown: dict[str, Any], name: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{from_data(column, _LONG)}</th><td>{from_data(value, _LONG)}</td></tr>'
        for column, value in shown["cells"]
    )
    more = ""
    if shown["left_off"] and not shown["bars"]:
        more = f'<tr><td colspan="2" class="pp-more">and {count(shown["left_off"])} more</td></tr>'
    bars = "" if not shown["bars"] else _bars(shown["bars"], name)
    empty = "" if rows or more else '<tr><td class="pp-more">all 0</td></tr>'
    return f'{bars}<table class="pp-row">{rows}{more}{empty}</table>'


def _bars(bars: list[int], name: str) -> str:
    steps = "".join(f"M{i} 0V{-bar / 5:g}" for i, bar in enumerate(bars) if bar)
    return (
        f'<svg class="pp-bars" viewBox="-1 -21 {len(bars) + 1} 42" preserveAspectRatio="none" role="img" '
        f'aria-label="{name}, all columns"><path d="M-1 0H{len(bars)}" class="pp-axis"/>'
        f'<path d="{steps}"/></svg>'
    )


def _nothing(shown: dict[str, Any], name: str) -> str:
    return ""


_DRAWN = {
    "image": _image,
    "text": _text,
    "code": _code,
    "set": _set,
    "lines": _lines,
    "row": _row,
    "nothing": _nothing,
}
