"""Check what a user passes as objects, and give it the shape that the engine works on."""

from __future__ import annotations

from collections.abc import ValuesView
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from protopick.checks import labels, rounding_below_zero
from protopick.objects.chunked import Chunked
from protopick.objects.frames import is_frame, names_in, native
from protopick.objects.numbers import checked_by, refuse_lists_as_sets
from protopick.objects.on_dask import as_chunked, is_dask, labels_in_chunks, names_of
from protopick.objects.ragged import Ragged, as_ragged, ragged_lengths
from protopick.objects.sequence import Objects, as_objects, column_of_rows
from protopick.objects.sets import as_sets, holds_sets
from protopick.objects.stored import Stored, as_stored, in_memory
from protopick.objects.strings import as_strings
from protopick.objects.table import as_table
from protopick.objects.tensors import TensorRows, as_rows, host_array, is_tensor


def checked(
    X: Any,
    *,
    takes: str,
    allows_nan: bool,
    estimator: Any = None,
    reset: bool = True,
    any_values: bool = False,
) -> Objects:
    """Return ``X`` as objects of the kind that a dissimilarity ``takes``, or say what is wrong with it.

    With an ``estimator``, its ``n_features_in_`` and ``feature_names_in_`` are set or compared.
    ``any_values`` lets negative and missing dissimilarities of a matrix through, for who counts them.
    """
    X = native(X)
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError(
            "X is a masked array, but masks are not looked at. Pass X.filled(...), or X.data where nothing "
            "is masked."
        )
    if isinstance(X, ValuesView):  # of a dict: it cannot be indexed
        X = list(X)
    if is_tensor(X):
        return _checked_tensor(X, takes, allows_nan or any_values, estimator, reset)
    if is_dask(X):
        return _checked_chunks(X, takes, allows_nan, any_values, estimator, reset)
    X = as_stored(X, allows_nan) if takes.startswith("vectors") else in_memory(X)
    if isinstance(X, Stored):
        _note_width(X, estimator, reset)
        return X
    if takes == "table":
        table = as_table(X)
        if estimator is not None:
            _note_columns(estimator, table.names, reset)
        return table
    if takes == "strings":
        if is_frame(X):
            _note_columns_if_fitted(X, estimator, reset)
        return _some(as_strings(X))
    if takes in ("sets", "vectors or sets"):
        X = column_of_rows(X)
    # What was fitted to sets takes sets alone from then on, and what was fitted to rows takes rows.
    if takes == "sets" or (takes == "vectors or sets" and reset and holds_sets(X)):
        return _some(as_sets(X))
    if takes == "vectors or sets":
        if holds_sets(X):
            raise TypeError("X holds sets, but metric was fitted to rows. Pass rows, or fit to sets.")
        refuse_lists_as_sets(X)
    if takes == "series":
        if is_frame(X) and X.shape[1] > 1:
            _note_columns_if_fitted(X, estimator, reset)
        return as_ragged(X)
    if takes == "objects" and not _is_numeric_matrix(X):
        return _some(X if isinstance(X, Ragged) else as_objects(X))
    return _checked_numbers(X, takes, allows_nan, any_values, estimator, reset)


def checked_labels(y: Any, objects: Objects) -> Any:
    """Return the labels ``y`` of ``objects`` as an array, or where the objects are."""
    if is_dask(y) and isinstance(objects, Chunked):
        return labels_in_chunks(y, objects)
    y = host_array(y, "y", objects)
    return labels(y, objects.shape[0] if hasattr(objects, "shape") else len(objects))


def note_columns(X: Any, estimator: Any, reset: bool) -> None:
    """Set what scikit-learn keeps of the columns of a Dask array or data frame, or compare."""
    names = names_of(X)
    if len(X.shape) != 2:
        raise ValueError(f"X is of Dask and has the shape {X.shape}. Pass rows of numbers: two dimensions.")
    if names is None:
        _note_width(X, estimator, reset)
    else:
        _note_columns(estimator, names, reset)


def _checked_chunks(
    X: Any, takes: str, allows_nan: bool, any_values: bool, estimator: Any, reset: bool
) -> Objects:
    if takes not in ("vectors", "vectors or sets", "objects", "matrix"):
        raise ValueError(
            f"X is of Dask, but metric compares {takes}. Choose a metric of vectors, or pass X.compute()."
        )
    rows = as_chunked(X, allows_nan, is_matrix=takes == "matrix", any_values=any_values)
    if estimator is not None:
        note_columns(X, estimator, reset)
    if takes == "matrix" and reset:
        _check_square(rows)
    return rows


