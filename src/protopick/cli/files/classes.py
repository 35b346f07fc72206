"""Labels as classes, whatever type a file keeps them in."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.cli.files.source import FileError


def classes_in(values: np.ndarray, name: str) -> np.ndarray:
    """Return labels that are strings, whole numbers, or true and false.

    Parameters
    ----------
    values : array of shape (n,)
        The labels, as they were read.
    name : str
        What ``--labels`` says, for messages.

    Examples
    --------
    >>> classes_in(np.array([1.0, 2.0]), "kind"), classes_in(np.array([b"a", b"b"]), "kind")
    (array([1, 2]), array(['a', 'b'], dtype='<U1'))
    """
    if values.dtype.kind in "Uiub":
        return values
    if values.ndim != 1 or values.dtype.kind in "cV":
        raise FileError(f"--labels={name} holds no classes, but values such as {_example(values)}.")
    if values.dtype.kind == "f":
        return _whole(values, name)
    if values.dtype.kind == "O":
        lacking = next((i for i, value in enumerate(values) if value is None or value != value), None)
        if lacking is not None:
            raise _lacking(name, lacking)
        if any(isinstance(value, dict | list | np.ndarray) for value in values):
            raise FileError(f"--labels={name} holds no classes, but values such as {_example(values)}.")
    return np.array([as_text(value) for value in values])


def as_text(value: Any) -> str:
    """Return a value as text: bytes too."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _whole(values: np.ndarray, name: str) -> np.ndarray:
    lacking = np.flatnonzero(np.isnan(values))
    if lacking.size:
        raise _lacking(name, int(lacking[0]))
    with_fraction = values[~np.isfinite(values) | (values != np.round(values))]
    if with_fraction.size:
        raise FileError(
            f"--labels={name} holds numbers with a fraction, such as {with_fraction[0]}, and no classes. "
            "Leave --labels out, or write the classes as whole numbers or text."
        )
    return values.astype(np.int64)


def _lacking(name: str, row: int) -> FileError:
    return FileError(
        f"--labels={name} has no value for object {row} (counted from 0). Give it one, or leave it out."
    )


def _example(values: np.ndarray) -> str:
    text = str(values[0])
    return text if len(text) < 40 else f"{text[:40]} ..."
