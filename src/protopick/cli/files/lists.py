"""A list for each object: vectors, series, curves, pictures or sets, by what the lists hold."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

from protopick.cli.files.arrow import arrow, innermost, is_list, is_number, is_text, numbers
from protopick.cli.files.source import FileError, Found
from protopick.cli.files.vectors import found_in
from protopick.dissimilarity import METRICS, taken_by
from protopick.objects import Ragged

OF_SETS = tuple(name for name in METRICS if taken_by(name) == "vectors or sets")
"""The metrics that compare sets as well as rows of 0 and 1."""


class Lists:
    """Lists that have no name.

    Parameters
    ----------
    lists : pyarrow.Array
        One list for each object.
    where : str
        The file, for messages.
    """

    names: Sequence[str] = ()

    def __init__(self, lists: Any, where: str) -> None:
        self._lists, self._where = lists, where

    def column(self, name: str) -> np.ndarray:
        """Return nothing: there are no names."""
        raise KeyError(name)

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the objects."""
        found = found_in_lists(self._lists, columns, metric, self._where)
        if columns is not None and not isinstance(found.X, np.ndarray):
            raise FileError(
                f"{self._where} holds {found.why}, so --columns={','.join(columns)} cannot be chosen."
            )
        return found


def found_in_lists(lists: Any, columns: Sequence[str] | None, metric: str | None, where: str) -> Found:
    """Return lists of strings as sets, of numbers as vectors, series, or whatever their depth makes them.

    Parameters
    ----------
    lists : pyarrow.Array
        One list for each object, which may hold lists in turn.
    columns : sequence of str, optional
        Which numbers of lists of one length.
    metric : str, optional
        Those of sets take lists of numbers as sets too, unless these are rows of 0 and 1.
    where : str
        The file or column, for messages.
    """
    if lists.null_count:
        i = int(np.argmax(lists.is_null().to_numpy(zero_copy_only=False)))
        raise FileError(f"{where} has no list for object {i} (counted from 0). Give it one, or leave it out.")
    kind = innermost(lists.type)
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    if is_text(kind) or (metric in OF_SETS and not lengths.any()):
        return _sets(lists, "sets of strings", where)
    if not is_number(kind) or not lengths.any():
        held = f"of {kind}" if lengths.any() else "without anything"
        raise FileError(f"{where} holds lists {held}, where numbers or strings are needed.")
    values = _values(lists, lengths, where)
    has_one_length = bool((lengths == lengths[0]).all())
    if metric in OF_SETS and not (has_one_length and np.isin(values, (0, 1)).all()):
        return _sets(lists, "sets of numbers", where)
    if has_one_length:
        return found_in(values.reshape(len(lists), -1, *values.shape[1:]), columns, metric, where)
    return _series(values, lengths, where)


def _sets(lists: Any, what: str, where: str) -> Found:
    """Return lists as sets: neither order nor repeats count."""
    if is_list(lists.type.value_type):
        raise FileError(f"{where} holds lists in lists, where sets are lists of strings or numbers.")
    sets = [set(elements) for elements in lists.to_pylist()]
    blank = next((i for i, elements in enumerate(sets) if None in elements), None)
    if blank is not None:
        raise FileError(f"{where}: the list of object {blank} (counted from 0) has a missing value. Drop it.")
    return Found(sets, "jaccard", what)


def _series(values: np.ndarray, lengths: np.ndarray, where: str) -> Found:
    if values.ndim > 2:
        raise FileError(f"{where} holds arrays of different sizes. Bring them to one size.")
    series = Ragged(values, np.concatenate([[0], np.cumsum(lengths)]))
    return Found(series, "dtw", "series of unequal length")


def _values(lists: Any, lengths: np.ndarray, where: str) -> np.ndarray:
    """Return what all lists hold, one below the other; the lists in them have to be of one length."""
    inner = lists.flatten()
    shape: tuple[int, ...] = ()
    while is_list(inner.type):
        widths = inner.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        other = np.flatnonzero((widths != widths[0]) | (widths == 0))
        if other.size:
            point = int(other[0]) // math.prod(shape)
            i = int(np.searchsorted(np.cumsum(lengths), point, side="right"))
            raise FileError(
                f"{where}: object {i} (counted from 0) holds a list of {widths[other[0]]}, where the first "
                f"holds one of {widths[0]}. Points need the same number of coordinates."
            )
        inner, shape = inner.flatten(), (*shape, int(widths[0]))
    return numbers(inner).reshape(-1, *shape)


def lists_of(values: list[list[Any]], where: str) -> Lists:
    """Return lists of Python, as they come from JSON."""
    array = _array(values)
    if array is not None:
        return Lists(array, where)
    first = bisect_left(range(len(values)), True, key=lambda i: _array(values[: i + 1]) is None)
    raise FileError(
        f"{where}: object {first} (counted from 0) is no list of the same kind as those before it. All must "
        "hold numbers, or all text, in lists of the same depth."
    )


def _array(values: list[list[Any]]) -> Any:
    """Return lists as an array of Arrow, None where they hold several kinds."""
    try:
        return arrow().array(values)
    except (arrow().ArrowException, OverflowError):
        return None