def _checked_numbers(
    X: Any, takes: str, allows_nan: bool, any_values: bool, estimator: Any, reset: bool
) -> Objects:
    _refuse_text(X)
    X = column_of_rows(X)
    lengths = ragged_lengths(X)
    if lengths is not None or isinstance(X, Ragged):
        raise ValueError(
            f"X is {'a Ragged' if lengths is None else f'ragged ({lengths})'}, but metric compares rows of "
            "equal length. For series, pass metric='dtw' or 'resampled_euclidean'; for streamlines, 'mdf'; "
            "for sets, Python's own, and metric='jaccard'."
        )
    finite: Any = "allow-nan" if allows_nan else True
    rules = {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": finite}
    if takes == "matrix":
        rules["accept_sparse"] = False
        rules["ensure_all_finite"] = not any_values
    gaps = {"way_out": "Compute what is missing, or leave these objects out."} if takes == "matrix" else {}
    if estimator is None:
        objects = checked_by(partial(check_array, input_name="X", **rules), X, **gaps)
    else:
        objects = checked_by(lambda rows: validate_data(estimator, rows, reset=reset, **rules), X, **gaps)
    if takes == "matrix":
        _check_matrix(objects, objects.dtype, reset, any_values)
    return objects


def _checked_tensor(X: Any, takes: str, allows_nan: bool, estimator: Any, reset: bool) -> TensorRows:
    if takes not in ("vectors", "vectors or sets", "objects", "matrix"):
        raise ValueError(
            f"X is a tensor, but metric compares {takes}. Pass these on the host, or choose a metric of rows "
            "of numbers, such as 'euclidean'."
        )
    rows = as_rows(X, allows_nan)
    _note_width(rows, estimator, reset)
    if takes == "matrix":
        _check_matrix(rows.values, rows.dtype, reset, any_values=allows_nan)
    return rows


def _some(objects: Objects) -> Objects:
    n = objects.shape[0] if hasattr(objects, "shape") else len(objects)
    if n == 0:
        raise ValueError("X has 0 objects, expected at least 1. Pass a collection that is not empty.")
    return objects


def _note_columns(estimator: Any, all_names: list[Any], reset: bool) -> None:
    """Set what scikit-learn keeps of the columns, or compare with what was fitted."""
    names = [name for name in all_names if isinstance(name, str)]
    if reset:
        estimator.n_features_in_ = len(all_names)
        if len(names) == len(all_names):
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    if len(all_names) != estimator.n_features_in_:
        raise ValueError(
            f"X has {len(all_names)} columns, but {type(estimator).__name__} was fitted to "
            f"{estimator.n_features_in_}. Pass the same columns."
        )
    fitted = getattr(estimator, "feature_names_in_", None)
    if names and fitted is not None and names != fitted.tolist():
        raise ValueError(
            f"X has the columns {names}, but {type(estimator).__name__} was fitted to {fitted.tolist()}. "
            "Pass the same columns in the same order."
        )


def _note_columns_if_fitted(frame: Any, estimator: Any, reset: bool) -> None:
    """Do so for a metric that takes other collections than frames too, to which it may have been fitted."""
    if estimator is not None and (reset or hasattr(estimator, "n_features_in_")):
        _note_columns(estimator, names_in(frame), reset)


def _note_width(rows: Any, estimator: Any, reset: bool) -> None:
    """Check the shape of rows that stay where they are; set or compare ``n_features_in_``."""
    n, width = rows.shape
    if n == 0 or width == 0:
        raise ValueError(f"X has the shape {rows.shape}, expected at least 1 row and 1 column.")
    if estimator is None:
        return
    if reset:
        estimator.n_features_in_ = width
    elif width != estimator.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def _is_numeric_matrix(X: Any) -> bool:
    if sparse.issparse(X):
        return True
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"


def _refuse_text(X: Any) -> None:
    one_dimensional = isinstance(X, (list, tuple)) or getattr(X, "ndim", len(getattr(X, "shape", ()))) == 1
    is_text = False
    if one_dimensional and len(X):
        is_text = isinstance(X.iloc[0] if hasattr(X, "iloc") else X[0], (str, bytes))
    if is_text:
        raise ValueError(
            "X holds text, but metric compares rows of numbers. For strings, pass metric='levenshtein', "
            "'string_hamming' or the like; for any objects metric=f, a function of two objects, or of two "
            "batches if marked with @batch_metric."
        )


def _check_square(matrix: Any) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"metric='precomputed' needs a square matrix, got {matrix.shape}: row i holds the "
            "dissimilarities of object i to all objects. For vectors, choose metric='euclidean'."
        )


def _check_matrix(matrix: Any, dtype: np.dtype, reset: bool, any_values: bool) -> None:
    """Check dissimilarities in an array or a tensor. Those that rounding took below 0 are let through."""
    if reset:
        _check_square(matrix)
    if any_values or not (low := float(matrix.min())) < 0:
        return
    if low < -rounding_below_zero(dtype, float(matrix.max())):
        row, column = divmod(int(matrix.argmin()), matrix.shape[1])
        raise ValueError(
            f"metric='precomputed' needs dissimilarities of 0 or more, but X[{row}, {column}] is "
            f"{float(matrix[row, column])}. Turn a similarity s into s.max() - s."
        )
