"""Spherical Hashing: one bit a pivot, set where an object lies inside the pivot's sphere."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from protopick.dissimilarity import resolve
from protopick.engine import Columns, Tile, columns_of, middle, nothing, visits
from protopick.engine.visits import on_tensors
from protopick.objects.tensors import put

_SAMPLE = 2000
_POOL = 4
"""How many times more objects are tried as pivots than are needed."""


def binary_codes(columns: Columns, n_pivots: int, rng: np.random.Generator, sampled: bool = False) -> Columns:
    """Return columns of packed codes, compared by the spherical Hamming distance.

    Pivots are trained on a sample so that two spheres share about a quarter of the objects; then
    each sphere's radius is set so that it holds half of all objects.
    """
    pivots = train_pivots(columns, n_pivots, rng)
    n_words = -(-n_pivots // 64)
    codes = columns.full(0, np.uint8, 8 * n_words)
    eight = 2 * 8 * columns.n_rows * columns.dissimilarity.dtype.itemsize  # bytes, with their partition
    at_once = 8 if eight <= columns.memory // 2 else 1
    for start in range(0, n_pivots, at_once):
        D = columns.aligned_table(pivots[start : start + at_once])  # (rows, at_once)
        columns.each(partial(_set_bits, radii=columns.middle(D), start=start), D, codes)
    packed = columns.as_rows(codes, np.uint64)  # (rows, words)
    return columns_of(
        packed,
        resolve("spherical_hamming").fit(packed),
        n_jobs=columns.asked_jobs,
        memory=max(0, columns.memory - 8 * n_words * columns.n_rows),
    )


@visits(writes=(1,), combine=nothing)
def _set_bits(tile: Tile, D: np.ndarray, codes: np.ndarray, *, radii: np.ndarray, start: int) -> None:
    codes[:, start // 8] |= np.packbits(radii >= D, axis=1)[:, 0] >> (start % 8)


@on_tensors(_set_bits)
def _set_bits_on_tensors(tile: Tile, D: Any, codes: Any, *, radii: np.ndarray, start: int) -> None:
    inside = put(radii, D.device) >= D  # (rows, at most 8)
    for i, bit in enumerate(inside.T):
        codes[:, start // 8] |= bit.byte() << (7 - start % 8 - i)


def training_cost(n: int, n_pivots: int) -> int:
    """Return how many dissimilarities `train_pivots` takes."""
    return min(n, _SAMPLE) * min(n, _POOL * n_pivots)


def train_pivots(columns: Columns, n_pivots: int, rng: np.random.Generator) -> np.ndarray:
    """Choose pivots whose spheres overlap as independent bits would (Heo et al., 2012).

    In a vector space pivots are moved apart; objects cannot be moved, so the pivot whose spheres
    deviate most from sharing a quarter is exchanged for the best one of a random pool, until no
    exchange helps.
    """
    n = columns.n_rows
    pool = rng.choice(n, min(n, _POOL * n_pivots), replace=False)
    sample = np.sort(rng.choice(n, min(n, _SAMPLE), replace=False))
    D = columns.over(sample).table(pool)  # (sample, pool)
    inside = (middle(D) >= D).astype(np.float64)
    deviation = np.abs(inside.T @ inside / len(sample) - 0.25)  # (pool, pool)
    np.fill_diagonal(deviation, 0.0)
    chosen = np.arange(n_pivots)
    spare = np.arange(n_pivots, len(pool))
    for _ in range(4 * n_pivots if len(spare) else 0):
        cost = deviation[np.ix_(chosen, chosen)].sum(axis=1)
        worst = int(cost.argmax())
        others = np.delete(chosen, worst)
        spare_cost = deviation[np.ix_(spare, others)].sum(axis=1)
        best = int(spare_cost.argmin())
        if spare_cost[best] >= cost[worst]:
            break
        chosen[worst], spare[best] = spare[best], chosen[worst]
    return pool[chosen]
