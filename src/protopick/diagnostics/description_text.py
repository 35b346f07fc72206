"""A description in words and figures: the rows that the text and the notebook table share."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from protopick.diagnostics.advice import percent

if TYPE_CHECKING:
    from protopick.diagnostics.description import Description

_WIDTH = 100


class Section(NamedTuple):
    """Some figures that belong together, each a name and a value in words."""

    title: str
    rows: list[tuple[str, str]]


def headline(d: Description) -> str:
    """Say what was looked at."""
    if d.n_sample < d.n_objects:
        sample = f"a random sample of {d.n_sample:,} out of {d.n_objects:,} objects"
    else:
        sample = "1 object" if d.n_objects == 1 else f"all {d.n_objects:,} objects"
    return f"Dissimilarity {d.metric!r} on {sample}"


def sections(d: Description) -> list[Section]:
    """Return all figures in words."""
    found = [
        Section("Values", _values(d)),
        Section("Geometry", _geometry(d)),
        Section("Classes", _classes(d)),
        Section("Cost", _cost(d)),
    ]
    return [section for section in found if section.rows]


def text_of(d: Description, say: Callable[[str], str] = str) -> str:
    """Return a description as aligned text, its advice as ``say`` puts it."""
    parts = sections(d)
    width = max(len(name) for part in parts for name, _ in part.rows)
    lines = [headline(d), ""]
    for part in parts:
        lines.append(part.title)
        lines += [f"  {name:<{width}}  {value}" for name, value in part.rows]
    lines += ["", "What this means"]
    for sentence in d.advice:
        lines += textwrap.wrap(say(sentence), _WIDTH, initial_indent="  - ", subsequent_indent="    ")
    return "\n".join(lines)


def _values(d: Description) -> list[tuple[str, str]]:
    rows = [("negative", _count(d, d.n_negative)), ("missing or infinite", _count(d, d.n_missing))]
    if d.zero_diagonal is None:
        return rows
    return [
        *rows,
        ("d(a, a) is 0", "yes" if d.zero_diagonal else f"no, up to {d.largest_self:.4g}"),
        ("symmetric", "yes" if d.symmetric else _asymmetry(d)),
        ("duplicates", f"{d.n_duplicates:,} of {d.n_sample:,} objects" if d.n_duplicates else "none"),
    ]


def _geometry(d: Description) -> list[tuple[str, str]]:
    if d.negative_eigenfraction is None:
        return []
    return [
        ("triangle inequality", _triangles(d)),
        ("negative eigenfraction", f"{d.negative_eigenfraction:.3f}"),
        ("intrinsic dimension", _dimensions(d)),
        ("hubness", _hubness(d)),
    ]


def _classes(d: Description) -> list[tuple[str, str]]:
    if d.n_classes is None:
        return []
    rows = [("classes", f"{d.n_classes:,}")]
    if d.nearest_neighbor_error is not None:
        rows.append(("1-NN error, leave one out", percent(d.nearest_neighbor_error)))
        rows.append(("error of the largest class", percent(d.majority_error)))
    if d.silhouette is not None:
        rows.append(("mean silhouette of the classes", f"{d.silhouette:.3f} (from -1 to 1)"))
    return rows


def _cost(d: Description) -> list[tuple[str, str]]:
    return [
        ("dissimilarities computed", f"{d.n_dissimilarities:,}"),
        ("one dissimilarity", f"about {_short_time(d.seconds_each)}"),
    ]


def _asymmetry(d: Description) -> str:
    mean, most = percent(d.relative_asymmetry), f"{d.largest_asymmetry:.4g}"
    return f"no, off by {mean} on average; the largest difference is {most}"


def _triangles(d: Description) -> str:
    if d.triangle_violations is None:
        return "unknown, fewer than 3 objects"
    tried = f"{d.n_triples:,} triples"
    if not d.triangle_violations:
        return f"holds in all of {tried}"
    return (
        f"fails in {percent(d.triangle_violations)} of {tried}, by {percent(d.triangle_excess)} on average, "
        f"at most by {percent(d.largest_triangle_excess)}"
    )


def _count(d: Description, number: int) -> str:
    return f"{number:,} of {d.n_sample**2:,}" if number else "none"


def _dimensions(d: Description) -> str:
    pair = (d.levina_bickel_dimension, "Levina-Bickel"), (d.two_nn_dimension, "TwoNN")
    told = [f"{value:.1f} ({name})" for value, name in pair if value is not None]
    return ", ".join(told) or "unknown, fewer than 3 objects differ"


def _hubness(d: Description) -> str:
    if d.hubness is None:
        return "unknown, 10 objects or fewer"
    return f"{d.hubness:z.1f} (skewness of the 10-occurrence)"


def _short_time(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds / 1e-9)} ns"


def _two_digits(value: float) -> str:
    return f"{value:.2g}" if value < 99.5 else f"{value:.0f}"
