"""Where what is known of candidates is held, so that nothing is computed twice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from protopick.criteria.base import Ahead

_FEWEST, _MOST = 256, 4096
_AT_ONCE = 256


class Places:
    """A place for each candidate that was asked for, in that order.

    Parameters
    ----------
    room : int
        For how many there is memory. There are places for 256 to 4,096.
    """

    def __init__(self, room: int) -> None:
        self.n_places = max(_FEWEST, min(room, _MOST))
        self._at: dict[int, int] = {}

    def find(
        self,
        candidates: np.ndarray,
        ahead: Ahead,
        add: Callable[[np.ndarray, int], None],
        forget: Callable[[int], None],
    ) -> np.ndarray:
        """Return the places of candidates. Where room is short, others are forgotten first.

        ``add(new, start)`` fills the places from start on, ``forget(n)`` empties all, for n or more. They are
        not held: what holds them and is held by them would stay in memory for long after its use.
        """
        names = candidates.tolist()
        new = self._unknown(names)
        if len(self._at) + len(new) > self.n_places:
            self._at = {}
            new = self._unknown(names)
            forget(len(new))
        if new:
            start = len(self._at)
            room = min(_AT_ONCE, self.n_places - start - len(new))
            if ahead is not None and room > 0:
                new = self._unknown(new + ahead(room).tolist())
            add(np.array(new, dtype=np.intp), start)
            self._at.update(zip(new, range(start, start + len(new)), strict=True))
        return np.array([self._at[c] for c in names], dtype=np.intp)

    def _unknown(self, names: list[int]) -> list[int]:
        return [c for c in dict.fromkeys(names) if c not in self._at]
