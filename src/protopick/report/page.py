"""The report as one HTML document that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from protopick.report import charts
from protopick.report.colors import class_styles
from protopick.report.headline import figures, headline, lede
from protopick.report.sections import SECTIONS
from protopick.report.text import from_data, one_of, script_json, several


def page(summary: dict[str, Any]) -> str:
    """Return the report as one HTML document.

    It holds its scripts, styles and pictures, and asks the browser to load nothing else. Needs plotly:
    ``pip install 'protopick[report]'``.

    Parameters
    ----------
    summary : dict
        What `summarise` returned.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector
    >>> from protopick.report import page, summarise
    >>> X = ["ann", "anna", "bob"]
    >>> selector = FarthestFirstSelector(2, metric="levenshtein", random_state=0).fit(X)
    >>> page(summarise(selector, X)).startswith("<!doctype html>")
    True
    """
    plotly, script = charts.plotly_script(), _static("report.js")
    parts = [(key, link, make(summary)) for key, (link, make) in SECTIONS.items()]
    parts = [part for part in parts if part[2]]
    links = "".join(f'<a href="#{key}">{link}</a>' for key, link, _ in parts)
    body = "".join(f'<section id="{key}">{content}</section>' for key, _, content in parts)
    document = _DOCUMENT.format(
        policy=_policy(plotly, script),
        title=escape(summary["title"] or headline(summary)),
        style=_static("cards.css") + _static("report.css"),
        header=_header(summary, links),
        body=body,
        version=escape(summary["run"]["versions"]["protopick"]),
        data=script_json(_data(summary)),
        plotly=plotly,
        script=script,
    )
    return document.encode("utf-8", "replace").decode()  # half of a character, which no file can hold


def _header(summary: dict[str, Any], links: str) -> str:
    heading, below = escape(headline(summary)), ""
    if summary["title"]:
        heading, below = from_data(summary["title"], 300), f"{heading}. "
    dl = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures(summary))
    return (
        f"<h1>{heading}</h1><p class='lede'>{below}{lede(summary)}</p>"
        f"<dl class='figures'>{dl}</dl><nav aria-label='Sections'>{links}</nav>"
    )


def _data(summary: dict[str, Any]) -> dict[str, Any]:
    """Return what the page's script needs."""
    drawn = summary["map"]
    drawn_as = {
        "map": charts.map_figure(summary),
        "errors": charts.error_figure(summary),
        "search": charts.search_figure(summary["search"]),
    }
    return {
        "figures": {name: figure for name, figure in drawn_as.items() if figure is not None},
        "objects": {name: drawn[name] for name in ("index", "nearest", "class", "id", "pictures")},
        "classes": summary["classes"],
        "marks": [list(style) for style in class_styles(summary)],
        "prototypes": [_chosen(one, summary["noun"]) for one in summary["prototypes"]],
    }


def _chosen(one: dict[str, Any], noun: str) -> dict[str, Any]:
    """Return what is said of a prototype that is chosen on the page."""
    stands_for = several(one["size"], one_of(noun), noun) if one["size"] else "none"
    return {"id": one["id"], "index": one["index"], "label": one["label"], "stands_for": stands_for}


def _policy(*scripts: str) -> str:
    """Return a policy by which the browser loads nothing, and runs these scripts only."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return f"default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src {hashes}"


def _static(name: str) -> str:
    return (files(__package__) / "static" / name).read_text("utf-8")


_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
<noscript><style>.chart, .controls, .copy, .legend, #theme {{ display: none; }}</style></noscript>
</head>
<body>
<a class="skip" href="#prototypes">Skip to the prototypes</a>
<div class="top"><span class="brand">protopick report</span>
<button type="button" id="theme" aria-label="Switch between light and dark">Dark</button></div>
<header>{header}</header>
<main>{body}</main>
<footer>Made by protopick {version}. This page is one file and loads nothing from the network.</footer>
<div id="tip" role="status" hidden></div>
<script type="application/json" id="data">{data}</script>
<script>{plotly}</script>
<script>{script}</script>
</body>
</html>
"""
