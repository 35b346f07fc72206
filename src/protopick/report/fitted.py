"""What the report needs to know of a fitted selector, and what it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from protopick import checks
from protopick.dissimilarity import Dissimilarity, length
from protopick.engine import Columns, assign, columns_among
from protopick.objects import Objects, ObjectSequence, Ragged, Table, host_array
from protopick.objects.columns import is_missing
from protopick.objects.strings import FixedWidth

__all__ = ["Fitted", "Reading", "plain", "read"]

_IN_A_ROW = Ragged, np.ndarray, list, tuple


class Fitted(Protocol):
    """A fitted selector, as the report sees it."""

    n_jobs: int | None
    prototype_indices_: np.ndarray
    prototypes_: Any
    order_: np.ndarray
    n_dissimilarities_: int
    _dissimilarity: Dissimilarity

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by their names."""
        ...

    def _read(self, X: Any) -> Objects:
        """Return ``X`` as objects of the kind that was fitted, checked."""
        ...


@dataclass(frozen=True)
class Reading:
    """The objects, their classes, and which prototypes were picked from them."""

    selector: Fitted
    X: Any
    objects: Objects
    dissimilarity: Dissimilarity
    n: int
    prototypes: np.ndarray  # indices, the worthiest first
    classes: list[Any]  # the labels that occur, as plain values; empty without labels
    codes: np.ndarray | None  # (n,) positions in classes
    prototype_codes: np.ndarray | None  # (k,), known also where y is not passed again
    ids: Sequence[Any] | None

    @property
    def k(self) -> int:
        return len(self.prototypes)

    def columns(self) -> Columns:
        """Return the dissimilarities of all objects to all."""
        return columns_among(self.objects, self.dissimilarity, n_jobs=self.selector.n_jobs)

    def nearest(self, columns: Columns) -> np.ndarray:
        """Return the rank of each object's nearest prototype, from 0 on, in one scan."""
        # As in the criteria, ties go to the prototype that was picked first.
        position = assign(columns, np.asarray(self.selector.prototype_indices_))[0]
        rank = np.empty(self.k, np.int32)
        rank[self.selector.order_] = np.arange(self.k)
        return rank[position]

    def label(self, rank: int) -> Any:
        """Return the label of a prototype, None without labels."""
        return None if self.prototype_codes is None else self.classes[self.prototype_codes[rank]]

    def id(self, index: int) -> str | None:
        """Return the name of an object, None where objects have none."""
        return None if self.ids is None else str(self.ids[index])


def read(selector: Fitted, X: Any, y: Any = None, ids: Any = None) -> Reading:
    """Check that ``X``, ``y`` and ``ids`` are those of a fitted selector."""
    objects = selector._read(X)
    dissimilarity = selector._dissimilarity
    n = length(objects)
    picked = np.asarray(selector.prototype_indices_)
    _refuse_others(selector, objects, dissimilarity, n)
    classes: list[Any] = []
    codes = own = None
    if y is not None:
        labels = checks.labels(host_array(y, "y", objects), n)
        classes, codes = _classes(labels)
        own = codes[picked]
        _refuse_other_labels(selector, labels)
    elif hasattr(selector, "prototype_labels_"):
        classes, own = _classes(np.asarray(selector.prototype_labels_))
    order = np.asarray(selector.order_)
    return Reading(
        selector=selector,
        X=X,
        objects=objects,
        dissimilarity=dissimilarity,
        n=n,
        prototypes=picked[order],
        classes=classes,
        codes=codes,
        prototype_codes=None if own is None else own[order],
        ids=None if ids is None else _named(ids, n),
    )


def plain(value: Any) -> Any:
    """Return a label as a value that JSON knows."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _classes(labels: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Return the labels that occur, in their order, and the position of each object's label there."""
    codes = checks.class_numbers(labels)
    counts = np.bincount(codes)
    dense = np.cumsum(counts > 0, dtype=np.int32) - 1
    first = np.zeros(len(counts), np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of an index that is written twice, the last stays
    names = labels[first[counts > 0]]
    return [plain(name) for name in names], dense[codes]


def _named(ids: Any, n: int) -> Sequence[Any]:
    names: Any = ids if isinstance(ids, (list, tuple, np.ndarray)) else np.asarray(ids)
    if np.ndim(ids) == 0 or len(names) != n:
        got = "no sequence" if np.ndim(ids) == 0 else f"{len(names)} names"
        raise ValueError(f"ids holds {got}, but X has {n} objects. Pass one name for each object, or None.")
    return names


def _refuse_others(selector: Fitted, objects: Objects, dissimilarity: Dissimilarity, n: int) -> None:
    """Refuse objects that are not those the prototypes were picked from."""
    picked = np.asarray(selector.prototype_indices_)
    if dissimilarity.takes == "matrix":
        same = n == getattr(objects, "shape", (n, n))[1]
    else:
        same = picked.max() < n
        if same:
            same = _equal(selector._read(selector.prototypes_), objects[picked])
    if not same:
        raise ValueError(
            f"X has {n} objects, but they are not those that {type(selector).__name__} was fitted to: its "
            "prototypes are not at their places in X. Pass the same X, in the same order."
        )


def _refuse_other_labels(selector: Fitted, labels: np.ndarray) -> None:
    """Refuse labels that are not those the prototypes had in fit, where they had any."""
    if not hasattr(selector, "prototype_labels_"):
        return
    known = np.asarray(selector.prototype_labels_)
    for index, label in zip(np.asarray(selector.prototype_indices_).tolist(), known, strict=True):
        if not _equal(labels[index], label):
            raise ValueError(
                f"y has the label {plain(labels[index])!r:.40} for object {index}, but the labels that "
                f"{type(selector).__name__} was fitted to had {plain(label)!r:.40} there. "
                "Pass the same y, in the same order."
            )


def _equal(a: Any, b: Any) -> bool:
    """Say whether two collections, or two objects, are the same; of those that cannot be told, yes."""
    if a is b:
        return True
    if sparse.issparse(a) and sparse.issparse(b):
        return a.shape == b.shape and (a != b).nnz == 0
    if isinstance(a, (ObjectSequence, FixedWidth)) and isinstance(b, (ObjectSequence, FixedWidth)):
        return _equal(a.items, b.items)
    if isinstance(a, Table) and isinstance(b, Table):
        return _equal(a.columns, b.columns)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and object not in (a.dtype, b.dtype):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")
    if isinstance(a, _IN_A_ROW) and isinstance(b, _IN_A_ROW):
        return len(a) == len(b) and all(map(_equal, a, b))
    return _equal_values(a, b)


def _equal_values(a: Any, b: Any) -> bool:
    kind: Any = type(a)
    try:
        if is_missing(a) or is_missing(b):
            return is_missing(a) and is_missing(b)
        return kind.__eq__ is object.__eq__ or bool(a == b)  # that of `object` knows the very same one only
    except Exception:  # whatever the user's class does there
        return True
