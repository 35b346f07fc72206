"""Tables of metrics, criteria and methods, from the registries that the library itself goes by."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict

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
    """Return a section for each kind of objects, with its metrics, their parameters and what they are."""
    kinds = defaultdict(lambda: defaultdict(list))  # what they take -> class -> names
    for name, kind in METRICS.items():
        kinds[kind.takes][kind].append(name)
    lines = []
    for takes, of_kind in kinds.items():
        lines += [f"## {_TAKES[takes]}", ""]
        for kind, names in of_kind.items():
            lines += [
                f"{', '.join(_with_parameters(name) for name in names)}",
                f": {_one_paragraph(kind)}",
                "",
            ]
    return "\n".join(lines)


def criteria() -> str:
    """Return a table of the criteria."""
    rows = [
        (f'`"{c.name}"`', "yes" if c.needs_labels else "no", _one_paragraph(type(c)))
        for c in CRITERIA.values()
    ]
    return _table(("criterion", "labels", "what it is; greater is better"), rows)


def methods() -> str:
    """Return a table of the methods of `pick`."""
    rows = [(f'`"{name}"`', f"{{py:obj}}`{m.__name__}`", _first_line(m)) for name, m in METHODS.items()]
    return _table(("method", "selector", "what it does"), rows)


def _with_parameters(name: str) -> str:
    """Return a name with its parameters, which the metric itself tells when it is passed a wrong one."""
    try:
        resolve(name, {"?": None})
    except ValueError as error:
        taken = re.search(r"takes ('.*')\. Remove", str(error))
    found = taken[1].replace("'", "`") if taken else ""
    return f'`"{name}"` ({found})' if found else f'`"{name}"`'


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
