"""Dissimilarities among candidates only, for criteria that look at no other object."""

from __future__ import annotations

import numpy as np

from protopick.engine import threads
from protopick.engine.columns import Columns


class Pairs:
    """The k x k dissimilarities of every individual, each pair computed once while it is live."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._live = np.empty(0, np.intp)
        self._known = np.empty((0, 0))  # (live, live), NaN where not computed

    def squares(self, population: np.ndarray) -> np.ndarray:
        """Return the dissimilarities within each individual of a (S, k) population, shape (S, k, k).

        An asymmetric dissimilarity is replaced by the mean of both directions.
        """
        live = np.unique(population)
        self._carry_over(live)
        at = np.searchsorted(live, population)  # (S, k)
        needed = np.zeros(self._known.shape, bool)
        needed[at[:, :, None], at[:, None, :]] = True
        missing = needed & np.isnan(self._known)
        if self._columns.dissimilarity.symmetric:
            self._compute(np.triu(missing, 1))
            self._known = np.fmax(self._known, self._known.T)
            return self._known[at[:, :, None], at[:, None, :]]
        self._compute(missing)
        squares = self._known[at[:, :, None], at[:, None, :]]
        return (squares + squares.transpose(0, 2, 1)) / 2

    def _carry_over(self, live: np.ndarray) -> None:
        """Keep what is known of candidates that are still live."""
        known = np.full((len(live), len(live)), np.nan)
        _, old, new = np.intersect1d(self._live, live, assume_unique=True, return_indices=True)
        known[np.ix_(new, new)] = self._known[np.ix_(old, old)]
        np.fill_diagonal(known, 0.0)
        self._live, self._known = live, known

    def _compute(self, missing: np.ndarray) -> None:
        rows = np.flatnonzero(missing.any(axis=1))
        if not len(rows):
            return
        if self._columns.dissimilarity.bulk:
            cols = np.flatnonzero(missing.any(axis=0))
            self._known[np.ix_(rows, cols)] = self._columns.block(self._live[rows], self._live[cols])
            np.fill_diagonal(self._known, 0.0)
            return

        def row(i: int) -> None:
            cols = np.flatnonzero(missing[rows[i]])
            self._known[rows[i], cols] = self._columns.block(self._live[rows[[i]]], self._live[cols])[0]

        threads.run(row, len(rows), self._columns.n_jobs)
