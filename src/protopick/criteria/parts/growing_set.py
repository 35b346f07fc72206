"""Label matches of a set to which prototypes are added one by one, for forward selection."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from protopick.compiled import kernel
from protopick.criteria.parts.fixed_point import FixedPoint, fixed, fixed_on_tensors
from protopick.engine import Columns, Tile
from protopick.engine.visits import both, greatest, nothing, on_tensors, summed, visits
from protopick.objects.tensors import put

_BATCH = 256


class GrowingSet:
    """A set of prototypes to which candidates are added one by one."""

    def __init__(self, columns: Columns, labels: np.ndarray, candidate_labels: np.ndarray) -> None:
        self._columns = columns
        self._labels = labels
        self._candidate_labels = candidate_labels
        self._nearest = columns.full(np.inf, columns.dissimilarity.dtype)  # keys
        self._nearest_label = columns.full(-1, np.int32)
        self._point = FixedPoint(columns.n_rows)

    def add(self, candidate: int) -> None:
        """Put ``candidate`` into the set."""
        join = partial(_join, label=int(self._candidate_labels[candidate]))
        self._columns.scan(np.array([candidate]), join, self._nearest, self._nearest_label)

    def matches_with(self, candidates: np.ndarray) -> np.ndarray:
        """Return, for each of ``candidates``, the label matches of the set with it."""
        counts = []
        for batch, keep in self._batches(candidates):
            look = partial(_matches_with, candidate_labels=self._candidate_labels[batch])
            aligned = self._labels, self._nearest, self._nearest_label
            counts.append(np.sum(self._columns.scan(batch, look, *aligned, keep=keep), axis=0))
        return np.concatenate(counts)

    def dissimilarity_with(self, candidates: np.ndarray) -> np.ndarray:
        """Return the sum over all objects of the dissimilarity to the nearest prototype, likewise."""
        point, batches = self._point, self._batches(candidates)
        while True:
            total = partial(_dissimilarity_with, scale=point.scale, limit=point.limit)
            parts = [self._columns.scan(batch, total, self._nearest) for batch, _ in batches]
            if point.fits(max(largest for tiles in parts for _, largest in tiles)):
                sums = [np.add.reduce([sums for sums, _ in tiles], axis=0) for tiles in parts]
                return np.concatenate(sums) / point.scale

    def _batches(self, candidates: np.ndarray) -> list[tuple[np.ndarray, bool]]:
        """Return all candidates as one batch to keep where memory allows, else small batches."""
        if len(candidates) <= self._columns.capacity:
            return [(candidates, True)]
        return [(candidates[i : i + _BATCH], False) for i in range(0, len(candidates), _BATCH)]


@visits(writes=(0, 1), combine=nothing)
def _join(tile: Tile, nearest: np.ndarray, nearest_label: np.ndarray, *, label: int) -> None:
    column = tile.columns()[0]
    closer = column < nearest
    nearest[closer] = column[closer]
    nearest_label[closer] = label


@visits(combine=summed)
def _matches_with(
    tile: Tile,
    labels: np.ndarray,
    nearest: np.ndarray,
    nearest_label: np.ndarray,
    *,
    candidate_labels: np.ndarray,
) -> np.ndarray:
    place, matching = (tile.keys, tile.at, tile.start), nearest_label == labels
    return _count_matches_with(*place, candidate_labels, labels, nearest, matching)


@visits(combine=both(summed, greatest))
def _dissimilarity_with(
    tile: Tile, nearest: np.ndarray, *, scale: float, limit: float
) -> tuple[np.ndarray, float]:
    sums, largest = np.empty(len(tile.at), np.int64), 0.0
    for start in range(0, len(tile.at), 16):
        some = slice(start, start + 16)
        values = tile.restore(np.minimum(tile.columns(some), nearest))
        sums[some] = fixed(values, scale, limit).sum(axis=1)
        largest = max(largest, float(values.max(initial=0)))
    return sums, largest


@on_tensors(_join)
def _join_on_tensors(tile: Tile, nearest: Any, nearest_label: Any, *, label: int) -> None:
    column = tile.columns()[0]
    nearest_label.masked_fill_(column < nearest, label)
    nearest[:] = nearest.minimum(column)


@on_tensors(_matches_with)
def _matches_with_on_tensors(
    tile: Tile, labels: Any, nearest: Any, nearest_label: Any, *, candidate_labels: np.ndarray
) -> Any:
    asked = put(candidate_labels, labels.device)
    matching = (labels == asked[:, None]).where(tile.columns() < nearest, nearest_label == labels)
    return matching.sum(dim=1)


@on_tensors(_dissimilarity_with)
def _dissimilarity_with_on_tensors(
    tile: Tile, nearest: Any, *, scale: float, limit: float
) -> tuple[Any, float]:
    values = tile.restore(tile.columns().minimum(nearest))
    return fixed_on_tensors(values, scale, limit).sum(dim=1), float(values.max())


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
