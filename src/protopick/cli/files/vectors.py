"""An array as objects: rows of numbers, pictures, strings, series, or a matrix of dissimilarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from protopick.cli.files.classes import as_text
from protopick.cli.files.source import FileError, Found
from protopick.dissimilarity import resolve, taken_by
from protopick.objects import Ragged, Stored

_SMALLEST_PICTURE = 8


def found_in(array: np.ndarray, columns: Sequence[str] | None, metric: str | None, name: str) -> Found:
    """Return what the objects in an array are, by its shape and type."""
    if array.ndim == 0 or 0 in array.shape:
        raise FileError(f"{name} holds no objects: its shape is {array.shape}.")
    if array.dtype.kind == "O":
        return _of_objects(array, columns, name)
    if array.dtype.kind in "US":
        if columns is not None:
            raise FileError(
                f"{name} holds strings, so --columns={','.join(columns)} has nothing to choose from."
            )
        return Found([as_text(text) for text in array.ravel()], "levenshtein", "strings")
    if array.dtype.kind not in "biuf":
        raise FileError(f"{name} holds values of type {array.dtype}. Numbers or strings are needed.")
    if array.ndim == 1:
        raise FileError(
            f"{name} is one row of {len(array)} numbers. Objects are rows: the shape must be "
            "(objects, numbers)."
        )
    takes = taken_by(metric)
    if takes in ("series", "table", "objects"):
        return Found(array, str(metric), image_shape=None)
    if array.ndim > 2:
        return _of_several_axes(array, name)
    if columns is not None:
        chosen = column_numbers(columns, array.shape[1], name)
        return Found(array[:, chosen], "euclidean", names=[str(j) for j in chosen])
    if _holds_dissimilarities(array):
        return Found(array, "precomputed", "square, with a diagonal of 0: taken as dissimilarities")
    return Found(array, "euclidean")


def takes_gaps(metric: str | None) -> bool:
    """Say whether a metric compares rows of which some numbers are missing."""
    return metric is not None and resolve(metric).allows_nan


def found_in_file(rows: Stored, columns: Sequence[str] | None, name: str) -> Found:
    """Return rows of numbers that stay in their file."""
    if columns is None:
        return Found(rows, "euclidean")
    chosen = column_numbers(columns, rows.shape[1], name)
    return Found(rows.some_columns(chosen), "euclidean", names=[str(j) for j in chosen])


def _of_objects(array: np.ndarray, columns: Sequence[str] | None, name: str) -> Found:
    """Return strings, or runs of numbers of unequal length."""
    objects = array.ravel()
    if all(isinstance(one, str | bytes) for one in objects):
        return found_in(np.array([as_text(one) for one in objects]), columns, None, name)
    if all(isinstance(one, np.ndarray) and one.dtype.kind in "biuf" and one.ndim == 1 for one in objects):
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in objects])])
        return Found(Ragged(np.concatenate(list(objects)), offsets), "dtw", "series of unequal length")
    raise FileError(f"{name} holds values of several types. Numbers, strings or series are needed.")


def column_numbers(columns: Sequence[str], n: int, name: str) -> np.ndarray:
    """Return what ``--columns`` says of a matrix: numbers from 0, and spans such as ``3:7``.

    Examples
    --------
    >>> column_numbers(["0", "3:5"], 8, "a.npy").tolist()
    [0, 3, 4]
    """
    chosen: list[int] = []
    for text in columns:
        span = span_in(text, n)
        if not span:
            raise FileError(
                f"--columns: {name} has no column {text!r}. It has {n}, without names: give numbers from 0 "
                f"to {n - 1}, or spans such as 0:{n}."
            )
        chosen.extend(span)
    return np.array(chosen)


def span_in(text: str, n: int) -> Sequence[int]:
    """Return the columns that a number or a span such as ``3:7`` means, none where it is no such of n."""
    first, colon, last = text.partition(":")
    try:
        span = range(int(first or 0), int(last or n)) if colon else [int(first)]
    except ValueError:
        return []
    return span if len(span) and min(span) >= 0 and max(span) < n else []


def _of_several_axes(array: np.ndarray, name: str) -> Found:
    """Return pictures where they can be some, else series with several numbers at a time."""
    shape = array.shape[1:]
    is_grey = array.ndim == 3 and min(shape) >= _SMALLEST_PICTURE
    is_coloured = array.ndim == 4 and shape[2] in (1, 3, 4)
    if is_grey or is_coloured:
        size = " x ".join(map(str, shape))
        return Found(array.reshape(len(array), -1), "euclidean", f"pictures of {size}", image_shape=shape)
    if array.ndim == 3:
        return Found(array, "dtw", f"series of {shape[0]} points")
    raise FileError(
        f"{name} has the shape {array.shape}. Allowed are (objects, numbers), pictures (objects, height, "
        "width) or (objects, height, width, colours), and series (objects, points, coordinates)."
    )


def _holds_dissimilarities(array: np.ndarray) -> bool:
    n = len(array)
    return n > 1 and array.shape == (n, n) and not np.diagonal(array).any() and bool(array[0].any())


def labels_in(array: Any, name: str) -> np.ndarray:
    """Return one label an object."""
    labels = np.asarray(array)
    if labels.ndim == 2 and 1 in labels.shape:
        labels = labels.ravel()
    if labels.ndim != 1:
        raise FileError(f"{name} has the shape {labels.shape}, where one value for each object is needed.")
    return labels
