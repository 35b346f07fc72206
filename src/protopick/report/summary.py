"""Everything that the report says, as plain values."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np

from protopick.report.code import python_code, written_params
from protopick.report.data_map import data_map
from protopick.report.fitted import Fitted, Reading, plain, read
from protopick.report.judged import judged
from protopick.report.neighborhoods import around, coverage
from protopick.report.text import metric_name
from protopick.report.views import View, view_of
from protopick.warned import once

_MOST_STEPS = 400


@once()
def summarise(
    selector: Fitted,
    X: Any,
    y: Any = None,
    *,
    ids: Any = None,
    names: Any = None,
    image_shape: Any = None,
    classifier: Any = None,
    title: str | None = None,
    command: str | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Find out all that the report says of a fitted selector.

    Parameters
    ----------
    selector : fitted selector
        Any of the library.
    X : objects
        Those that it was fitted to.
    y : array of n labels, optional
        The class of each object.
    ids : sequence of n names, optional
        What the objects are called.
    names : sequence of str or int, optional
        What the columns of X are called, where X does not tell.
    image_shape : tuple, optional
        ``(height, width)``, or ``(height, width, 3)`` in colour, where each row of X is an image.
    classifier : classifier, optional
        Whose errors are told, with labels. By default that of the selector where it has one, else `ldc`.
    title : str, optional
        The heading.
    command : str, optional
        The shell command that did it.
    seconds : float, optional
        How long picking took.

    Returns
    -------
    dict
        Lists, strings and numbers only: ``json.dumps`` takes it. `page` makes the report out of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from protopick import SwapSelector
    >>> from protopick.report import summarise
    >>> X, y = load_iris(return_X_y=True)
    >>> found = summarise(SwapSelector(3, random_state=0).fit(X, y), X, y)
    >>> found["n_objects"], [prototype["label"] for prototype in found["prototypes"]]
    (150, ['2', '0', '1'])
    >>> round(found["coverage"]["matched"], 2)
    0.98
    """
    reading = read(selector, X, y, ids)
    names = getattr(selector, "feature_names_in_", None) if names is None else names
    view = view_of(
        X, reading.objects, reading.dissimilarity, reading.prototypes, image_shape=image_shape, names=names
    )
    columns = reading.columns()
    nearest = reading.nearest(columns)
    # The report is the same each time. How fine the map is depends on the machine, the errors may not.
    of_map, of_errors = np.random.default_rng(0).spawn(2)
    shown, drawn = data_map(reading, columns, of_map)
    return {
        "title": title,
        "noun": view.noun,
        "n_objects": reading.n,
        "n_prototypes": reading.k,
        "classes": [str(label) for label in reading.classes],
        "is_labelled": reading.codes is not None,
        "by_worth": getattr(selector, "sorts_by_worth", False),
        "prototypes": _prototypes(reading, view, around(reading, nearest)),
        "note": view.note,
        "background": view.background,
        "map": drawn | _objects(reading, view, shown, nearest),
        "coverage": coverage(reading, nearest),
        "judged": judged(reading, columns, of_errors, classifier),
        "search": _search(selector),
        "run": _run(selector, reading, command, seconds),
        "code": python_code(
            selector, image_shape=image_shape, has_ids=ids is not None, has_labels=y is not None
        ),
    }


def _prototypes(reading: Reading, view: View, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the neighbourhoods with the class, the name and the picture of each prototype."""
    codes = [None] * reading.k if reading.prototype_codes is None else reading.prototype_codes.tolist()
    cards = view.cards(reading.prototypes)
    return [
        one
        | {
            "label": None if code is None else str(reading.classes[code]),
            "class": code,
            "id": reading.id(one["index"]),
            "share": one["size"] / reading.n,
            "picture": card,
        }
        for one, code, card in zip(found, codes, cards, strict=True)
    ]


def _objects(reading: Reading, view: View, shown: np.ndarray, nearest: np.ndarray) -> dict[str, Any]:
    """Return what is told of the objects on the map."""
    return {
        "index": shown.tolist(),
        "nearest": nearest[shown].tolist(),
        "class": None if reading.codes is None else reading.codes[shown].tolist(),
        "id": None if reading.ids is None else [reading.id(i) for i in shown.tolist()],
        "pictures": view.small(shown),
    }


def _search(selector: Any) -> dict[str, Any]:
    """Return how the search went."""
    history = [plain(value) for value in getattr(selector, "history_", [])]
    steps = np.unique(np.linspace(0, len(history) - 1, min(len(history), _MOST_STEPS)).astype(int)).tolist()
    value = getattr(selector, "criterion_value_", None)
    results = getattr(selector, "results_", None)
    curve = getattr(selector, "curve_", None)
    return {
        "steps": [step + 1 for step in steps],
        "values": [_finite(history[step]) for step in steps],
        "value": None if value is None else _finite(value),
        "n_steps": len(history),
        "measure": _measure(selector),
        "chosen_by": getattr(selector, "chosen_by_", None),
        "best_method": getattr(selector, "best_method_", None),
        "results": None if results is None else _lists(results),
        "kept": None if results is None else _kept(selector),
        "curve": None if curve is None else _lists(curve),
    }


def _kept(selector: Any) -> int:
    """Return the place of the kept set among the results."""
    results = {name: np.asarray(values) for name, values in selector.results_.items()}
    is_like_it = results["method"] == selector.best_method_
    is_like_it &= results["n_prototypes"] == len(selector.prototype_indices_)
    like_it = np.flatnonzero(is_like_it)
    return int(like_it[results["error"][like_it].argmin()])  # of several starts the best, of equals the first


def _measure(selector: Any) -> str:
    """Say what the values of the search are."""
    if hasattr(selector, "results_"):
        labelled = hasattr(selector, "prototype_labels_")
        return "accuracy on objects not trained on" if labelled else "correlation of dissimilarities"
    criterion = selector.get_params(deep=False).get("criterion")
    if criterion == "auto":
        criterion = "label-match" if hasattr(selector, "prototype_labels_") else "coverage"
    return criterion or getattr(selector, "maximises", "criterion")


def _run(selector: Fitted, reading: Reading, command: str | None, seconds: float | None) -> dict[str, Any]:
    params = selector.get_params(deep=False)
    seed = params.get("random_state")
    return {
        "selector": type(selector).__name__,
        "metric": metric_name(params["metric"]),
        "params": written_params(selector),
        "seed": seed if isinstance(seed, int) else None,
        "n_dissimilarities": int(selector.n_dissimilarities_),
        "seconds": None if seconds is None else float(seconds),
        "command": command,
        "versions": {
            "protopick": version("protopick"),
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "scikit-learn": version("scikit-learn"),
        },
        "indices": reading.prototypes.tolist(),
    }


def _lists(table: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: [_finite(value) for value in np.asarray(values).tolist()] for name, values in table.items()}


def _finite(value: Any) -> Any:
    """Return what JSON cannot write, NaN and infinity, as None."""
    value = plain(value)
    return None if isinstance(value, float) and not np.isfinite(value) else value
