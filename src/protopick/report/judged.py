"""How well a classifier tells the classes from the dissimilarities to the first j prototypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from protopick.classifiers import ldc, name_of, qdc
from protopick.engine import Columns
from protopick.report.fitted import Fitted, Reading

_MOST_OBJECTS = 2000
_MUCH_WORK = 4000  # prototypes times classes


def judged(
    reading: Reading, columns: Columns, rng: np.random.Generator, classifier: Any = None
) -> dict[str, Any] | None:
    """Return the error for the first j prototypes, and the confusions for all of them.

    The classifier is the one that is passed, or the selector's own where it has one. It is cross-validated
    on a random sample. None without two classes to tell apart; where the classifier fails, ``failed`` says
    how.
    """
    if reading.codes is None or len(reading.classes) < 2:
        return None
    sample = _drawn(reading.n, rng)
    codes = reading.codes[sample]
    D = columns.block(sample, reading.prototypes)  # (sample, prototypes by worth)
    estimator = estimator_of(reading.selector) if classifier is None else classifier
    much = reading.k * len(reading.classes) > _MUCH_WORK
    folds = _folds(codes, 3 if much else 5, rng)
    sizes = sizes_of(reading.k, 5 if much else 8)
    found: dict[str, Any] = {
        "estimator": name_of(estimator),
        "n_objects": len(sample),
        "n_folds": len(folds),
        "failed": None,
    }
    try:
        predicted = [_predicted(estimator, D[:, :j], codes, folds) for j in sizes]
    except Exception as error:  # any classifier may stand here, and the rest of the report does not need it
        return found | {"failed": f"{type(error).__name__}: {error}"}
    errors = [float((p != codes).mean()) for p in predicted]
    spread = [float(np.sqrt(e * (1 - e) / len(codes))) for e in errors]
    return found | {
        "curve": {"n_prototypes": sizes, "error": errors, "std_error": spread},
        "error": errors[-1],
        "majority_error": float(1 - np.bincount(codes).max() / len(codes)),
        "confusion": _confusion(codes, predicted[-1], len(reading.classes)),
    }


def estimator_of(selector: Fitted) -> Any:
    """Return the classifier that the prototypes are for: the selector's, or what stands for it."""
    params = selector.get_params(deep=False)
    if params.get("estimator") is not None:
        return params["estimator"]
    return qdc() if "estimator" in params else ldc()


def sizes_of(k: int, most: int) -> list[int]:
    """Return at most so many numbers of prototypes from 1 to k, closer together where they are small."""
    return sorted(set(np.geomspace(1, k, min(k, most)).round().astype(int).tolist()) | {k})


def _drawn(n: int, rng: np.random.Generator) -> np.ndarray:
    if n <= _MOST_OBJECTS:
        return np.arange(n)
    return np.sort(rng.choice(n, _MOST_OBJECTS, replace=False, shuffle=False))


def _folds(codes: np.ndarray, n_folds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return disjoint parts that have each class in proportion."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    n_folds = min(n_folds, len(codes))
    return [order[i::n_folds] for i in range(n_folds)]


def _predicted(estimator: Any, D: np.ndarray, codes: np.ndarray, folds: list[np.ndarray]) -> np.ndarray:
    """Return the class of each object, told by a classifier that did not see it."""
    predicted = np.empty_like(codes)
    for fold in folds:
        seen = np.ones(len(codes), bool)
        seen[fold] = False
        classes = np.unique(codes[seen])
        if len(classes) == 1:  # many classifiers refuse a single class
            predicted[fold] = classes[0]
        else:
            predicted[fold] = clone(estimator).fit(D[seen], codes[seen]).predict(D[fold])
    return predicted


def _confusion(codes: np.ndarray, predicted: np.ndarray, n_classes: int) -> list[list[int]]:
    """Return triples of true class, predicted class and count, where there is any."""
    pairs, counts = np.unique(codes.astype(np.int64) * n_classes + predicted, return_counts=True)
    return [
        [*divmod(pair, n_classes), count] for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)
    ]
