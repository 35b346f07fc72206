"""Check what a user passes, before any long work starts."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

_MOST_NUMBERS = 1 << 16
_LONGEST = 80
_ROUNDING = 16
"""So many units in the last place of the largest may a dissimilarity be below 0."""


def shown(value: Any) -> str:
    """Return a value as an error shows it: on one line, and in its beginning where it is long.

    Examples
    --------
    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 2...]'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]}...{text[-1]}"


def whole_number(name: str, value: Any, low: int, or_else: str = "") -> int:
    """Return ``value`` as an int of at least ``low``; ``or_else`` says what may be passed beside these."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < low:
        raise ValueError(
            f"{name}={shown(value)} is not allowed. Pass a whole number of at least {low}.{or_else}"
        )
    return int(value)


def rate(name: str, value: Any) -> float:
    """Return ``value`` as a probability."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={shown(value)} is not allowed. Pass a number from 0 to 1.")
    return float(value)


def positive_or_none(name: str, value: Any) -> None:
    """Refuse ``value`` unless it is None or a number above 0."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real) or not float(value) > 0):
        raise ValueError(
            f"{name}={shown(value)} is not allowed. Pass a number above 0, or None for no limit."
        )


def flag(name: str, value: Any) -> None:
    """Refuse ``value`` unless it is a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} is not allowed. Pass True or False.")


def choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``allowed``."""
    names = list(allowed)
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name}={shown(value)} is not allowed. Choose {' or '.join(map(repr, names))}.")
    return value


def as_array(name: str, value: Any, way_out: str = "Pass a flat list of single values.") -> np.ndarray:
    """Return ``value`` as an array; ``way_out`` says what to pass instead of sequences of several lengths."""
    try:
        return np.asarray(value)
    except ValueError as error:  # NumPy says only that it cannot
        raise ValueError(
            f"{name} holds sequences of several lengths, which make no array. {way_out}"
        ) from error


def indices(name: str, value: Any, n: int) -> np.ndarray:
    """Return ``value`` as an array of distinct indices below ``n``. A boolean mask is taken too."""
    array = as_array(name, value)
    if array.dtype == bool and array.shape == (n,):
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be a 1-D list of whole numbers or a mask of {n} booleans, "
            f"got an array of shape {array.shape} and dtype {array.dtype}. Pass positions in X."
        )
    bad = array[(array < 0) | (array >= n)]
    if bad.size:
        raise ValueError(
            f"{name} holds index {bad[0]}, but X has {n} objects. Pass positions from 0 to {n - 1}."
        )
    array = array.astype(np.intp)
    values, counts = np.unique(array, return_counts=True)
    if len(values) < len(array):
        raise ValueError(
            f"{name} holds index {values[counts.argmax()]} {counts.max()} times. Pass each index once."
        )
    return array


def labels(y: Any, n: int) -> np.ndarray:
    """Return the labels ``y`` of ``n`` objects as an array."""
    given, y = y, array_of_labels(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim < 1:
        raise ValueError(
            f"y={shown(given)} is no collection of labels, but X has {n} objects. "
            "Pass one label for each object."
        )
    if y.shape[0] != n:
        raise ValueError(f"y has {y.shape[0]} labels, but X has {n} objects. Pass one label for each object.")
    return y


def array_of_labels(y: Any) -> np.ndarray:
    """Return labels as an array, of objects where there are strings of any length or a gap among text."""
    array = as_array("y", y)
    if array.dtype.kind == "T":  # which scikit-learn does not take
        return array.astype(object)
    is_list = isinstance(y, (list, tuple))
    if is_list and array.dtype.kind == "U" and set(map(type, y)) != {str} and not all(map(_is_label, y)):
        return np.asarray(y, object)  # where a gap has not become text
    return array


def weights(sample_weight: Any, n: int) -> np.ndarray:
    """Return the weights of ``n`` objects as an array."""
    array = as_array("sample_weight", sample_weight)
    if array.ndim == 0:
        array = np.full(n, array)
    if array.shape != (n,) or array.dtype.kind not in "biuf":
        raise ValueError(
            f"sample_weight has shape {array.shape} and dtype {array.dtype}, but X has {n} objects. "
            "Sample weights must be 1D array or scalar: pass one number for each object."
        )
    array = array.astype(np.float64)
    if not np.isfinite(array).all() or array.min(initial=0) < 0:
        bad = array[~(np.isfinite(array) & (array >= 0))]
        raise ValueError(f"sample_weight holds {bad[0]:g}. Pass finite numbers from 0 on.")
    with np.errstate(over="ignore"):
        total = array.sum()
    if np.isinf(total):
        raise ValueError(
            f"sample_weight holds numbers up to {array.max():g}, whose sum is too large. "
            "Divide all by a number."
        )
    if not array.any():
        raise ValueError(
            "sample_weight is 0 for all objects. Sample weights must contain at least one non-zero number."
        )
    return array


def class_codes(y: np.ndarray | None, why: str) -> np.ndarray:
    """Return a number from 0 on for each object, the same for the same class; ``why`` says what for."""
    if y is None:
        raise ValueError(
            f"{why} requires y to be passed, but the target y is None. "
            "Pass the labels as fit(X, y), or choose a method that needs none."
        )
    codes = class_numbers(y)
    if codes.max() == 0:
        raise ValueError(
            f"{why} needs at least 2 classes, got one class only: {shown(y.tolist()[0])}. "
            "Pass all labels, or choose a method that needs none."
        )
    return codes


def class_numbers(y: np.ndarray) -> np.ndarray:
    """Return a number for each label, 0 to the number of classes less one, or say what is wrong with them."""
    if hasattr(y, "class_numbers"):  # of Dask: the labels stay where they are
        return y.class_numbers()
    if y.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {y.shape}. Pass one label for each object."
        )
    if y.dtype.kind in "iu":
        least, largest = y.min(), y.max()
        if int(largest) - int(least) < _MOST_NUMBERS:  # needs no sorting
            codes = np.subtract(y, least, dtype=np.int32, casting="unsafe")
            return _without_gaps(codes, int(largest) - int(least) + 1)
    return classes_of(y)[1].astype(np.int32)


def classes_of(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in their order, and the number of each label's class; or say what is none."""
    classes, codes = distinct(y, return_inverse=True)
    if y.dtype.kind not in "USO":  # names are classes, whatever they are
        check_classification_targets(y)
    return classes, codes


