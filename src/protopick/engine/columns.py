"""Columns: the dissimilarities of all objects to one candidate, computed when asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from protopick.dissimilarity import Dissimilarity, length
from protopick.engine import threads
from protopick.engine.aligned import AlignedArrays
from protopick.engine.budget import Counter, for_tiles
from protopick.engine.cache import ColumnCache, Plan
from protopick.engine.encoded import encoded_bytes_of
from protopick.engine.numbering import Numbering
from protopick.engine.table import write_in_order
from protopick.objects import Objects
from protopick.objects.sizes import nbytes_of

_COPIES = 3  # of candidates: as they are looked up, encoded, and in the order in which a block reads them


@dataclass(frozen=True)
class Request:
    """What a scan was told, see `Columns.scan`."""

    keep: bool
    lone: bool
    once: bool


class Columns(AlignedArrays, ABC):
    """All objects against candidates, wherever the objects are. `columns_of` makes them.

    Parameters
    ----------
    rows : Objects
        The objects.
    dissimilarity : Dissimilarity
        Already fitted to the objects.
    memory : int
        Bytes that encoded objects and kept columns may take. The answer never depends on it.
    candidates : Objects, optional
        What columns are numbered by. By default the objects themselves.
    n_jobs : int or None
        Threads, see `threads.n_threads`.
    counter : Counter, optional
        Shared with other columns of the same fit.
    numbering : Numbering, optional
        What numbers the rows have in X. By default they are X.
    candidate_numbering : Numbering, optional
        What numbers the candidates have. By default those of the rows or, where they are other objects, their
        own among ``prototypes_``.
    recomputed : bool
        Whether nobody counts how many are computed, so that one may be computed again where that is sooner.
    """

    n_machines = 1
    """How many share the work, each with its own memory."""

    encoded_bytes: int
    """What the encoding of all objects takes beyond the objects themselves."""

    _cache: ColumnCache

    def __init__(
        self,
        rows: Objects,
        dissimilarity: Dissimilarity,
        *,
        memory: int,
        candidates: Objects | None = None,
        n_jobs: int | None = None,
        counter: Counter | None = None,
        numbering: Numbering | None = None,
        candidate_numbering: Numbering | None = None,
        recomputed: bool = False,
    ) -> None:
        self._rows = rows
        self._candidates = rows if candidates is None else candidates
        self.dissimilarity = dissimilarity
        self.n_rows = length(rows)
        self.memory = memory
        self.counter = Counter() if counter is None else counter
        self.recomputed = recomputed
        self.asked_jobs = n_jobs
        self.n_jobs = threads.n_threads(n_jobs) if dissimilarity.threads else 1
        self.numbering = Numbering() if numbering is None else numbering
        others = self.numbering if self._candidates is rows else Numbering(among="prototypes_")
        self.candidate_numbering = others if candidate_numbering is None else candidate_numbering

    @property
    def capacity(self) -> int:
        """How many columns can be kept."""
        return self._cache.capacity

    @abstractmethod
    def reserve(self, memory: int) -> None:
        """Leave so many bytes of the budget to arrays that others hold. Forgets kept columns."""

    @abstractmethod
    def holds(self, nbytes: int) -> bool:
        """Say whether half of the budget is enough for so many bytes."""

    @property
    def object_bytes(self) -> int:
        """How many bytes a copy of all objects would take."""
        return nbytes_of(self._rows)

    def take_candidates_from(self, candidates: Any) -> None:
        """Look candidates up there from now on. They have the numbers that they had before."""
        self._candidates = candidates

    def over(self, rows: np.ndarray, memory: int | None = None) -> Columns:
        """Return columns of the objects at the indices ``rows`` only, counted together with these."""
        return self._of(rows, self._candidates, memory)

    def part(self, rows: np.ndarray, memory: int | None = None) -> Columns:
        """Return columns among the objects at the indices ``rows`` alone, which are numbered anew."""
        candidates = None if self._candidates is self._rows else self._candidates[rows]
        return self._of(rows, candidates, memory)

    @abstractmethod
    def _of(self, rows: np.ndarray, candidates: Objects | None, memory: int | None) -> Columns:
        """Return columns of some objects against ``candidates``, by default these very objects."""

    def _names_of(self, rows: np.ndarray, candidates: Objects | None) -> dict[str, Any]:
        """Return what numbers some of the rows have, and those of candidates that stay the same."""
        stay = candidates is self._candidates
        return {
            "numbering": self.numbering.of(rows),
            "candidate_numbering": self.candidate_numbering if stay else None,
        }

    def scan(
        self,
        wanted: np.ndarray,
        visit: Callable[..., Any],
        *aligned: np.ndarray,
        keep: bool = False,
        lone: bool = False,
        once: bool = False,
        ahead: Callable[[int], np.ndarray] | None = None,
    ) -> list[Any]:
        """Show the columns of ``wanted`` to ``visit``, one tile of rows after the other.

        Parameters
        ----------
        wanted : ndarray of int
            Distinct candidates.
        visit : callable
            ``visit(tile, *parts)`` gets a `Tile` of the columns. A function of a module, or a partial one:
            it may be sent to where the rows are. To see a tile twice must do no harm.
        *aligned : array
            What `full` and `aligned` gave; ``visit`` gets the tile's part of each and may write.
        keep : bool
            Keep these columns for later scans, those that were kept before only as far as there is room.
        lone : bool
            One step of a traversal: ``wanted`` is a single candidate that will not be asked again. It is
            computed in its own way, which may round otherwise, so a kept column is not taken.
        once : bool
            No other scan will follow, so encoded rows are not held for it.
        ahead : callable, optional
            Only with ``keep``. ``ahead(m)`` names up to m candidates that later scans will want. Where
            columns have to be computed anyway, these are computed along, if there is room to keep them and
            a block costs hardly more than a part of it.

        Returns
        -------
        list
            What ``visit`` returned, in the order of the tiles.
        """
        wanted = np.asarray(wanted, dtype=np.intp)
        try:
            plan = self._prepared(self._plan(wanted, keep, lone, ahead))
            results = self._show(plan, len(wanted), visit, aligned, Request(keep, lone, once))
        except BaseException:
            self._cache.clear()  # what was planned may be half filled
            raise
        if not plan.all_ready:
            self.counter.add(self.n_rows * int((~plan.ready).sum()))
        return results

    def _prepared(self, plan: Plan) -> Plan:
        """Return a plan with what can be done before any tile is shown."""
        return plan

    @abstractmethod
    def _show(
        self, plan: Plan, n_wanted: int, visit: Callable[..., Any], aligned: Sequence[Any], request: Request
    ) -> list[Any]:
        """Compute what is missing tile by tile, and show each tile of the wanted columns to ``visit``."""

    def _plan(
        self, wanted: np.ndarray, keep: bool, lone: bool, ahead: Callable[[int], np.ndarray] | None
    ) -> Plan:
        """Say where the columns of a scan are or go, with those that are computed ahead."""
        if ahead is not None and not keep:
            raise ValueError("ahead needs keep=True: what is computed ahead is for later scans.")
        if lone:
            return self._cache.none(wanted)
        plan = self._cache.plan(wanted, keep)
        if ahead is not None and self.dissimilarity.bulk and not plan.all_ready:
            most = min(self._cache.room, self._most_candidates - len(wanted))
            plan = self._cache.extend(plan, ahead(most)) if most > 0 else plan
        return plan

    @property
    def _most_candidates(self) -> int:
        """How many candidates a scan may have before it adds any that are not wanted yet."""
        nbytes = _COPIES * encoded_bytes_of(self._candidates, self.dissimilarity)
        room = for_tiles(self.memory) // 2
        return room * length(self._candidates) // nbytes if nbytes else self.n_rows

    def rows_to_compare_again(self) -> Any:
        """Return all rows, encoded, for who compares them with each other sooner than columns are looked up.

        None where candidates are other objects, or where computed dissimilarities are counted.
        """
        return None

    @abstractmethod
    def each(self, visit: Callable[..., Any], *aligned: np.ndarray) -> list[Any]:
        """Show arrays that `full` and `aligned` gave to ``visit``, as `scan` does, beside no columns."""

    def table(
        self, wanted: np.ndarray, *, keep: bool = False, ahead: Callable[[int], np.ndarray] | None = None
    ) -> np.ndarray:
        """Return the dissimilarities of all objects to the distinct candidates ``wanted``.

        ``keep`` and ``ahead`` as in `scan`.
        """
        return self.gathered(self.aligned_table(wanted, keep=keep, ahead=ahead))

    def space(self, wanted: np.ndarray) -> Any:
        """Return the same in the kind of array that the user passed. No other scan may follow."""
        return self.aligned_table(wanted, once=True)

    def aligned_table(
        self,
        wanted: np.ndarray,
        *,
        keep: bool = False,
        once: bool = False,
        ahead: Callable[[int], np.ndarray] | None = None,
    ) -> Any:
        """Return the same where the objects are."""
        table = self.full(0, self.dissimilarity.dtype, len(wanted))
        self.scan(wanted, write_in_order, table, keep=keep, once=once, ahead=ahead)
        return table

    @abstractmethod
    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return the dissimilarities of the objects ``rows`` to the candidates ``cols``, counted.

        Where all these columns are kept, nothing is computed.
        """

    @abstractmethod
    def blocks(self, requests: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """Return many small blocks, each of some objects and some candidates."""
