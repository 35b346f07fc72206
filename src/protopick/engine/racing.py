"""Racing: measure on growing random samples, and drop what cannot win any more.

To find the best individual of a generation, exact values of the losers are not needed. All
individuals are measured on the same random rows, so that two of them differ only where they treat a
row differently, and few rows tell them apart. The cost hardly depends on the number of objects.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from protopick.engine.columns import Columns

FIRST_BLOCK = 4096
LARGEST_SAMPLE = 1 << 18


class RowSample:
    """Random rows of columns, in blocks that double the sample each time.

    The rows are drawn once, so that a column is computed once for each block, as in exact evaluation.
    They are drawn independently, but a sample that would hold half of the rows holds each of them once.
    With ``weights``, a row is drawn as often as its weight says.
    """

    def __init__(self, columns: Columns, rng: np.random.Generator, weights: np.ndarray | None = None) -> None:
        self._columns = columns
        n = columns.n_rows
        size = LARGEST_SAMPLE if n > 2 * LARGEST_SAMPLE else n
        if weights is not None:
            reach = np.cumsum(weights)
            rows = np.searchsorted(reach, rng.integers(0, reach[-1], size), side="right")
        else:
            rows = rng.integers(0, n, size) if size < n else rng.permutation(n)
        edges = [FIRST_BLOCK * 2**i for i in range(40) if FIRST_BLOCK * 2**i < size]
        self.rows = np.split(rows, edges)
        self._blocks: list[Columns] = []

    def __len__(self) -> int:
        return len(self.rows)

    def block(self, i: int) -> Columns:
        """Return the columns over the rows of block i."""
        while len(self._blocks) <= i:
            rows = np.sort(self.rows[len(self._blocks)])
            self.rows[len(self._blocks)] = rows
            memory = self._columns.memory // len(self.rows)
            self._blocks.append(self._columns.over(rows, memory=memory))
        return self._blocks[i]


def race(
    n_individuals: int,
    n_blocks: int,
    measure: Callable[[int, np.ndarray], np.ndarray],
    *,
    tolerance: float,
    error: float,
) -> np.ndarray:
    """Return an estimate of each individual's mean score, that of the winner largest.

    Parameters
    ----------
    measure : callable
        ``measure(block, individuals)`` returns their scores, 0 or 1, on the rows of the block.
    tolerance, error : float
        An individual is dropped when, by an empirical Bernstein bound, its mean is at most
        ``tolerance`` above the leader's. Over all pairs of individuals and all blocks, the bounds fail
        with probability ``error`` at most, for individuals that were not chosen by these very rows.

    References
    ----------
    A. Maurer and M. Pontil, "Empirical Bernstein bounds and sample-variance penalization", COLT 2009,
    Theorem 4, for differences that lie between -1 and 1.
    """
    estimates = np.zeros(n_individuals)
    log_term = np.log(2 * n_individuals**2 * n_blocks / error)
    alive = np.arange(n_individuals)
    scores = np.empty((n_individuals, 0), np.uint8)
    for block in range(n_blocks):
        scores = np.concatenate([scores, measure(block, alive)], axis=1)  # (alive, rows so far)
        finalists, means, m = alive, scores.mean(axis=1), scores.shape[1]
        estimates[alive] = means
        leader = int(means.argmax())
        behind = means[leader] - means
        variance = (scores != scores[leader]).mean(axis=1) - behind**2
        radius = np.sqrt(2 * variance * log_term / m) + 14 / 3 * log_term / (m - 1)
        contends = radius - behind > tolerance
        contends[leader] = True
        alive, scores = alive[contends], scores[contends]
        if len(alive) == 1:
            break
    dropped = np.setdiff1d(np.arange(n_individuals), finalists)
    below = np.nextafter(means[leader], -1)  # their estimates rest on fewer rows
    estimates[dropped] = np.minimum(estimates[dropped], below)
    return estimates
