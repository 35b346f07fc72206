"""What a worker does with a chunk of rows. All of it can be done again, on another worker."""

from __future__ import annotations

import pickle
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from protopick.dissimilarity import Dissimilarity
from protopick.engine.numbering import Numbering
from protopick.engine.on_host import HostColumns
from protopick.engine.visits import combine_of, written_by


class Making(NamedTuple):
    """How to make a part of an array."""

    dtype: np.dtype
    shape: tuple[int, ...]
    value: float

    def part(self, n: int) -> np.ndarray:
        """Make a part with n entries."""
        return np.full((n, *self.shape), self.value, self.dtype)


@dataclass
class Step:
    """What is to be done on every chunk."""

    visit: Callable[..., Any]
    wanted: np.ndarray | None = None  # no columns for None
    later: np.ndarray = field(default_factory=lambda: np.empty(0, np.intp))  # to be computed along
    keep: bool = False
    lone: bool = False
    places: list[int | None] = field(default_factory=list)  # of the parts
    made: dict[int, Making] = field(default_factory=dict)  # parts that are not given

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle  # sends functions of a notebook too

        return _unpacked, (zlib.compress(cloudpickle.dumps(vars(self)), 1),)  # numbers of few candidates

    @property
    def nbytes(self) -> int:
        """About how much is in it."""
        told = getattr(self.visit, "keywords", {}).values()
        return sum(getattr(array, "nbytes", 0) for array in (self.wanted, self.later, *told))


class Manner(NamedTuple):
    """How a worker is to look after its chunks."""

    dissimilarity: Dissimilarity
    bytes_per_row: float  # that may be taken beside the rows
    n_jobs: int


class Desk:
    """The plain columns of one chunk, with what they keep, while they are on this worker.

    All of it can be made anew: on another worker, the desk is empty.
    """

    def __init__(self, how: Manner) -> None:
        self._how = how
        self._rows: np.ndarray | None = None
        self._columns: HostColumns | None = None
        self.lock = threading.Lock()  # for one task at a time

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._how,)

    def columns(self, rows: np.ndarray, first: int) -> HostColumns:
        """Return the columns of the chunk ``rows``, the first of which has the number ``first``."""
        if self._columns is None or self._rows is not rows:
            dissimilarity, bytes_per_row, n_jobs = self._how
            memory = int(bytes_per_row * len(rows))
            self._rows = rows
            self._columns = HostColumns(
                rows,
                dissimilarity,
                n_jobs=n_jobs,
                memory=memory,
                numbering=Numbering(first),
                candidate_numbering=Numbering(among="prototypes_"),
            )
        return self._columns


class Received:
    """Rows of some candidates, by the numbers of the candidates, which came with them."""

    def __init__(self, batches: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        self._batches = batches

    def __getitem__(self, which: np.ndarray) -> np.ndarray:
        numbers = np.concatenate([numbers for numbers, _ in self._batches])
        order = np.argsort(numbers, kind="stable")
        at = order[np.searchsorted(numbers[order], which)]
        return np.concatenate([rows for _, rows in self._batches])[at]


def _unpacked(state: bytes) -> Step:
    return Step(**pickle.loads(zlib.decompress(state)))


def visited(rows: np.ndarray, desk: Desk, first: int, *given: Any, step: Step) -> Any:
    """Show a chunk to a visit. Return the results, and with them the parts that were written to.

    Parts of arrays are given, and then batches of candidates' rows.
    """
    written = written_by(step.visit)
    parts, batches = given[: len(step.places)], given[len(step.places) :]
    arrays = []
    for i, (part, place) in enumerate(zip(parts, step.places, strict=True)):
        if i in step.made:
            array = step.made[i].part(len(rows))
        else:
            array = part if place is None else part[1][place]
            array = np.array(array) if i in written else array
        arrays.append(array if i in written else _read_only(array))
    with desk.lock:
        columns = desk.columns(rows, first)
        if step.wanted is None:
            results = columns.each(step.visit, *arrays)
        else:
            columns.take_candidates_from(Received(batches))
            later = step.later
            ahead = (lambda most: later[:most]) if len(later) else None
            results = columns.scan(
                step.wanted, step.visit, *arrays, keep=step.keep, lone=step.lone, ahead=ahead
            )
    combine = combine_of(step.visit)
    if combine is not None:
        results = [combine(results)]
    return (results, [arrays[i] for i in written]) if written else results


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def results_of(done: tuple[list[Any], Any]) -> list[Any]:
    """Return what the visits returned."""
    return done[0]


def part_of(done: tuple[Any, list[np.ndarray]], *, place: int) -> np.ndarray:
    """Return one of the parts that were written to."""
    return done[1][place]


def desk_for(rows: Any, *, how: Manner) -> Desk:
    """Return an empty desk on the worker that has the rows."""
    return Desk(how)


def same(value: Any) -> Any:
    """Return a value, on a worker."""
    return value


def beside(rows: Any, values: np.ndarray) -> np.ndarray:
    """Return values on the worker that has the rows."""
    return values


def filled(rows: Any, *, making: Making) -> np.ndarray:
    """Return a part of an array on the worker that has the rows."""
    return making.part(len(rows))


def viewed(part: np.ndarray, *, dtype: np.dtype) -> np.ndarray:
    """Return the bytes of a part as those of another dtype."""
    return part.view(dtype)
