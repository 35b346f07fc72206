"""Check what a user passes as objects, and give it the shape that the engine works on."""

from __future__ import annotations

from collections.abc import Callable, ValuesView
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from protopick.checks import labels, rounding_below_zero
from protopick.objects.chunked import Chunked
from protopick.objects.frames import is_frame, native
from protopick.objects.noted import note_columns, note_frame, note_names, note_width
from protopick.objects.numbers import checked_by, refuse_lists_as_sets
from protopick.objects.on_dask import as_chunked, is_dask, labels_in_chunks
from protopick.objects.ragged import Ragged, as_ragged, ragged_lengths
from protopick.objects.sequence import Objects, as_objects, column_of_rows, refuse_no_collection
from protopick.objects.sets import as_sets, holds_sets
from protopick.objects.stored import Stored, as_stored, in_memory
from protopick.objects.strings import as_strings
from protopick.objects.table import as_table
from protopick.objects.tensors import TensorRows, as_rows, host_array, is_tensor


@dataclass(frozen=True)
class _Wanted:
    """What is wanted of X."""

    takes: str
    allows_nan: bool
    any_values: bool
    estimator: Any
    reset: bool

    @property
    def rows(self) -> bool:
        """Whether rows of numbers will do."""
        return self.takes in ("vectors", "vectors or sets", "objects", "matrix")


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
    wanted = _Wanted(takes, allows_nan, any_values, estimator, reset)
    X = native(X)
    _refuse_other_arrays(X)
    if isinstance(X, ValuesView):  # of a dict: it cannot be indexed
        X = list(X)
    if is_tensor(X):
        return _tensor(X, wanted)
    if is_dask(X):
        return _chunks(X, wanted)
    X = as_stored(X, allows_nan) if takes.startswith("vectors") else in_memory(X)
    if isinstance(X, Stored):
        note_width(X, estimator, reset)
        return X
    refuse_no_collection(X)
    return _READERS[takes](X, wanted)


def checked_labels(y: Any, objects: Objects) -> Any:
    """Return the labels ``y`` of ``objects`` as an array, or where the objects are."""
    if is_dask(y) and isinstance(objects, Chunked):
        return labels_in_chunks(y, objects)
    y = host_array(y, "y", objects)
    return labels(y, objects.shape[0] if hasattr(objects, "shape") else len(objects))


def _refuse_other_arrays(X: Any) -> None:
    """Refuse arrays of NumPy that are not what they look like."""
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError(
            "X is a masked array, but masks are not looked at. Pass X.filled(...), or X.data where nothing "
            "is masked."
        )
    if isinstance(X, np.matrix):
        raise TypeError("X is a numpy.matrix, whose rows are matrices again. Pass np.asarray(X).")


def _tensor(X: Any, wanted: _Wanted) -> TensorRows:
    if not wanted.rows:
        raise ValueError(
            f"X is a tensor, but metric compares {wanted.takes}. Pass these on the host, or choose a metric "
            "of rows of numbers, such as 'euclidean'."
        )
    allows_nan = wanted.allows_nan or wanted.any_values
    rows = as_rows(X, allows_nan)
    note_width(rows, wanted.estimator, wanted.reset)
    if wanted.takes == "matrix":
        _check_matrix(rows.values, rows.dtype, wanted.reset, any_values=allows_nan)
    return rows


def _chunks(X: Any, wanted: _Wanted) -> Objects:
    if not wanted.rows:
        raise ValueError(
            f"X is of Dask, but metric compares {wanted.takes}. Choose a metric of vectors, or pass "
            "X.compute()."
        )
    is_matrix = wanted.takes == "matrix"
    rows = as_chunked(X, wanted.allows_nan, is_matrix=is_matrix, any_values=wanted.any_values)
    if wanted.estimator is not None:
        note_columns(X, wanted.estimator, wanted.reset)
    if is_matrix and wanted.reset:
        _check_square(rows)
    return rows


def _table(X: Any, wanted: _Wanted) -> Objects:
    table = as_table(X)
    if wanted.estimator is not None:
        note_names(wanted.estimator, table.names, wanted.reset)
    return table


def _strings(X: Any, wanted: _Wanted) -> Objects:
    if is_frame(X):
        note_frame(X, wanted.estimator, wanted.reset)
    return _some(as_strings(X))


def _series(X: Any, wanted: _Wanted) -> Objects:
    if is_frame(X) and X.shape[1] > 1:
        note_frame(X, wanted.estimator, wanted.reset)
    return as_ragged(X)


def _sets(X: Any, wanted: _Wanted) -> Objects:
    return _some(as_sets(column_of_rows(X)))


def _vectors_or_sets(X: Any, wanted: _Wanted) -> Objects:
    X = column_of_rows(X)
    if not holds_sets(X):
        refuse_lists_as_sets(X)
        return _numbers(X, wanted)
    if not wanted.reset:  # what was fitted to sets takes sets alone from then on
        raise TypeError("X holds sets, but metric was fitted to rows. Pass rows, or fit to sets.")
    return _sets(X, wanted)


def _anything(X: Any, wanted: _Wanted) -> Objects:
    if _is_numeric_matrix(X):
        return _numbers(X, wanted)
    if is_frame(X):
        note_frame(X, wanted.estimator, wanted.reset)
    return _some(X if isinstance(X, Ragged) else as_objects(X))


def _numbers(X: Any, wanted: _Wanted) -> Objects:
    _refuse_text(X)
    X = column_of_rows(X)
    _refuse_ragged(X)
    is_matrix, estimator = wanted.takes == "matrix", wanted.estimator
    finite: Any = "allow-nan" if wanted.allows_nan else True
    rules = {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": finite}
    if is_matrix:
        rules |= {"accept_sparse": False, "ensure_all_finite": not wanted.any_values}
    gaps = {"way_out": "Compute what is missing, or leave these objects out."} if is_matrix else {}
    if estimator is None:
        objects = checked_by(partial(check_array, input_name="X", **rules), X, **gaps)
    else:
        check = partial(validate_data, estimator, reset=wanted.reset, **rules)
        objects = checked_by(check, X, **gaps)
    if is_matrix:
        _check_matrix(objects, objects.dtype, wanted.reset, wanted.any_values)
    return objects


_READERS: dict[str, Callable[[Any, _Wanted], Objects]] = {
    "vectors": _numbers,
    "vectors or sets": _vectors_or_sets,
    "matrix": _numbers,
    "objects": _anything,
    "sets": _sets,
    "strings": _strings,
    "series": _series,
    "table": _table,
}


def _some(objects: Objects) -> Objects:
    n = objects.shape[0] if hasattr(objects, "shape") else len(objects)
    if n == 0:
        raise ValueError("X has 0 objects, expected at least 1. Pass a collection that is not empty.")
    return objects


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


def _refuse_ragged(X: Any) -> None:
    lengths = ragged_lengths(X)
    if lengths is not None or isinstance(X, Ragged):
        raise ValueError(
            f"X is {'a Ragged' if lengths is None else f'ragged ({lengths})'}, but metric compares rows of "
            "equal length. For series, pass metric='dtw' or 'resampled_euclidean'; for streamlines, 'mdf'; "
            "for sets, Python's own, and metric='jaccard'."
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
