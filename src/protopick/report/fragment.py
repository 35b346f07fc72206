"""A fitted selector in a notebook: its prototypes and a few figures, without scripts."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from protopick.report.cards import cards
from protopick.report.fitted import Fitted, plain
from protopick.report.pictures import background
from protopick.report.text import count, from_code, metric_name, number, several
from protopick.report.views import view_of

_MOST_CARDS = 40


def fragment(selector: Fitted) -> str:
    """Return a gallery of the prototypes and key figures as HTML that a notebook shows.

    Parameters
    ----------
    selector : fitted selector
        What it keeps is enough: its prototypes and their labels.

    Examples
    --------
    >>> from protopick import FarthestFirstSelector
    >>> selector = FarthestFirstSelector(2, random_state=0).fit([[0.0], [1.0], [5.0]], ["a", "a", "<b>"])
    >>> "&lt;b&gt;" in fragment(selector)
    True
    """
    summary = _summary(selector)
    shown = cards(summary, interactive=False)
    kind = summary["prototypes"][0]["picture"]["kind"]
    left_off = len(shown) - _MOST_CARDS
    more = f"<p>and {count(left_off)} more</p>" if left_off > 0 else ""
    note = f"<p>{escape(summary['note'])}</p>" if summary["note"] else ""
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(selector))
    style = (files(__package__) / "static" / "cards.css").read_text("utf-8")
    return (
        f'<div class="protopick-selector"><style>{style}</style>'
        f"<h4>{escape(type(selector).__name__)}: {several(len(shown), 'prototype')}</h4>"
        f"<dl>{facts}</dl>{background(summary['background'])}"
        f'<ol class="pp-gallery pp-of-{kind}">{"".join(shown[:_MOST_CARDS])}</ol>{more}{note}</div>'
    )


def _summary(selector: Any) -> dict[str, Any]:
    """Return of a summary what cards need."""
    order = np.asarray(selector.order_)
    dissimilarity, X = selector._dissimilarity, selector.prototypes_
    objects = X if dissimilarity.takes == "matrix" else selector._read(X)
    names = getattr(selector, "feature_names_in_", None)
    view = view_of(X, objects, dissimilarity, order, names=names)
    classes: list[str] = []
    labels: list[str | None] = [None] * len(order)
    if hasattr(selector, "prototype_labels_"):
        labels = [str(plain(label)) for label in np.asarray(selector.prototype_labels_)[order].tolist()]
        classes = sorted({label for label in labels if label is not None})
    indices = np.asarray(selector.prototype_indices_)[order].tolist()
    pictures = view.cards(order)
    prototypes = [
        {
            "rank": rank + 1,
            "index": index,
            "id": None,
            "label": label,
            "class": None if label is None else classes.index(label),
            "picture": shown,
        }
        for rank, (index, label, shown) in enumerate(zip(indices, labels, pictures, strict=True))
    ]
    return {
        "classes": classes,
        "coverage": None,
        "prototypes": prototypes,
        "background": view.background,
        "note": view.note,
    }


def _facts(selector: Any) -> list[tuple[str, str]]:
    """Return key figures as pairs of a name and HTML."""
    facts = [("metric", from_code(metric_name(selector.get_params(deep=False)["metric"])))]
    value = getattr(selector, "criterion_value_", None)
    facts += [("value reached", number(value))] if value is not None else []
    facts.append(("dissimilarities", count(int(selector.n_dissimilarities_))))
    if hasattr(selector, "chosen_by_"):
        facts.append(("chosen", escape(selector.chosen_by_)))
    return facts
