"""Several methods side by side: pick from one part, train on another, test on a third."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from protopick.objects import take
from protopick.report import neighborhoods

MOST_JUDGED = 10_000
"""Objects at most to train on, and as many to test on."""

Maker = Callable[..., Any]
"""Makes a selector: ``maker(k, random_state=seed)``."""


@dataclass(frozen=True)
class Objects:
    """What is compared, and the class of each where that is known."""

    X: Any
    labels: np.ndarray | None
    n: int
    is_matrix: bool = False

    def part(self, rows: np.ndarray, columns: np.ndarray | None = None) -> Any:
        """Return some of the objects; of a matrix, their dissimilarities to those in ``columns``."""
        if self.is_matrix and columns is not None:
            return self.X[np.ix_(rows, columns)]
        return take(self.X, self.X, rows)


@dataclass(frozen=True)
class Parts:
    """Who is for what."""

    selection: np.ndarray
    training: np.ndarray
    test: np.ndarray


def parts_of(objects: Objects, seed: int) -> Parts:
    """Split the objects: a half to select from, a quarter each to train on and to test on."""
    selection, rest = _halves(objects, np.arange(objects.n), seed)
    training, test = _halves(objects, rest, seed)
    return Parts(selection, training[:MOST_JUDGED], test[:MOST_JUDGED])


def _halves(objects: Objects, which: np.ndarray, seed: int) -> list[np.ndarray]:
    """Split in two, with the same share of each class where none is too small for that."""
    labels = None if objects.labels is None else objects.labels[which]
    if labels is not None and np.unique(labels, return_counts=True)[1].min() < 2:
        labels = None
    if labels is not None and len(np.unique(labels)) > len(which) // 2:
        labels = None
    halves: list[np.ndarray] = train_test_split(which, train_size=0.5, stratify=labels, random_state=seed)
    return halves


def compare_once(
    objects: Objects,
    methods: Mapping[str, Maker],
    sizes: Sequence[int],
    classifiers: Mapping[str, Callable[[], Any]],
    seed: int,
    tell: Callable[[str], None] = lambda text: None,
) -> list[dict[str, Any]]:
    """Return one row for each number of prototypes and method.

    With labels, a row has the ``errors`` of the classifiers and ``match``, the share of the objects
    selected from whose nearest prototype has their label. Without, ``mean`` and ``largest`` tell how far
    a test object is from its nearest prototype.
    """
    parts = parts_of(objects, seed)
    selected = objects.part(parts.selection, parts.selection)
    labels = None if objects.labels is None else objects.labels[parts.selection]
    rows = []
    for k in sizes:
        for name, make in methods.items():
            tell(f"{name}, k = {k} ...")
            selector = make(k, random_state=seed)
            start = perf_counter()
            selector.fit(selected, labels)
            seconds = perf_counter() - start
            row = {"method": name, "k": k, "seconds": seconds}
            row["n_dissimilarities"] = int(selector.n_dissimilarities_)
            row["n_test"] = len(parts.test)
            test = selector.transform(objects.part(parts.test, parts.selection))
            if objects.labels is None:
                nearest = test.min(axis=1)
                row |= {"mean": float(nearest.mean()), "largest": float(nearest.max())}
                row["spread"] = float(nearest.std())
            else:
                training = selector.transform(objects.part(parts.training, parts.selection))
                truth = objects.labels[parts.training], objects.labels[parts.test]
                row["errors"] = _errors(classifiers, training, test, *truth)
                row["match"] = _match(selector, selected, labels)
            rows.append(row)
    return rows


def _errors(
    classifiers: Mapping[str, Callable[[], Any]],
    training: np.ndarray,
    test: np.ndarray,
    y_training: np.ndarray,
    y_test: np.ndarray,
) -> dict[str, float]:
    return {
        name: float(1 - make().fit(training, y_training).score(test, y_test))
        for name, make in classifiers.items()
    }


def _match(selector: Any, selected: Any, labels: Any) -> float:
    found = neighborhoods(selector, selected, labels)
    matches = sum(row["size"] * (row["purity"] or 0.0) for row in found)
    return matches / sum(row["size"] for row in found)


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one row for the same method and k over all splits: means, and the median of the times."""
    first = rows[0]
    found: dict[str, Any] = {"method": first["method"], "k": first["k"]}
    if "errors" in first:
        errors = {name: [row["errors"][name] for row in rows] for name in first["errors"]}
        found["error"] = {name: float(np.mean(values)) for name, values in errors.items()}
        found["standard_error"] = {
            name: _standard_error(values, (values[0] * (1 - values[0])) ** 0.5, first["n_test"])
            for name, values in errors.items()
        }
    for name in ("match", "mean", "largest"):
        if name in first:
            found[name] = float(np.mean([row[name] for row in rows]))
    if "mean" in first:
        means = [row["mean"] for row in rows]
        found["standard_error"] = _standard_error(means, first["spread"], first["n_test"])
    found["time_ms"] = 1000 * float(np.median([row["seconds"] for row in rows]))
    found["n_dissimilarities"] = round(np.mean([row["n_dissimilarities"] for row in rows]))
    return found


def _standard_error(values: Sequence[float], spread: float, n: int) -> float:
    """Return that of the mean of several splits; of a single one, from the ``spread`` of its n objects."""
    if len(values) == 1:
        return float(spread / n**0.5)
    return float(np.std(values) / (len(values) - 1) ** 0.5)


def number(value: float) -> str:
    """Return a number of 0 or more in a few characters: 1.2, 24, 950, 18k, 1.2M; a count stays whole.

    Examples
    --------
    >>> number(0), number(4), number(1.234), number(18_200), number(1_230_000)
    ('0', '4', '1.2', '18k', '1.2M')
    """
    if value >= 999_500:
        return f"{value / 1e6:.1f}M"
    if value >= 1000:
        return f"{value / 1000:.0f}k"
    return f"{value:.1f}" if 0 < value < 9.95 and not isinstance(value, int) else f"{value:.0f}"
