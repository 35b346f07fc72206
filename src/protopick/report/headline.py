"""What was found, in a phrase, in some sentences and in figures."""

from __future__ import annotations

from html import escape
from typing import Any

from protopick.report.text import count, duration, from_code, one_of, percent, several

Summary = dict[str, Any]


def headline(summary: Summary) -> str:
    """Return what was found in one phrase."""
    n, k, noun = summary["n_objects"], summary["n_prototypes"], summary["noun"]
    if n == k == 1:
        return "One object stands for itself"
    if n == k:
        return f"All {count(n)} {noun} stand for themselves"
    return f"{count(k)} of {count(n)} {noun} {'stands' if k == 1 else 'stand'} for all"


def lede(summary: Summary) -> str:
    """Return in some sentences how the prototypes were picked and how well they do."""
    run = summary["run"]
    said = f"Picked by {escape(run['selector'])}, with the dissimilarity {from_code(run['metric'])}. "
    if summary["coverage"]:
        return said + _matched(summary) + _judged(summary)
    largest = max(summary["prototypes"], key=lambda one: one["size"])
    return said + (
        f"The largest neighbourhood is that of prototype {largest['rank']}: it has "
        f"{percent(largest['share'])} of the {summary['noun']}."
    )


def _matched(summary: Summary) -> str:
    found = summary["coverage"]
    said = f"{percent(found['matched'])} of the {summary['noun']} have the class of their nearest prototype"
    none = found["n_without_prototype"]
    return said + (f"; {several(none, 'class has', 'classes have')} no prototype. " if none else ". ")


def _judged(summary: Summary) -> str:
    judged = summary["judged"]
    if not judged or judged["failed"]:
        return ""
    known = several(summary["n_prototypes"], "dissimilarity", "dissimilarities")
    wrong = percent(judged["error"]) if judged["error"] else "none"
    picked = "The prototype was" if summary["n_prototypes"] == 1 else "The prototypes were"
    return (
        f"Told from {known} each, {escape(judged['estimator'])} takes {wrong} of them for another class "
        f"when cross-validated. {picked} picked from these very {summary['noun']}, so on new ones it errs "
        "more."
    )


def figures(summary: Summary) -> list[tuple[str, str]]:
    """Return the key figures as pairs of what they count and HTML."""
    n, noun = summary["n_objects"], summary["noun"]
    found = [
        ("prototype" if summary["n_prototypes"] == 1 else "prototypes", count(summary["n_prototypes"])),
        (one_of(noun) if n == 1 else noun, count(n)),
    ]
    if summary["is_labelled"]:
        n_classes = len(summary["classes"])
        found.append(("class" if n_classes == 1 else "classes", count(n_classes)))
        found.append(("with the class of their nearest prototype", percent(summary["coverage"]["matched"])))
    judged = summary["judged"]
    if judged and not judged["failed"]:
        what = f"error of {escape(judged['estimator'])}, cross-validated after picking"
        found.append((what, percent(judged["error"])))
    found.append(("dissimilarities computed", _large(summary["run"]["n_dissimilarities"])))
    if summary["run"]["seconds"] is not None:
        found.append(("to pick", duration(summary["run"]["seconds"])))
    return found


def _large(n: int) -> str:
    for size, name in ((10**9, "billion"), (10**6, "million")):
        if n >= size:
            return f"{n / size:.3g} {name}"
    return count(n)
