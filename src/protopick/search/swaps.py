"""Local search by exchanging one prototype at a time, as ask and tell."""

from __future__ import annotations

import numpy as np

from protopick.search.quota import Quota

_LARGEST = 256
_BATCH = 64
AHEAD = 2048
"""How many candidates are named before they are asked for, at most."""


class Swaps:
    """Exchange a prototype for a candidate wherever that is better, until no exchange is.

    Parameters
    ----------
    start : int array
        The first set.
    value : float
        Its value.
    pool : int array
        Candidates in the order in which they are tried, over and over; none of them is in ``start``.
        A prototype that is exchanged takes the place of its successor in the pool.
    best_of_batch : bool
        Make the best exchange of each batch of 64 candidates, as long as there is one, instead of the
        best exchange of the first candidate that has one.
    n_fixed : int
        So many positions at the beginning never change.
    max_rounds : float
        Try the candidates so many times at most.
    quota : Quota, optional
        How many of each class there may be. ``start`` keeps it.
    smallest : int
        How many candidates are asked for at least, where so many are left. The result does not depend
        on it.

    Examples
    --------
    >>> weight = np.arange(50)
    >>> start = np.array([3, 1, 2])
    >>> search = Swaps(start, 6, np.arange(4, 50))
    >>> while not search.done:
    ...     candidates = search.ask()  # the largest sum wins
    ...     exchanged = search.tell(search.best.sum() - search.best + candidates[:, None])
    >>> sorted(search.best.tolist())
    [47, 48, 49]
    """

    def __init__(
        self,
        start: np.ndarray,
        value: float,
        pool: np.ndarray,
        *,
        best_of_batch: bool = False,
        n_fixed: int = 0,
        max_rounds: float = np.inf,
        quota: Quota | None = None,
        smallest: int = 8,
    ) -> None:
        self.best = np.array(start, dtype=np.intp)
        self.best_value = value
        self.history = [value]
        self.n_looked = 0
        self._pool = np.array(pool, dtype=np.intp)
        self._best_of_batch = best_of_batch
        self._n_fixed = n_fixed
        self._quota = quota
        self._most = max_rounds * len(pool)
        self._next = 0
        self._fruitless = 0  # candidates since the last exchange
        self._smallest = smallest
        self._size = _BATCH if best_of_batch else smallest
        self._asked = np.empty(0, np.intp)  # positions in the pool

    @property
    def done(self) -> bool:
        """Whether all candidates were tried in vain, or often enough."""
        in_vain = self._fruitless >= len(self._pool)
        return in_vain or self.n_looked >= self._most or self._n_fixed == len(self.best)

    def ask(self) -> np.ndarray:
        """Return the candidates to look at next."""
        size = min(
            self._size, len(self._pool) - self._fruitless, int(min(self._most - self.n_looked, _LARGEST))
        )
        self._asked = (self._next + np.arange(size)) % len(self._pool)
        return self._pool[self._asked]

    def upcoming(self, limit: int) -> np.ndarray:
        """Return up to ``limit`` candidates that will be asked for next, unless the search ends."""
        size = min(limit, AHEAD, len(self._pool))
        return self._pool[(self._next + np.arange(size)) % len(self._pool)]

    def tell(self, values: np.ndarray) -> tuple[int, int] | None:
        """Take the value of the set with each candidate that was asked at each position.

        Where they are of fewer candidates, the others were not looked at. Returns the position and the
        candidate of the exchange that was made, if any.
        """
        self._asked = self._asked[: len(values)]
        candidates = self._pool[self._asked]
        allowed = np.ones(values.shape, bool)
        allowed[:, : self._n_fixed] = False
        if self._quota is not None:
            allowed &= self._quota.allows(self.best, candidates)
        values = np.where(allowed, values, self.best_value)
        best_values = values.max(axis=1)
        improving = np.flatnonzero(best_values > self.best_value)
        if not len(improving):
            self._pass_over(len(candidates))
            return None
        row = int(best_values.argmax()) if self._best_of_batch else int(improving[0])
        position, candidate = int(values[row].argmax()), int(candidates[row])
        self._pool[self._asked[row]] = self.best[position]
        self.best[position] = candidate
        self.best_value = best_values[row].item()
        self.history.append(self.best_value)
        way, self._fruitless = self._fruitless + row + 1, 0
        if not self._best_of_batch:
            self._next = int((self._asked[row] + 1) % len(self._pool))
            self.n_looked += row + 1
            # A part of the way to the next exchange, if that is as far: what lies beyond is asked again.
            self._size = max(self._smallest, way // 4)
        return position, candidate

    def _pass_over(self, n: int) -> None:
        self.n_looked += n
        self._next = (self._next + n) % len(self._pool)
        self._fruitless += n
        if not self._best_of_batch:
            self._size = min(_LARGEST, self._size + max(1, self._size // 5))
