"""What scikit-learn keeps of the columns of X: set in ``fit``, compared afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.objects.frames import names_in
from protopick.objects.on_dask import names_of


def note_names(estimator: Any, all_names: list[Any], reset: bool) -> None:
    """Set what is kept of columns that have names, or compare with what was fitted."""
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


def note_frame(frame: Any, estimator: Any, reset: bool) -> None:
    """Note the columns of a frame, for a metric that takes other collections too."""
    if estimator is not None and (reset or hasattr(estimator, "n_features_in_")):
        note_names(estimator, names_in(frame), reset)


def note_width(rows: Any, estimator: Any, reset: bool) -> None:
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


def note_columns(X: Any, estimator: Any, reset: bool) -> None:
    """Set what is kept of the columns of a Dask array or data frame, or compare."""
    names = names_of(X)
    if len(X.shape) != 2:
        raise ValueError(f"X is a Dask collection of shape {X.shape}. Pass rows of numbers: two dimensions.")
    if names is None:
        note_width(X, estimator, reset)
    else:
        note_names(estimator, names, reset)
