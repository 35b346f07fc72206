"""Table 3: errors with 20 prototypes on the medium data sets."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.markdown import table
from benchmarks.paper.methods import METHODS
from benchmarks.paper.published import PUBLISHED
from benchmarks.paper.results import Results, error
from benchmarks.paper.tables import NOTE, both, marked
from benchmarks.space import CLASSIFIERS

_K = 20


def section(results: Results) -> Iterator[str]:
    """Yield the paper's table beside ours, then ours for all classifiers."""
    published = PUBLISHED["medium"]
    at_hand = results.sets("medium")
    repeats = ", ".join(f"{name} {results.n_repeats(name)}" for name in at_hand)
    yield f"The paper's {published['table']}, mean ± standard deviation. {NOTE} Repeats here: {repeats}."
    yield _beside(results, published)
    missing = [name for name in published["classifiers"] if name not in at_hand]
    if missing:
        yield f"Not run here: {', '.join(missing)}."
    yield "Ours for all three classifiers, mean ± standard deviation, lowest bold:"
    yield _all_classifiers(results, at_hand)


def _beside(results: Results, published: dict) -> str:
    classifiers, errors = published["classifiers"], published["errors"]
    lowest = {name: min(row[name][0] for row in errors.values()) for name in classifiers}
    best = {name: _lowest(results, name, classifiers[name]) for name in results.sets("medium")}
    rows = []
    for method in METHODS:
        row = [method]
        for name, classifier in classifiers.items():
            ours = results.values(name, _K, method, error(classifier))
            mean, spread = errors[method][name] if method in errors else (None, None)
            row.append(
                both(
                    marked(_spread(ours), ours.mean() == best[name]) if len(ours) else "",
                    "" if mean is None else marked(f"{mean:.3f} ± {spread:g}", mean == lowest[name]),
                )
            )
        rows.append(row)
    return table(["method", *(f"{name} ({c})" for name, c in classifiers.items())], rows)


def _all_classifiers(results: Results, sets: list[str]) -> str:
    columns = [(name, classifier) for name in sets for classifier in CLASSIFIERS]
    best = {column: _lowest(results, *column) for column in columns}
    rows = []
    for method in METHODS:
        row = [method]
        for column in columns:
            errors = results.values(column[0], _K, method, error(column[1]))
            row.append(marked(_spread(errors), errors.mean() == best[column]) if len(errors) else "")
        rows.append(row)
    return table(["method", *(f"{name} ({c})" for name, c in columns)], rows)


def _lowest(results: Results, set_name: str, classifier: str) -> float:
    found = [results.values(set_name, _K, method, error(classifier)) for method in METHODS]
    return min(float(errors.mean()) for errors in found if len(errors))


def _spread(errors) -> str:
    return f"{errors.mean():.3f} ± {errors.std(ddof=1) if len(errors) > 1 else 0:.3f}"
