"""The dissimilarity space of a sample, in which margins between classes are measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from protopick.criteria.base import Ahead, Data
from protopick.criteria.parts import margin_kernels
from protopick.criteria.parts.margin_kernels import NEVER, ROWS
from protopick.criteria.parts.places import Places
from protopick.engine import threads

_DIGITS = 5
_TASKS = 16
_AT_ONCE = 16  # candidates whose numbers stay in cache
_LINE = 16


class Features(NamedTuple):
    """The dissimilarities of all objects to some candidates, standardised, and what is known of them."""

    rows: Any  # (candidates, objects) float32; there may be room at the end of each
    deviations: Any  # from the class means, times the root of an object's weight
    means: np.ndarray  # (classes, candidates)
    squares: np.ndarray  # (classes, candidates) sums of squared deviations


class Known(NamedTuple):
    """Functions that give the value of a set, and those after exchanges."""

    value: Callable[[], float]
    after: Callable[..., np.ndarray]


class Sample:
    """Objects ordered by class, and their dissimilarities to candidates, each of these standardised.

    Arrays with a number for each object are where the objects are; all others are on the host.
    """

    def __init__(self, data: Data) -> None:
        codes = np.unique(data.row_labels, return_inverse=True)[1]
        self._columns = data.columns
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]
        counts = np.bincount(codes)
        ends = np.cumsum(counts).tolist()
        self.classes = [slice(end - count, end) for end, count in zip(ends, counts.tolist(), strict=True)]
        weights = np.ones(len(codes))
        if data.weights is not None and data.weights.any():
            weights = data.weights / data.weights.mean()  # one on average
        self._weights = np.asarray(weights[self._order], dtype=np.float64)
        self._is_own = np.arange(len(counts))[:, None] == self._codes  # (classes, objects)
        self.share = np.maximum((self._is_own * self._weights).sum(axis=1), 1e-300)
        self.total = float(self._weights.sum())
        self.log_share = np.log(self.share / self.total)
        self._single_weights = self._weights.astype(np.float32)
        each = 12 * len(codes) + 16 * len(counts)
        self._places = Places(data.columns.memory // each)
        self._forget(0)

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> Features:
        """Return the dissimilarities to candidates."""
        at = self._places.find(candidates, ahead, self._add, self._forget)
        rows, deviations, means, squares = self._held
        there = self._place_there(at)
        return Features(rows[there], deviations[there], means[at].T, squares[at].T)

    def _place_there(self, at: np.ndarray) -> Any:
        return at

    def _forget(self, n_wanted: int) -> None:
        n, n_classes, most = len(self._codes), len(self.classes), max(self._places.n_places, n_wanted)
        # For each candidate its row, deviations, means and squares. Room that is not used takes no memory.
        self._held: list[Any] = [_room((most, n)), np.empty((most, n)), *np.empty((2, most, n_classes))]

    def _add(self, new: np.ndarray, start: int) -> None:
        table = self._columns.table(new, keep=True)
        ends = np.array([own.stop for own in self.classes])

        def look(i: int) -> None:
            some = slice(i * _AT_ONCE, min(len(new), (i + 1) * _AT_ONCE))
            held = (array[start + some.start : start + some.stop] for array in self._held)
            margin_kernels.standardize(table[:, some], self._order, ends, self._weights, *held)

        threads.run(look, -(-len(new) // _AT_ONCE), self._columns.n_jobs)

    def products(self, these: Features, others: Features) -> np.ndarray:
        """Return the products of deviations with others, summed over objects."""
        return these.deviations @ others.deviations.T

    def products_by_class(self, these: Features, others: Features) -> np.ndarray:
        """Return the same for each class, shape (classes, these, others)."""
        return np.stack([these.deviations[:, c] @ others.deviations[:, c].T for c in self.classes])

    def linear_standing(
        self, features: Features, whitening: np.ndarray, levels: np.ndarray, steepness: float
    ) -> Known:
        """Return the value of a set, and of others, where classes have one covariance matrix."""
        whitening = whitening.astype(np.float32)  # of what is white, single numbers are exact enough
        solved = whitening.T @ (whitening @ features.rows)
        scores = features.means.astype(np.float32) @ solved
        known = features.rows, solved, scores

        def value() -> float:
            return self._value(scores + levels.astype(np.float32)[:, None], steepness)

        return Known(value, self._exchanges(margin_kernels.linear, steepness, known))

    def quadratic_standing(
        self, features: Features, whitening: np.ndarray, levels: np.ndarray, steepness: float
    ) -> Known:
        """Return the same where each class has its own."""
        rows, means = features.rows, features.means.astype(np.float32)
        whitening = whitening.astype(np.float32)
        scores = np.empty((len(means), rows.shape[1]), np.float32)
        solved = np.empty((len(means), *rows.shape), np.float32)

        def look(c: int) -> None:
            white = whitening[c] @ (rows - means[c][:, None])
            scores[c] = levels[c] - np.einsum("ij,ij->j", white, white) / 2
            np.matmul(whitening[c].T, white, out=solved[c])

        threads.run(look, len(means), self._columns.n_jobs)
        after = self._exchanges(margin_kernels.quadratic, steepness, (rows, solved, scores))
        return Known(lambda: self._value(scores, steepness), after)

    def _value(self, scores: np.ndarray, steepness: float) -> float:
        others = np.where(self._is_own, NEVER, scores[:, : len(self._codes)]).max(axis=0)
        t = steepness * (scores[self._codes, np.arange(len(self._codes))] - others)
        return float(self._mean((t / (1 + np.abs(t))) @ self._weights))

    def _mean(self, sums: np.ndarray) -> np.ndarray:
        """Return sums over objects of numbers from -1 to 1 as means from 0 to 1."""
        return np.round(0.5 + 0.5 * sums / self.total, _DIGITS)

    def _exchanges(
        self, look: Callable[..., None], steepness: float, known: tuple[np.ndarray, ...]
    ) -> Callable[..., np.ndarray]:
        """Return what gives the value after each exchange, from the candidates and their coefficients."""
        blocks = self._blocks
        step = -(-len(blocks) // _TASKS)

        def after(candidates: Features, *coefficients: np.ndarray) -> np.ndarray:
            new = candidates.rows, *(array.astype(np.float32) for array in coefficients)
            sums = np.zeros((-(-len(blocks) // step), len(candidates.rows), len(known[0])))

            def task(i: int) -> None:
                some = blocks[i * step : (i + 1) * step]
                look(some, self._single_weights, np.float32(steepness), *known, *new, sums[i])

            threads.run(task, len(sums), self._columns.n_jobs)
            return self._mean(sums.sum(axis=0))

        return after

    @cached_property
    def _blocks(self) -> np.ndarray:
        """Where blocks of objects of one class begin and end, and which class that is."""
        blocks = [
            (start, min(start + ROWS, some.stop), c)
            for c, some in enumerate(self.classes)
            for start in range(some.start, some.stop, ROWS)
        ]
        return np.array(blocks, dtype=np.intp)


def _room(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array for so many numbers, and some more in each row.

    Rows that are a power of two apart would all want the same few places of the processor's cache.
    """
    return np.empty((*shape[:-1], _LINE * (-(-shape[-1] // _LINE) | 1)), np.float32)
