"""Check what a user passes as objects, and give it the shape that the engine works on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from protopick.objects.sequence import Objects, as_objects


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
    if takes == "objects" and not _is_numeric_matrix(X):
        objects = as_objects(X)
        if len(objects) == 0:
            raise ValueError("X has 0 objects, expected at least 1. Pass a collection that is not empty.")
        return objects
    if _is_list_of_text(X):
        raise ValueError(
            "X holds text, but metric compares rows of numbers. For strings and other objects, pass "
            "metric=f, a function of two objects, or of two batches if marked with @batch_metric."
        )
    finite: Any = "allow-nan" if allows_nan else True
    rules = {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": finite}
    if takes == "matrix":
        rules["accept_sparse"] = False
        rules["ensure_all_finite"] = not any_values
    if estimator is None:
        objects = check_array(X, input_name="X", **rules)
    else:
        objects = validate_data(estimator, X, reset=reset, **rules)
    if takes == "matrix" and reset:
        _check_square(objects)
        if not any_values:
            _check_not_negative(objects)
    return objects


def _is_numeric_matrix(X: Any) -> bool:
    if sparse.issparse(X):
        return True
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"


def _is_list_of_text(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.size > 0 and isinstance(X[0], (str, bytes))
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], (str, bytes))


def _check_square(matrix: Any) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"metric='precomputed' needs X of shape (n, n) in fit, got {matrix.shape}: row i holds the "
            "dissimilarities of object i to all objects. For vectors, choose metric='euclidean'."
        )


def _check_not_negative(matrix: Any) -> None:
    if matrix.min() < 0:
        row, column = np.unravel_index(matrix.argmin(), matrix.shape)
        raise ValueError(
            f"metric='precomputed' needs dissimilarities of 0 or more, but X[{row}, {column}] is "
            f"{matrix[row, column]}. Turn a similarity s into s.max() - s."
        )
