"""Supervised: an object's nearest prototype should have its label (Algorithm 3 of the paper)."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Criterion, Data, Objective
from protopick.criteria.parts.exchanges import fused_for, gains_on_tensors, label_gains, label_standing
from protopick.criteria.parts.growing_set import GrowingSet
from protopick.dissimilarity.tensors import fused
from protopick.engine import RowSample, Tile, TwoNearest, count_label_matches, look_again, race
from protopick.engine.two_nearest import look_again_on_tensors
from protopick.engine.visits import both, on_tensors, summed, sums_by, visits
from protopick.objects.tensors import cat, on_host, put

ERROR_PROBABILITY = 0.05
"""How often, at most, a race may drop an individual that is better than it tolerates."""


class LabelMatch(Criterion):
    """How many objects have the label of their nearest prototype; ties go to the lowest position."""

    name: ClassVar[str] = "label-match"
    needs_labels: ClassVar[bool] = True
    alike_in_one_class: ClassVar[bool] = True

    def bind(self, data: Data) -> LabelMatchObjective:
        return LabelMatchObjective(data)

    def greedy_order(self, data: Data, k: int, n_first: int) -> np.ndarray:
        assert data.labels is not None
        columns = np.ascontiguousarray(data.columns.table(np.arange(k)).T)
        weights = np.ones(len(data.row_labels), np.int64) if data.weights is None else data.weights
        order: np.ndarray = _greedy_order(columns, data.labels[:k], data.row_labels, weights, n_first)
        return order


class LabelMatchObjective(Objective):
    """Label matches of a population, of one set that grows, or of one whose prototypes are exchanged."""

    def __init__(self, data: Data) -> None:
        assert data.labels is not None
        self._data = data
        self.columns = data.columns
        self.labels = data.columns.aligned(data.row_labels.astype(np.int32, copy=False))
        self.candidate_labels = data.labels.astype(np.int32, copy=False)
        self.weights = None if data.weights is None else data.columns.aligned(data.weights)
        self.unit = data.unit

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        wanted, where = np.unique(population, return_inverse=True)
        where, prototype_labels = where.reshape(population.shape), self.candidate_labels[population]
        if self.weights is None:
            found = count_label_matches(self.columns, wanted, where, prototype_labels, self.labels)
            if found is not None:
                return _in_units(found, self.unit)
        count = partial(_count, where=where, prototype_labels=prototype_labels)
        aligned = (self.labels,) if self.weights is None else (self.labels, self.weights)
        counts = self.columns.scan(wanted, count, *aligned, keep=True, ahead=ahead)
        return _in_units(np.add.reduce(counts, axis=0), self.unit)

    def racing(self, rng: np.random.Generator, tolerance: float) -> RacingLabelMatch:
        """Return this objective measured on random rows only, as many as it takes."""
        return RacingLabelMatch(self._data, rng, tolerance)

    def around(self, prototypes: np.ndarray, ahead: Ahead = None) -> LabelMatchAround:
        return LabelMatchAround(self, prototypes, ahead)

    def growing(self) -> GrowingSet:
        """Return an empty set that tells what each candidate would bring to it."""
        return GrowingSet(self.columns, self.labels, self.candidate_labels)


class RacingLabelMatch:
    """Estimated label matches of a population, good enough to tell which individual is best."""

    def __init__(self, data: Data, rng: np.random.Generator, tolerance: float) -> None:
        assert data.labels is not None
        n = data.columns.n_rows
        self._total = data.unit * (n if data.weights is None else int(data.weights.sum()))
        self._row_labels = data.row_labels
        self._candidate_labels = data.labels
        self._sample = RowSample(data.columns, rng, data.weights)
        self._labels: list[np.ndarray] = []  # of the blocks of the sample
        self._tolerance = tolerance

    def __call__(self, population: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        def measure(block: int, individuals: np.ndarray) -> np.ndarray:
            some = population[individuals]
            wanted, where = np.unique(some, return_inverse=True)
            where, prototype_labels = where.reshape(some.shape), self._candidate_labels[some]
            columns = self._sample.block(block)
            look = partial(_match, where=where, prototype_labels=prototype_labels)
            later = None if block else ahead
            parts = columns.scan(wanted, look, self._labels_of(block), keep=True, ahead=later)
            return np.concatenate(parts, axis=1)

        size = len(population), len(self._sample)
        return self._total * race(*size, measure, tolerance=self._tolerance, error=ERROR_PROBABILITY)

    def _labels_of(self, block: int) -> np.ndarray:
        """Return the labels of a block of the sample, whose columns were asked for before."""
        while len(self._labels) <= block:
            rows, columns = self._sample.rows[len(self._labels)], self._sample.block(len(self._labels))
            self._labels.append(columns.aligned(self._row_labels[rows].astype(np.int32, copy=False)))
        return self._labels[block]


class LabelMatchAround:
    """A set whose prototypes are exchanged, and its label matches."""

    def __init__(self, objective: LabelMatchObjective, prototypes: np.ndarray, ahead: Ahead) -> None:
        self._columns = columns = objective.columns
        self._labels, self._candidate_labels = objective.labels, objective.candidate_labels
        self._unit = objective.unit
        self._weights = columns.ones() if objective.weights is None else objective.weights
        score = np.int8 if objective.weights is None else np.int64
        self._near = TwoNearest(columns, prototypes, beside=(score, score))
        self._stand(ahead)

    @property
    def value(self) -> float:
        return self._matches if self._unit == 1 else self._matches * self._unit

    def values(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        look = partial(_gains, candidate_labels=self._candidate_labels[candidates], k=len(self._removal))
        aligned = self._labels, self._weights, *self._near.beside, *self._near.arrays
        gains = self._columns.scan(candidates, look, *aligned, keep=True, ahead=ahead)
        return _in_units(self._matches + self._removal + np.add.reduce(gains, axis=0), self._unit)

    def exchange(self, position: int, candidate: int) -> None:
        self._near.replace(position, candidate)
        self._stand()

    def _stand(self, ahead: Ahead = None) -> None:
        look = partial(_stand, own_labels=self._candidate_labels[self._near.prototypes])
        parts = self._near.scan(look, self._labels, self._weights, ahead=ahead)
        self._matches = sum(int(total) for total, _ in parts)
        self._removal = np.add.reduce([removal for _, removal in parts], axis=0)


def _in_units(counts: np.ndarray, unit: float) -> np.ndarray:
    return counts if unit == 1 else counts * unit


@visits(combine=summed)
def _count(
    tile: Tile,
    labels: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    where: np.ndarray,
    prototype_labels: np.ndarray,
) -> np.ndarray:
    matching = np.empty((len(where), len(labels)), np.uint8)
    counts = _matches(tile.keys, tile.at[where], tile.start, prototype_labels, labels, matching)
    return counts if weights is None else matching @ weights


def _match(tile: Tile, labels: np.ndarray, *, where: np.ndarray, prototype_labels: np.ndarray) -> np.ndarray:
    matching = np.empty((len(where), len(labels)), np.uint8)
    _matches(tile.keys, tile.at[where], tile.start, prototype_labels, labels, matching)
    return matching


@visits(writes=(0, 1, 2, 3, 4, 5), combine=both(sum, summed))
def _stand(tile: Tile, *aligned: np.ndarray, changed: int, own_labels: np.ndarray) -> tuple[int, np.ndarray]:
    near, (scores, second_scores, labels, weights) = aligned[:4], aligned[4:]
    look_again(tile, *near, changed=changed)
    return label_standing(own_labels, labels, weights, *near[2:], scores, second_scores)


@visits(combine=summed)
def _gains(
    tile: Tile, labels: np.ndarray, *aligned: np.ndarray, candidate_labels: np.ndarray, k: int
) -> np.ndarray:
    gains = np.zeros((len(candidate_labels), k), np.int64)
    place = tile.keys, tile.at, tile.start
    label_gains(*place, labels[None], candidate_labels, 0.0, 0.0, *aligned, gains)
    return gains


@on_tensors(_match)
def _match_on_tensors(tile: Any, labels: Any, *, where: np.ndarray, prototype_labels: np.ndarray) -> Any:
    asked = put(prototype_labels, labels.device)
    matching = []
    for some, columns in tile.sets(where):
        nearest = columns.argmin(dim=1)  # the first of equal ones
        matching.append(asked[some].gather(1, nearest) == labels)
    return cat(matching, dim=0)


@on_tensors(_count)
def _count_on_tensors(
    tile: Any, labels: Any, weights: Any = None, *, where: np.ndarray, prototype_labels: np.ndarray
) -> Any:
    kernels = fused(tile.keys)
    if kernels is not None and weights is None:
        asked = put(prototype_labels, labels.device)
        return kernels.count_matches(tile.keys, tile.named(where), tile.start, tile.stop, asked, labels)
    matching = _match_on_tensors(tile, labels, where=where, prototype_labels=prototype_labels)
    if weights is None:
        return matching.sum(dim=1)
    return (matching.double() @ weights.double()).long()


@on_tensors(_stand)
def _stand_on_tensors(tile: Any, *aligned: Any, changed: int, own_labels: np.ndarray) -> tuple[Any, Any]:
    near, (scores, second_scores, labels, weights) = aligned[:4], aligned[4:]
    look_again_on_tensors(tile, *near, changed=changed)
    at, second_at = near[2:]
    asked, k = put(own_labels, labels.device), len(own_labels)
    loops = fused_for(tile, k)
    if loops is not None and weights.element_size() == 1:  # ones
        found = on_host(loops.label_standing(asked, labels, (at, second_at), (scores, second_scores)))
        return found[k], found[:k]
    own = weights * (labels == asked[at])
    other = weights * (labels == asked[second_at.clamp(min=0)])  # with a single prototype, itself
    scores[:], second_scores[:] = own, other
    return own.sum(), sums_by(at, (other - own).double()[None], k)[0].long()


@on_tensors(_gains)
def _gains_on_tensors(
    tile: Tile,
    labels: Any,
    weights: Any,
    scores: Any,
    second_scores: Any,
    *near: Any,
    candidate_labels: np.ndarray,
    k: int,
) -> np.ndarray:
    asked = put(candidate_labels, labels.device)
    unweighted = weights.element_size() == 1  # ones, whose sums are exact in float32
    gained = (labels, asked) if unweighted else (labels == asked[:, None]) * weights.double()
    return gains_on_tensors(tile, gained, scores, second_scores, near, k).astype(np.int64)


@inlined
def _nearer(key, label, other, other_label):  # type: ignore[no-untyped-def]
    """Return the key and the label of the nearer of two prototypes, the first of equally near ones."""
    closer = other < key
    return other if closer else key, other_label if closer else label


@kernel
def _matches(keys, where, start, prototype_labels, labels, matching):  # type: ignore[no-untyped-def]
    """Mark, for each individual, the rows whose nearest prototype has their label; return how many."""
    n_individuals, k = where.shape
    n_rows = labels.shape[0]
    step = 512
    nearest = np.empty(step, keys.dtype)
    nearest_label = np.empty(step, np.int32)
    counts = np.zeros(n_individuals, np.int64)
    for first in range(0, n_rows, step):
        size = min(step, n_rows - first)
        here, there = start + first, start + first + size
        own = labels[first : first + size]
        for s in range(n_individuals):
            column, label = keys[where[s, 0], here:there], prototype_labels[s, 0]
            for i in range(size):
                nearest[i], nearest_label[i] = column[i], label
            # Four at a time, so that what is known of a row is read and written less often. Beyond the
            # last there is the last again, which is not nearer than itself.
            for j in range(1, k, 4):
                b, c, d = min(j + 1, k - 1), min(j + 2, k - 1), min(j + 3, k - 1)
                column_a, label_a = keys[where[s, j], here:there], prototype_labels[s, j]
                column_b, label_b = keys[where[s, b], here:there], prototype_labels[s, b]
                column_c, label_c = keys[where[s, c], here:there], prototype_labels[s, c]
                column_d, label_d = keys[where[s, d], here:there], prototype_labels[s, d]
                for i in range(size):
                    key, label = _nearer(nearest[i], nearest_label[i], column_a[i], label_a)
                    key, label = _nearer(key, label, column_b[i], label_b)
                    key, label = _nearer(key, label, column_c[i], label_c)
                    nearest[i], nearest_label[i] = _nearer(key, label, column_d[i], label_d)
            target = matching[s, first : first + size]
            n_matching = 0
            for i in range(size):
                target[i] = nearest_label[i] == own[i]
                n_matching += nearest_label[i] == own[i]
            counts[s] += n_matching
    return counts


@kernel
def _greedy_order(columns, own_labels, labels, weights, n_first):  # type: ignore[no-untyped-def]
    """Return the columns so that each brings most matches to those before it, the first of equals."""
    k, n_rows = columns.shape
    order = np.arange(k)
    nearest, matching = np.empty(n_rows, columns.dtype), np.empty(n_rows, np.bool_)
    for size in range(k):
        best, most = size, np.int64(-1)
        for c in range(size, k if size >= n_first else size + 1):
            column, label = columns[order[c]], own_labels[order[c]]
            matches = np.int64(0)
            for i in range(n_rows):
                closer = size == 0 or column[i] < nearest[i]
                matches += weights[i] * (labels[i] == label if closer else matching[i])
            if matches > most:
                best, most = c, matches
        chosen = order[best]
        order[size + 1 : best + 1] = order[size:best].copy()
        order[size] = chosen
        column, label = columns[chosen], own_labels[chosen]
        for i in range(n_rows):
            if size == 0 or column[i] < nearest[i]:
                nearest[i], matching[i] = column[i], labels[i] == label
    return order
