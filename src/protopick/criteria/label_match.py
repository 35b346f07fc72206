"""Supervised: an object's nearest prototype should have its label (Algorithm 3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.compiled import kernel
from protopick.criteria.base import Ahead, Criterion, Data
from protopick.criteria.exchanges import label_gains, label_standing
from protopick.criteria.weights import ones
from protopick.engine import QUANTUM, Columns, RowSample, Tile, TwoNearest, race, threads

ERROR_PROBABILITY = 0.05
"""How often, at most, a race may drop an individual that is better than it tolerates."""

_BATCH = 256
_ROWS = 16_384


class LabelMatch(Criterion):
    """How many objects have the label of their nearest prototype; ties go to the lowest position."""

    name: ClassVar[str] = "label-match"
    needs_labels: ClassVar[bool] = True

    def bind(self, data: Data) -> LabelMatchObjective:
        return LabelMatchObjective(data)


class LabelMatchObjective:
    """Label matches of a population, of one set that grows, or of one whose prototypes are exchanged."""

    def __init__(self, data: Data) -> None:
        self._columns = data.columns
        self._labels = data.row_labels.astype(np.int32, copy=False)
        assert data.labels is not None
        self._candidate_labels = self._labels if data.rows is None else data.labels
        self._weights = data.weights
        self._unit = data.unit

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        where, prototype_labels = where.reshape(population.shape), self._candidate_labels[population]
        count = partial(_count, where=where, prototype_labels=prototype_labels)
        aligned = (self._labels,) if self._weights is None else (self._labels, self._weights)
        counts = self._columns.scan(wanted, count, *aligned, keep=True, ahead=ahead)
        return _in_units(np.add.reduce(counts, axis=0), self._unit)

    def racing(self, rng: np.random.Generator, tolerance: float) -> RacingLabelMatch:
        """Return this objective measured on random rows only, as many as it takes."""
        return RacingLabelMatch(self._columns, self._labels, self._weights, self._unit, rng, tolerance)

    def around(self, prototypes: np.ndarray) -> LabelMatchAround:
        weights = ones(self._columns.n_rows) if self._weights is None else self._weights
        labels = self._labels, self._candidate_labels
        return LabelMatchAround(self._columns, *labels, weights, self._unit, prototypes)

    def growing(self) -> GrowingSet:
        """Return an empty set that tells what each candidate would bring to it."""
        return GrowingSet(self._columns, self._labels)


class RacingLabelMatch:
    """Estimated label matches of a population, good enough to tell which individual is best."""

    def __init__(
        self,
        columns: Columns,
        labels: np.ndarray,
        weights: np.ndarray | None,
        unit: float,
        rng: np.random.Generator,
        tolerance: float,
    ) -> None:
        self._total = unit * (columns.n_rows if weights is None else int(weights.sum()))
        self._labels = labels
        self._sample = RowSample(columns, rng, weights)
        self._tolerance = tolerance

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        def measure(block: int, individuals: np.ndarray) -> np.ndarray:
            some = population[individuals]
            wanted, where = np.unique(some, return_inverse=True)
            where, prototype_labels = where.reshape(some.shape), self._labels[some]
            columns = self._sample.block(block)
            labels = self._labels[self._sample.rows[block]]
            matching = np.empty((len(labels), len(some)), np.uint8)
            look = partial(_match, where=where, prototype_labels=prototype_labels)
            columns.scan(wanted, look, labels, matching, keep=True, ahead=None if block else ahead)
            return matching.T

        size = len(population), len(self._sample)
        return self._total * race(*size, measure, tolerance=self._tolerance, error=ERROR_PROBABILITY)


class LabelMatchAround:
    """A set whose prototypes are exchanged, and its label matches."""

    def __init__(
        self,
        columns: Columns,
        labels: np.ndarray,
        candidate_labels: np.ndarray,
        weights: np.ndarray,
        unit: float,
        prototypes: np.ndarray,
    ) -> None:
        self._columns = columns
        self._labels = labels
        self._candidate_labels = candidate_labels
        self._weights = weights
        self._unit = unit
        self._near = TwoNearest(columns, prototypes)
        self._scores = np.empty(columns.n_rows, weights.dtype)
        self._second_scores = np.empty(columns.n_rows, weights.dtype)
        self._stand()

    @property
    def value(self) -> float:
        return self._matches if self._unit == 1 else self._matches * self._unit

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        look = partial(_gains, candidate_labels=self._candidate_labels[candidates], k=len(self._removal))
        aligned = self._labels, self._weights, self._scores, self._second_scores, *self._near.arrays
        gains = self._columns.scan(candidates, look, *aligned, keep=True, ahead=ahead)
        return _in_units(self._matches + self._removal + np.add.reduce(gains, axis=0), self._unit)

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._stand()

    def _stand(self) -> None:
        own_labels = self._candidate_labels[self._near.prototypes]
        aligned = self._labels, self._weights, self._near.at, self._near.second_at

        def look(i: int) -> tuple[int, np.ndarray]:
            here = slice(i * _ROWS, (i + 1) * _ROWS)
            scores = self._scores[here], self._second_scores[here]
            return label_standing(own_labels, *(array[here] for array in aligned), *scores)

        parts = threads.run(look, -(-len(self._labels) // _ROWS), self._columns.n_jobs)
        self._matches = sum(int(total) for total, _ in parts)
        self._removal = np.add.reduce([removal for _, removal in parts], axis=0)


class GrowingSet:
    """A set of prototypes to which candidates are added one by one."""

    def __init__(self, columns: Columns, labels: np.ndarray) -> None:
        self._columns = columns
        self._labels = labels
        self._nearest = np.full(columns.n_rows, np.inf, columns.dissimilarity.dtype)  # keys
        self._nearest_label = np.full(columns.n_rows, -1, np.int32)

    def add(self, candidate: int) -> None:
        """Put ``candidate`` into the set."""
        join = partial(_join, label=self._labels[candidate])
        self._columns.scan(np.array([candidate]), join, self._nearest, self._nearest_label)

    def matches_with(self, candidates: np.ndarray) -> np.ndarray:
        """Return, for each of ``candidates``, the label matches of the set with it."""
        return np.concatenate(
            [
                np.sum(
                    self._columns.scan(
                        batch,
                        partial(_matches_with, candidate_labels=self._labels[batch]),
                        self._labels,
                        self._nearest,
                        self._nearest_label == self._labels,
                        keep=keep,
                    ),
                    axis=0,
                    dtype=np.int64,
                )
                for batch, keep in self._batches(candidates)
            ]
        )

    def dissimilarity_with(self, candidates: np.ndarray) -> np.ndarray:
        """Return the sum over all objects of the dissimilarity to the nearest prototype, likewise."""
        total = partial(_dissimilarity_with, restore=self._columns.dissimilarity.restore)
        # (candidates, quanta), so that the sums do not depend on the height of the tiles
        parts = [
            np.concatenate(self._columns.scan(batch, total, self._nearest), axis=1)
            for batch, _ in self._batches(candidates)
        ]
        return np.add.reduce(np.concatenate(parts), axis=1)

    def _batches(self, candidates: np.ndarray) -> list[tuple[np.ndarray, bool]]:
        """Return all candidates as one batch to keep where memory allows, else small batches."""
        if len(candidates) <= self._columns.capacity:
            return [(candidates, True)]
        return [(candidates[i : i + _BATCH], False) for i in range(0, len(candidates), _BATCH)]


def _in_units(counts: np.ndarray, unit: float) -> np.ndarray:
    return counts if unit == 1 else counts * unit


def _count(
    tile: Tile,
    labels: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    where: np.ndarray,
    prototype_labels: np.ndarray,
) -> np.ndarray:
    matching = np.empty((len(where), len(labels)), np.uint8)
    _matches(tile.keys, tile.at[where], tile.start, prototype_labels, labels, matching)
    return matching.sum(axis=1, dtype=np.int64) if weights is None else matching @ weights


def _match(
    tile: Tile,
    labels: np.ndarray,
    matching: np.ndarray,
    *,
    where: np.ndarray,
    prototype_labels: np.ndarray,
) -> None:
    out = np.empty((len(where), len(labels)), np.uint8)
    _matches(tile.keys, tile.at[where], tile.start, prototype_labels, labels, out)
    matching[:] = out.T


def _gains(
    tile: Tile, labels: np.ndarray, *aligned: np.ndarray, candidate_labels: np.ndarray, k: int
) -> np.ndarray:
    gains = np.zeros((len(candidate_labels), k), np.int64)
    place = tile.keys, tile.at, tile.start
    label_gains(*place, labels[None], candidate_labels, 0.0, 0.0, *aligned, gains)
    return gains


def _join(tile: Tile, nearest: np.ndarray, nearest_label: np.ndarray, *, label: int) -> None:
    column = tile.columns()[0]
    closer = column < nearest
    nearest[closer] = column[closer]
    nearest_label[closer] = label


def _matches_with(
    tile: Tile,
    labels: np.ndarray,
    nearest: np.ndarray,
    matching: np.ndarray,
    *,
    candidate_labels: np.ndarray,
) -> np.ndarray:
    return _count_matches_with(tile.keys, tile.at, tile.start, candidate_labels, labels, nearest, matching)


def _dissimilarity_with(tile: Tile, nearest: np.ndarray, *, restore: Callable[..., Any]) -> np.ndarray:
    quanta = np.arange(0, len(nearest), QUANTUM)
    sums = np.empty((len(tile.at), len(quanta)))
    for start in range(0, len(tile.at), 16):
        some = slice(start, start + 16)
        values = restore(np.minimum(tile.columns(some), nearest))
        sums[some] = np.add.reduceat(values.astype(np.float64, copy=False), quanta, axis=1)
    return sums


@kernel
def _count_matches_with(keys, at, start, candidate_labels, labels, nearest, matching):  # type: ignore[no-untyped-def]
    """Count, for each candidate, the rows that match when it joins the set."""
    counts = np.zeros(len(at), np.int64)
    for j in range(len(at)):
        column = keys[at[j], start : start + len(labels)]
        label = candidate_labels[j]
        matches = 0
        for i in range(len(labels)):
            matches += labels[i] == label if column[i] < nearest[i] else matching[i]
        counts[j] = matches
    return counts


@kernel
def _matches(keys, where, start, prototype_labels, labels, matching):  # type: ignore[no-untyped-def]
    """Mark, for each individual, the rows whose nearest prototype has their label."""
    n_individuals, k = where.shape
    n_rows = labels.shape[0]
    step = 512
    nearest = np.empty(step, keys.dtype)
    nearest_label = np.empty(step, np.int32)
    for first in range(0, n_rows, step):
        size = min(step, n_rows - first)
        here, there = start + first, start + first + size
        own = labels[first : first + size]
        for s in range(n_individuals):
            column = keys[where[s, 0], here:there]
            label = prototype_labels[s, 0]
            for i in range(size):
                nearest[i] = column[i]
                nearest_label[i] = label
            for j in range(1, k):
                column = keys[where[s, j], here:there]
                label = prototype_labels[s, j]
                for i in range(size):
                    closer = column[i] < nearest[i]
                    nearest[i] = column[i] if closer else nearest[i]
                    nearest_label[i] = label if closer else nearest_label[i]
            target = matching[s, first : first + size]
            for i in range(size):
                target[i] = nearest_label[i] == own[i]
