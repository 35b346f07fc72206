"""How many objects each prototype stands for, and how many of them are of its class."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.report.fitted import Fitted, Reading, read


def neighborhoods(selector: Fitted, X: Any, y: Any = None) -> list[dict[str, Any]]:
    """Tell how many objects each prototype stands for, the worthiest prototype first.

    Each object belongs to its nearest prototype; of two at the same dissimilarity, to the one that was
    picked first. One pass over the objects, whatever their number.

    Parameters
    ----------
    selector : fitted selector
        Any of the library.
    X : objects
        Those that it was fitted to.
    y : array of n labels, optional
        The class of each object.

    Returns
    -------
    list of dict
        ``rank`` from 1 on, ``index`` in X, ``label`` (None where none is known), ``size`` (how many
        objects, with the prototype itself) and ``purity`` (the share of them that have its label; None
        without ``y``).

    Examples
    --------
    >>> from protopick import KCentersSelector
    >>> from protopick.report import neighborhoods
    >>> X, y = [[0.0], [0.1], [0.2], [9.0]], ["a", "a", "b", "b"]
    >>> selector = KCentersSelector(2, random_state=0).fit(X, y)
    >>> for found in neighborhoods(selector, X, y):
    ...     print(found["label"], found["size"], round(found["purity"], 2))
    a 3 0.67
    b 1 1.0
    """
    reading = read(selector, X, y)
    return around(reading, reading.nearest(reading.columns()))


def around(reading: Reading, nearest: np.ndarray) -> list[dict[str, Any]]:
    """Return the neighbourhoods, given the rank of each object's nearest prototype."""
    sizes = np.bincount(nearest, minlength=reading.k)
    matches = None
    if reading.codes is not None:
        matches = np.bincount(nearest[matched(reading, nearest)], minlength=reading.k)
    found = []
    for rank, (index, size) in enumerate(zip(reading.prototypes.tolist(), sizes.tolist(), strict=True)):
        purity = float(matches[rank] / size) if matches is not None and size else None
        label = reading.label(rank)
        found.append({"rank": rank + 1, "index": index, "label": label, "size": size, "purity": purity})
    return found


def matched(reading: Reading, nearest: np.ndarray) -> np.ndarray:
    """Say of each object whether it has the label of its nearest prototype."""
    assert reading.prototype_codes is not None
    return reading.codes == reading.prototype_codes[nearest]


def coverage(reading: Reading, nearest: np.ndarray) -> dict[str, Any] | None:
    """Return how well each class is covered, the largest first; None without labels."""
    if reading.codes is None or reading.prototype_codes is None:
        return None
    n_classes, hits = len(reading.classes), matched(reading, nearest)
    objects = np.bincount(reading.codes, minlength=n_classes)
    prototypes = np.bincount(reading.prototype_codes, minlength=n_classes)
    matches = np.bincount(reading.codes[hits], minlength=n_classes)
    rows = [
        {
            "class": c,
            "objects": int(objects[c]),
            "prototypes": int(prototypes[c]),
            "matched": float(matches[c] / objects[c]),
        }
        for c in np.argsort(-objects, kind="stable").tolist()
    ]
    return {
        "matched": float(hits.mean()),
        "n_without_prototype": int((prototypes == 0).sum()),
        "classes": rows,
    }
