"""Dissimilarities among candidates only, for criteria that look at no other object."""

from __future__ import annotations

import numpy as np

from protopick.engine.columns import Columns

_MOST_LIVE = 2048


class Pairs:
    """The k x k dissimilarities of every individual, each pair computed once while it is live.

    Where blocks are cheap, those of all live candidates are computed together. A population of more
    than 2,048 candidates is cut into parts, which share nothing.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._live = np.empty(0, np.intp)
        self._known = np.empty((0, 0))  # (live, live), NaN where not computed

    def squares(self, population: np.ndarray) -> np.ndarray:
        """Return the dissimilarities within each individual of a (S, k) population, shape (S, k, k).

        An asymmetric dissimilarity is replaced by the mean of both directions.
        """
        live = np.unique(population)
        if len(live) > _MOST_LIVE and len(population) > 1:
            half = len(population) // 2
            parts = [Pairs(self._columns).squares(part) for part in (population[:half], population[half:])]
            return np.concatenate(parts)
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

        cols_of = [np.flatnonzero(missing[row]) for row in rows]
        requests = [(self._live[[row]], self._live[cols]) for row, cols in zip(rows, cols_of, strict=True)]
        for row, cols, block in zip(rows, cols_of, self._columns.blocks(requests), strict=True):
            self._known[row, cols] = block[0]
