"""What stands in each section of the page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from protopick.report.cards import cards
from protopick.report.charts import classes_shown, error_figure, search_figure, view_ranges
from protopick.report.colors import OTHER, class_styles
from protopick.report.pictures import background
from protopick.report.tables import class_table, confusion_table, results_table, run_facts, worst_pairs
from protopick.report.text import count, from_data, narrow, number, percent, several

_SHOWN_AT_FIRST = 30
_TRUE_MAP = 0.8
_LONGEST_KEY = 28
_ROWS_IN_SIGHT = 12
_HELD = (
    "What is shown where you point at the map, such as names, classes and values, is in this file for each "
    "object on it, not for the prototypes only."
)

Summary = dict[str, Any]


def prototypes(summary: Summary) -> str:
    """Return the gallery."""
    shown = cards(summary, interactive=True)
    kind = summary["prototypes"][0]["picture"]["kind"]
    said = f"{_order(summary)} Choose one to see on the map what it stands for."
    more = ""
    if len(shown) > _SHOWN_AT_FIRST:
        button = (
            f'<button type="button" id="all" data-shown="{_SHOWN_AT_FIRST}">Show all {len(shown)}</button>'
        )
        more = f'<p class="controls">{button}</p>'
    note = f"<p class='note'>{escape(summary['note'])}</p>" if summary["note"] else ""
    return (
        f"<h2>Prototypes</h2><p>{said}</p>{_controls(summary)}{background(summary['background'])}"
        f'<ol class="pp-gallery pp-of-{kind}{" short" if more else ""}" id="gallery">{"".join(shown)}</ol>'
        f"{more}{note}"
    )


def _order(summary: Summary) -> str:
    """Say how the gallery is sorted, with an example that it is large enough for."""
    if not summary["by_worth"]:
        return "In the order in which they were picked."
    if summary["n_prototypes"] < 3:
        return "By their worth."
    some = "five" if summary["n_prototypes"] > 5 else "two"
    return f"By their worth: the first {some} are a good set of {some}, and so on."


def _controls(summary: Summary) -> str:
    """Return what sorts and filters the gallery, where there is something to sort."""
    if summary["n_prototypes"] < 4:
        return ""
    orders = {"worth": "worth" if summary["by_worth"] else "order of picking", "size": "size"}
    orders |= {"purity": "purity"} if summary["is_labelled"] else {}
    options = "".join(f'<option value="{order}">{name}</option>' for order, name in orders.items())
    controls = f'<label>Sort by <select id="sort">{options}</select></label>'
    present = sorted({one["class"] for one in summary["prototypes"] if one["class"] is not None})
    if len(present) > 1:
        names = "".join(
            f'<option value="{c}" dir="auto">{escape(summary["classes"][c][:60])}</option>' for c in present
        )
        every = '<option value="">all</option>'
        controls += f'<label>Class <select id="filter">{every}{names}</select></label>'
    return f'<div class="controls">{controls}</div>'


def data_map(summary: Summary) -> str:
    """Return the place of the map, and its legend."""
    drawn, noun = summary["map"], summary["noun"]
    sample = f"All {noun}"
    if drawn["n_objects"] < summary["n_objects"]:
        sample = f"{count(drawn['n_objects'])} of {count(summary['n_objects'])} {noun}"
    said = (
        f"{sample}; the large marks are the prototypes. Near each other means similar. Point at one to see "
        "it, drag to zoom in, click twice to zoom out."
    )
    return (
        f"<h2>Map</h2><p>{said}</p>{_legend(summary)}"
        f'<div class="mapbox">{_chart("map", "Map of the data")}'
        '<aside id="chosen" aria-live="polite" hidden></aside></div>'
        '<p class="controls"><button type="button" id="whole">Whole map</button></p>'
        f'<p class="note">{_how_drawn(summary)} {_HELD}</p>'
    )


def _how_drawn(summary: Summary) -> str:
    drawn = summary["map"]
    said = f"Landmark multidimensional scaling by {several(drawn['n_landmarks'], 'random object')}. "
    said += f"The two axes show {percent(drawn['share'])} of their spread"
    said += ", so distances on the map are rough." if drawn["share"] < _TRUE_MAP else "."
    if view_ranges(summary)[0] is not None:
        said += " Some objects far from all others are beyond the edges; Whole map shows them too."
    return said


def _legend(summary: Summary) -> str:
    """Return each colour of the map, in the order of its traces: a switch, where it has small marks."""
    if not summary["is_labelled"]:
        return ""
    styles, items = class_styles(summary), []
    for trace, (c, places) in enumerate(classes_shown(summary)):
        style = OTHER if c < 0 else styles[c]
        name = f"{styles.count(OTHER)} other classes" if c < 0 else summary["classes"][c]
        key = f"{style.dot}{narrow(name, _LONGEST_KEY)}"
        whole = f' title="{escape(name)}"' if len(name) > _LONGEST_KEY else ""
        switch = f'<button type="button" class="switch" data-trace="{trace}" aria-pressed="true"{whole}>'
        items.append(f"{switch}{key}</button>" if places else f'<span class="key"{whole}>{key}</span>')
    return f'<div class="legend" role="group" aria-label="Classes on the map">{"".join(items)}</div>'


def classes(summary: Summary) -> str:
    """Return how well each class is covered."""
    if not summary["coverage"]:
        return ""
    said = "Matched is the share of the objects of a class whose nearest prototype is of that class."
    if len(summary["coverage"]["classes"]) > _ROWS_IN_SIGHT:
        said += " <span class='scrolls'>Scroll in the table for the smaller classes.</span>"
    return f"<h2>Classes</h2><p>{said}</p>{class_table(summary)}"


def errors(summary: Summary) -> str:
    """Return the error against the number of prototypes, and the confusions."""
    judged = summary["judged"]
    if judged is None:
        return ""
    if judged["failed"]:
        failed = f"{escape(judged['estimator'])} failed on the sample, so there are no errors to show: "
        return f"<h2>Error</h2><p>{failed}{from_data(judged['failed'], 400)}</p>"
    chart = _chart("errors", "Error against the number of prototypes") if error_figure(summary) else ""
    k = summary["n_prototypes"]
    everything = "the one prototype" if k == 1 else f"all {count(k)} prototypes"
    return (
        f"<h2>Error against the number of prototypes</h2><p>{_how_judged(summary)}</p>{chart}"
        f"<h3>What is taken for what</h3><p>With {everything}, on the same objects.</p>"
        f"<div class='beside'>{confusion_table(summary)}{worst_pairs(summary)}</div>"
    )


def _how_judged(summary: Summary) -> str:
    judged = summary["judged"]
    random = "random " if judged["n_objects"] < summary["n_objects"] else ""
    return (
        f"How often {escape(judged['estimator'])} is wrong when all it knows of an object is how "
        f"different it is from the first prototypes. Cross-validated in {judged['n_folds']} parts on "
        f"{count(judged['n_objects'])} {random}objects; bars are standard errors. The prototypes were picked "
        "from the same objects, so these errors are too low, and by much where objects are few and their "
        "labels led the search. What to expect of new ones, "
        "<code>cross_val_score(make_pipeline(selector, classifier), X, y)</code> tells, or "
        "<code>protopick compare</code>. "
        f"Always answering the largest class would err on {percent(judged['majority_error'])}."
    )


def search(summary: Summary) -> str:
    """Return how the search went."""
    found = summary["search"]
    said = f"<p>Chosen: {escape(found['chosen_by'])} {_own_errors(summary)}</p>" if found["chosen_by"] else ""
    if search_figure(found):
        said += f"<p>{_progress(found)}</p>{_chart('search', 'The search step by step', 'low')}"
    elif not found["chosen_by"]:
        said += "<p>This method picks in one go: there are no steps to show.</p>"
    if found["results"]:
        said += results_table(summary)
    return f"<h2>How the search went</h2>{said}"


def _own_errors(summary: Summary) -> str:
    """Say why the errors of the table are not the one at the head of the page."""
    if summary["judged"] is None or summary["judged"]["failed"]:
        return ""
    return (
        "By such errors, on the same objects, all sets of this section were compared; the error at the head "
        "of the page is that of the chosen set, cross-validated afterwards."
    )


def _progress(found: dict[str, Any]) -> str:
    measure, value = escape(found["measure"]), number(found["value"])
    if found["results"]:
        return f"The best {measure} after each search, numbered as in the table. The chosen set has {value}."
    return f"{measure.capitalize()}, after each step. It reached {value}."


def run(summary: Summary) -> str:
    """Return what was run, and how to run it again."""
    facts = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in run_facts(summary))
    indices = ", ".join(map(str, summary["run"]["indices"]))
    blocks = _copied("In Python", summary["code"], "code")
    if summary["run"]["command"]:
        blocks += _copied("On the command line", summary["run"]["command"], "command")
    blocks += _copied("Positions of the prototypes in the data, counted from 0", indices, "indices")
    return f"<h2>What was run, and how to repeat it</h2><dl class='facts'>{facts}</dl>{blocks}"


def _copied(title: str, text: str, key: str) -> str:
    return (
        f"<div class='copied'><div class='bar'><h3>{title}</h3><button type='button' class='copy' "
        f"data-copies='{key}'>Copy</button></div><pre id='{key}' tabindex='0'>{escape(text)}</pre></div>"
    )


def _chart(name: str, label: str, size: str = "") -> str:
    return (
        f'<div class="chart {size}" id="chart-{name}" role="img" aria-label="{label}"></div>'
        f"<noscript><p class='note'>{label}: shown where JavaScript is switched on.</p></noscript>"
    )


SECTIONS: dict[str, tuple[str, Callable[[Summary], str]]] = {
    "prototypes": ("Prototypes", prototypes),
    "map": ("Map", data_map),
    "classes": ("Classes", classes),
    "errors": ("Error", errors),
    "search": ("Search", search),
    "run": ("Repeat it", run),
}
"""In the order of the page, with what links say. An empty section is left out."""
