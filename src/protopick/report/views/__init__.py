"""How objects are shown. One file a kind of objects."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from scipy import sparse

from protopick.dissimilarity import Dissimilarity
from protopick.dissimilarity.mdf import MDF
from protopick.objects import Objects, ObjectSequence, Ragged, Table
from protopick.objects.strings import FixedWidth
from protopick.report.views.base import View, are_rows
from protopick.report.views.images import Images, check_shape
from protopick.report.views.lines import Series, Streamlines
from protopick.report.views.rows import SparseRows, TableRows, Vectors
from protopick.report.views.texts import Anything, Matrix, Sets, Strings

__all__ = ["View", "view_of"]


def view_of(
    X: Any,
    objects: Objects,
    dissimilarity: Dissimilarity,
    prototypes: np.ndarray,
    *,
    image_shape: Any = None,
    names: Any = None,
) -> View:
    """Return the way to show objects of this kind.

    Parameters
    ----------
    X : objects as the user passed them
    objects : the same, checked
    dissimilarity : what compares them
    prototypes : ndarray of int
        Their positions; what is shown of wide rows is where they differ.
    image_shape : tuple, optional
        Height and width, or height, width and 3, of images that are rows of numbers.
    names : sequence of str, optional
        Of the columns.
    """
    if image_shape is not None:
        return Images.of(objects, check_shape(image_shape, objects), prototypes)
    if dissimilarity.takes == "matrix":
        return Matrix()
    if isinstance(objects, Table):
        return TableRows.of(X, objects, prototypes)
    if isinstance(objects, Ragged):
        kind = Streamlines if _is_of_streamlines(objects, dissimilarity) else Series
        return kind.of(objects.__getitem__, len(objects), prototypes)
    if isinstance(objects, (FixedWidth, ObjectSequence)):
        return _of_sequence(objects, prototypes)
    if sparse.issparse(objects):
        return SparseRows(objects, names)
    if are_rows(objects):
        return Vectors.of(objects, prototypes, names)
    return Anything(objects.__getitem__)


def _of_sequence(objects: FixedWidth | ObjectSequence, prototypes: np.ndarray) -> View:
    if isinstance(objects, FixedWidth):
        return Strings(lambda i: str(objects.array[i]))
    first = objects.items[int(prototypes[0])]
    if isinstance(first, str):
        return Strings(lambda i: str(objects.items[i]))
    if isinstance(first, Set):
        return Sets(objects.items.__getitem__)
    if isinstance(first, np.ndarray) and all(_is_series(item) for item in objects.items):
        return Series.of(lambda i: objects.items[i][:, None], len(objects), prototypes)
    return Anything(objects.items.__getitem__)


def _is_of_streamlines(objects: Ragged, dissimilarity: Dissimilarity) -> bool:
    return isinstance(dissimilarity, MDF) and objects.points.ndim == 2 and objects.points.shape[1] in (2, 3)


def _is_series(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.ndim == 1 and len(item) > 0 and item.dtype.kind in "biuf"