def distinct(y: np.ndarray, first: int = 0, **how: Any) -> Any:
    """Return what `numpy.unique` does of labels that are all there; ``first`` is the number of the first."""
    if y.dtype.kind in "fmM":
        refuse_missing(y, first)
    try:
        found = np.unique(y, **how)
    except TypeError as error:
        refuse_missing(y, first)
        raise ValueError(
            f"y mixes labels of types that cannot be compared: {error}. Make them all strings or all numbers."
        ) from error
    classes = found[0] if isinstance(found, tuple) else found
    if classes.dtype == object and not all(map(_is_label, classes)):  # there are mostly few classes
        refuse_missing(y, first)
    return found


def refuse_missing(y: np.ndarray, first: int = 0) -> None:
    """Refuse labels of which one is missing; ``first`` is the number of the first."""
    y = y.ravel()
    gaps = np.array([not _is_label(label) for label in y]) if y.dtype == object else y != y
    if gaps.any():
        place = int(np.argmax(gaps))
        raise ValueError(f"y[{first + place}] is {y[place]}. Drop objects without a label.")


def _is_label(value: Any) -> bool:
    """Say whether a label is there: not None, and equal to itself, as NaN, NaT and pandas' NA are not."""
    equal = value == value
    return value is not None and isinstance(equal, (bool, np.bool_)) and bool(equal)


def _without_gaps(numbers: np.ndarray, n: int) -> np.ndarray:
    """Return numbers from 0 to n - 1 less those below that do not occur."""
    is_there = np.zeros(n, bool)
    for start in range(0, len(numbers), _MOST_NUMBERS):  # the first few have all of them, as a rule
        is_there[numbers[start : start + _MOST_NUMBERS]] = True
        if is_there.all():
            return numbers
    return (np.cumsum(is_there, dtype=np.int32) - 1)[numbers]


def rounding_below_zero(dtype: np.dtype, largest: float) -> float:
    """Return how far below 0 rounding may have taken some dissimilarities, given the largest of them."""
    return float(_ROUNDING * np.finfo(np.result_type(dtype, np.float32)).eps * abs(largest))


def generator(random_state: Any) -> np.random.Generator:
    """Return the random generator that ``random_state`` stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1, size=4))
    if random_state is None or (isinstance(random_state, Integral) and int(random_state) >= 0):
        return np.random.default_rng(None if random_state is None else int(random_state))
    raise ValueError(
        f"random_state={shown(random_state)} is not allowed. Pass None, a whole number of at least 0, "
        "a numpy.random.Generator or a numpy.random.RandomState."
    )
