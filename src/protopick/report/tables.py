"""The tables of the page."""

from __future__ import annotations

from html import escape
from typing import Any

from protopick.report.colors import Style, class_styles
from protopick.report.text import count, decimals, duration, from_code, from_data, narrow, percent

_MOST_CLASSES = 200
_MOST_CONFUSED = 12
_WORST_PAIRS = 8
_NARROW = 11


def class_table(summary: dict[str, Any]) -> str:
    """Return objects, prototypes and matches of each class, the largest class first."""
    styles, rows = class_styles(summary), summary["coverage"]["classes"]
    body = "".join(_class_row(summary, row, styles) for row in rows[:_MOST_CLASSES])
    cut = ""
    if len(rows) > _MOST_CLASSES:
        cut = f"<p class='note'>The {_MOST_CLASSES} largest of {count(len(rows))} classes.</p>"
    head = (
        "<th>class</th><th class='n'>objects</th><th class='n wide'>share</th><th class='n'>prototypes</th>"
    )
    head += "<th>matched</th>"
    return _scrolled("Classes", "data", head, body, "tall") + cut


def _class_row(summary: dict[str, Any], row: dict[str, Any], styles: list[Style]) -> str:
    alarm = "" if row["prototypes"] else " warn"
    matched = f"<span class='pp-bar'><span style='width:{100 * row['matched']:.1f}%'></span></span>"
    cells = [
        f"<th scope='row'>{styles[row['class']].dot}{from_data(summary['classes'][row['class']])}</th>",
        f"<td class='n'>{count(row['objects'])}</td>",
        f"<td class='n wide'>{percent(row['objects'] / summary['n_objects'])}</td>",
        f"<td class='n{alarm}'>{count(row['prototypes'])}</td>",
        f"<td><span class='meter'>{matched}{percent(row['matched'])}</span></td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def confusion_table(summary: dict[str, Any]) -> str:
    """Return how often each class was taken for each other; small classes share a row and a column."""
    classes = [row["class"] for row in summary["coverage"]["classes"]]
    kept = sorted(classes if len(classes) <= _MOST_CONFUSED + 1 else classes[:_MOST_CONFUSED])
    place = {c: i for i, c in enumerate(kept)}
    side = len(kept) + (len(kept) < len(classes))
    counts = [[0] * side for _ in range(side)]
    for true, predicted, n in summary["judged"]["confusion"]:
        counts[place.get(true, side - 1)][place.get(predicted, side - 1)] += n
    others = ["others"] if side > len(kept) else []
    names = [summary["classes"][c] for c in kept]
    columns = [narrow(name, _NARROW) for name in names] + others
    head = "".join(f"<th scope='col'>{name}</th>" for name in columns)
    body = "".join(
        f"<tr><th scope='row'>{name}</th>{_shaded(row, i)}</tr>"
        for i, (name, row) in enumerate(
            zip([narrow(n, 2 * _NARROW) for n in names] + others, counts, strict=True)
        )
    )
    corner = "<td class='corner'>class ↓ taken for →</td>"
    return _scrolled("Confusion matrix", "confusion", corner + head, body)


def _shaded(row: list[int], own: int) -> str:
    total = sum(row) or 1
    cells = []
    for i, n in enumerate(row):
        kind = "right" if i == own else "wrong"
        shade = f' style="--share:{100 * n / total:.0f}%"' if n else ""
        cells.append(f"<td class='{kind if n else 'none'}'{shade}>{count(n) if n else '·'}</td>")
    return "".join(cells)


def worst_pairs(summary: dict[str, Any]) -> str:
    """Return the confusions that are most frequent."""
    wrong = sorted((t for t in summary["judged"]["confusion"] if t[0] != t[1]), key=lambda t: -t[2])
    if not wrong:
        return "<p class='note'>No object of the sample was taken for another class.</p>"
    classes = summary["classes"]
    said = "".join(
        f"<li>{from_data(classes[true])} for {from_data(classes[predicted])}: {count(n)}</li>"
        for true, predicted, n in wrong[:_WORST_PAIRS]
    )
    return f"<div><h3>Most often mistaken</h3><ul class='pairs'>{said}</ul></div>"


def results_table(summary: dict[str, Any]) -> str:
    """Return what each search of a contest reached, the lowest error first, numbered as they were run."""
    results, kept = summary["search"]["results"], summary["search"]["kept"]
    rows = [dict(zip(results, values, strict=True)) for values in zip(*results.values(), strict=True)]
    ranking = sorted(range(len(rows)), key=lambda i: (rows[i]["error"] is None, rows[i]["error"], i))
    head = "<th>search</th><th class='n'>no.</th><th class='n'>prototypes</th><th class='n'>start</th>"
    head += "<th class='n'>error</th><th class='n'>± standard error</th><th class='n'>dissimilarities</th>"
    head += "<th class='n'>time</th>"
    body = "".join(_result_row(rows[i], i, i == kept) for i in ranking)
    return _scrolled("Searches", "data searches", head, body)


def _result_row(row: dict[str, Any], place: int, is_kept: bool) -> str:
    chosen = " class='chosen'" if is_kept else ""
    cells = [
        count(place + 1),
        count(row["n_prototypes"]),
        count(row["start"] + 1),
        decimals(row["error"]),
        decimals(row["std_error"]),
        count(row["n_dissimilarities"]),
        duration(row["seconds"]),
    ]
    numbers = "".join(f"<td class='n'>{cell}</td>" for cell in cells)
    return f"<tr{chosen}><th scope='row'>{escape(row['method'])}</th>{numbers}</tr>"


def run_facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was run as pairs of a name and HTML."""
    run = summary["run"]
    settings = ", ".join(f"{name}={value}" for name, value in run["params"].items())
    seed = "none was set, so another run may pick others" if run["seed"] is None else str(run["seed"])
    facts = [
        ("Method", escape(run["selector"])),
        ("Dissimilarity", from_code(run["metric"], 200)),
        ("Parameters that are not the defaults", from_code(settings, 2000) if settings else "none"),
        ("Seed", seed),
        (f"{summary['noun'].capitalize()}", count(summary["n_objects"])),
        ("Dissimilarities computed", count(run["n_dissimilarities"])),
        ("Time to pick", "" if run["seconds"] is None else duration(run["seconds"])),
        ("Versions", escape(", ".join(f"{name} {value}" for name, value in run["versions"].items()))),
    ]
    return [fact for fact in facts if fact[1]]


def _scrolled(label: str, kind: str, head: str, body: str, height: str = "") -> str:
    """Return a table that scrolls by itself where it is wider than the page."""
    return (
        f'<div class="scroll {height}" tabindex="0" role="region" aria-label="{label}"><table class="{kind}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
