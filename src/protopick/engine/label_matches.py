"""Label matches that are counted while dissimilarities are computed, none of which is kept."""

from __future__ import annotations

import numpy as np

from protopick.engine import threads
from protopick.engine.columns import Columns
from protopick.engine.heights import QUANTUM


def count_label_matches(
    columns: Columns, wanted: np.ndarray, sets: np.ndarray, labels: np.ndarray, own: np.ndarray
) -> np.ndarray | None:
    """Return, for sets of candidates, how many objects have the label of their nearest in the set.

    Parameters
    ----------
    columns : Columns
        Of the objects.
    wanted : ndarray of int
        Distinct candidates.
    sets : ndarray of int, shape (sets, k)
        Which of these make a set.
    labels : ndarray of int32, of the same shape
        Their labels there.
    own : ndarray of int32
        The labels of the objects.

    Returns
    -------
    ndarray or None
        None where it is not sooner to compare all objects anew than to scan columns that are kept.
    """
    rows = columns.rows_to_compare_again()
    count = None if rows is None else columns.dissimilarity.count_label_matches(rows, wanted)
    if count is None:
        return None
    n, n_jobs = columns.n_rows, columns.n_jobs
    height = -(-n // (2 * n_jobs * QUANTUM)) * QUANTUM

    def count_in_tile(i: int) -> np.ndarray:
        here = slice(i * height, min((i + 1) * height, n))
        return count(here, sets, labels, own[here])

    return np.add.reduce(threads.run(count_in_tile, -(-n // height), n_jobs))
