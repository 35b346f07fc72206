"""Tables of metrics, criteria and methods, from the registries that the library itself goes by."""

from __future__ import annotations

import inspect
import re

from protopick.criteria import CRITERIA
from protopick.dissimilarity import METRICS, resolve
from protopick.selectors import METHODS

_TAKES = {
    "vectors": "Rows of numbers",
    "vectors or sets": "Rows of zeros and others, or Python sets",
    "strings": "Strings",
    "series": "Series and streamlines",
    "table": "Mixed tables",
    "matrix": "Dissimilarities that you have",
}


def metrics() -> str:
    """Return a section for each kind of objects: a table of its metrics, then what is good to know."""
    assert {kind.takes for kind in METRICS.values()} <= set(_TAKES), "a kind of objects has no title"
    sections = []
    for takes, title in _TAKES.items():
        kinds = [kind for kind in dict.fromkeys(METRICS.values()) if kind.takes == takes]
        rows = [_metric_row(name, line) for kind in kinds for name, line in kind.names.items()]
        table = _table(("metric", "`metric_params`", "what it is"), rows)
        details = "\n".join(
            f"- {', '.join(map(_quoted, kind.names))}: {_one_paragraph(kind)}" for kind in kinds
        )
        sections.append(f"## {title}\n\n{table}\n{details}\n")
    return "\n".join(sections)


def criteria() -> str:
    """Return a table of the criteria."""
    rows = [
        (f'`"{c.name}"`', "yes" if c.needs_labels else "no", _one_paragraph(type(c)))
        for c in CRITERIA.values()
    ]
    return _table(("criterion", "labels", "what it is; greater is better"), rows)


def methods() -> str:
    """Return a table of the methods of `pick`."""
    rows = [
        (_quoted(name), f"[`{m.__name__}`](#protopick.{m.__name__})", _first_line(m))
        for name, m in METHODS.items()
    ]
    return _table(("method", "selector", "what it does"), rows)


def _metric_row(name: str, line: str) -> tuple[str, str, str]:
    parameters = _parameters(name)
    in_brackets = re.search(r" \(([\w, ]+)\)$", line)
    if in_brackets and set(in_brackets[1].split(", ")) <= set(parameters):
        line = line[: in_brackets.start()]  # they have a column of their own
    return _quoted(name), ", ".join(f"`{p}`" for p in parameters), line


def _parameters(name: str) -> list[str]:
    """Return the parameters of a metric, which it tells when it is passed a wrong one."""
    try:
        resolve(name, {"?": None})
    except ValueError as error:
        taken = re.search(r" takes ('.*')\. Remove", str(error))
    return re.findall(r"'(\w+)'", taken[1]) if taken else []


def _quoted(name: str) -> str:
    return f'`"{name}"`'


def _first_line(described: type) -> str:
    return (inspect.getdoc(described) or "").split("\n", 1)[0]


def _one_paragraph(described: type) -> str:
    """Return a docstring as one paragraph of Markdown, without its notes, which are for developers."""
    text = " ".join((inspect.getdoc(described) or "").split("\nNotes\n")[0].split())
    text = re.sub(r"(?<!`)`(?!`)(\w+)`", r"``\1``", text)  # a name that has no page
    return text.replace("|", r"\|") if "``|" not in text else text


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
