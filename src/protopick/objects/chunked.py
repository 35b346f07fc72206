"""Rows in chunks that workers hold. Only what is asked for comes here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from protopick.checks import class_numbers, distinct

_WHOLE_SHARE = 8
"""Where more than one in so many values is asked for, all are fetched, once."""

_MOST_KNOWN = 1 << 20


class Workers(Protocol):
    """Whoever holds chunks and works on them. What a task gives is a *reference*, until it is gathered."""

    memory: int
    """Bytes that kept columns may take on all workers together."""

    n_workers: int

    def each(self, function: Callable[..., Any], *chunks: Sequence[Any], **same: Any) -> list[Any]:
        """Begin one task for each chunk: ``function(chunk, ..., **same)``; all may be references.

        A task runs where most of what it needs is.
        """
        ...

    def one(self, function: Callable[..., Any], *args: Any) -> Any:
        """Begin one task."""
        ...

    def alongside(self, chunks: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        """Begin the same task on every worker that has one of the chunks; return a reference for each chunk.

        Every worker has a result of its own, which nobody takes away from it.
        """
        ...

    def gather(self, references: Sequence[Any]) -> list[Any]:
        """Wait for tasks and return what they gave."""
        ...


class Spread:
    """Something in chunks: one entry for each object, looked up where it is.

    Parameters
    ----------
    workers : Workers
        Who has the chunks.
    chunks : sequence of references
        Arrays, none of them empty.
    edges : ndarray of int
        The number of the first entry of each chunk, and in the end that of all entries.
    dtype : dtype
        Of the arrays.
    """

    def __init__(self, workers: Workers, chunks: Sequence[Any], edges: np.ndarray, dtype: Any) -> None:
        self.workers = workers
        self.chunks = list(chunks)
        self.edges = edges
        self.dtype = np.dtype(dtype)

    def __len__(self) -> int:
        return int(self.edges[-1])

    def placed(self, which: np.ndarray) -> tuple[list[Any], list[np.ndarray], np.ndarray]:
        """Return the chunks that hold entries, where in them, and how to order what is found there."""
        chunk = np.searchsorted(self.edges, which, side="right") - 1
        order = np.argsort(chunk, kind="stable")
        numbers, starts = np.unique(chunk[order], return_index=True)
        local = np.split((which - self.edges[chunk])[order], starts[1:])
        back = np.empty(len(which), np.intp)
        back[order] = np.arange(len(which))
        return [self.chunks[i] for i in numbers], local if len(numbers) else [], back

    def looked_up(self, which: np.ndarray) -> np.ndarray:
        """Return entries by their numbers."""
        chunks, local, back = self.placed(which)
        parts = self.workers.gather(self.workers.each(_taken, chunks, local))
        return np.concatenate(parts)[back] if parts else np.empty(0, self.dtype)


class Chunked(Spread):
    """The rows of a matrix, in chunks.

    Slices and index arrays fetch what they name and give plain arrays.

    Parameters
    ----------
    workers, chunks, edges, dtype
        As for `Spread`.
    width : int
        Of a row.
    original : callable, optional
        ``original(rows)`` returns rows in the kind of collection that the user passed.
    """

    ndim = 2

    def __init__(
        self,
        workers: Workers,
        chunks: Sequence[Any],
        edges: np.ndarray,
        dtype: Any,
        width: int,
        original: Callable[[np.ndarray], Any] | None = None,
    ) -> None:
        super().__init__(workers, chunks, edges, dtype)
        self.shape = len(self), width
        self._original = original

    @property
    def nbytes(self) -> int:
        """The memory that the rows take on all workers together."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    @cached_property
    def one(self) -> np.ndarray:
        """A single row, as an example."""
        return self[:1]

    def __getitem__(self, which: Any) -> np.ndarray:
        if isinstance(which, slice):
            which = np.arange(*which.indices(len(self)))
        which = np.asarray(which, dtype=np.intp)
        return self.looked_up(which) if len(which) else np.empty((0, self.shape[1]), self.dtype)

    def original(self, which: np.ndarray) -> Any:
        """Return rows in the kind of collection that the user passed."""
        return self[which] if self._original is None else self._original(which)

    def sent(self, which: np.ndarray, chunks: Sequence[Any]) -> list[Any]:
        """Return, for each of some chunks, a reference to rows with their numbers.

        The rows go from worker to worker.
        """
        holders, local, back = self.placed(which)
        numbers = np.empty_like(which)
        numbers[back] = which
        return self.workers.alongside(chunks, _stacked, numbers, *self.workers.each(_taken, holders, local))

    def part(self, which: np.ndarray) -> Chunked:
        """Return the rows ``which``, in ascending order, where they are."""
        chunks, local, _ = self.placed(which)
        edges = np.cumsum([0, *map(len, local)])
        return Chunked(
            self.workers, self.workers.each(_taken, chunks, local), edges, self.dtype, self.shape[1]
        )


class ChunkedValues(Spread):
    """One value for each object, such as its label. Turned into an array, all of them are fetched."""

    ndim = 1

    def __init__(self, workers: Workers, chunks: Sequence[Any], edges: np.ndarray, dtype: Any) -> None:
        super().__init__(workers, chunks, edges, dtype)
        self.shape = (len(self),)
        self._known: dict[int, Any] = {}
        self._whole: np.ndarray | None = None

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            which = np.arange(*which.indices(len(self)))
        which = np.asarray(which, dtype=np.intp)
        if self._whole is not None or _WHOLE_SHARE * which.size > len(self) > _WHOLE_SHARE:
            return np.asarray(self)[which]
        wanted, where = np.unique(which, return_inverse=True)
        new = np.array([i for i in wanted.tolist() if i not in self._known], dtype=np.intp)
        if len(self._known) + len(new) > _MOST_KNOWN:
            self._known.clear()
            new = wanted
        self._known.update(zip(new.tolist(), self.looked_up(new), strict=True))
        values = np.array([self._known[i] for i in wanted.tolist()], self.dtype)
        return values[where].reshape(which.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self._whole is None:
            self._whole = np.concatenate(self.workers.gather(self.chunks))
        return self._whole if dtype is None else self._whole.astype(dtype, copy=False)

    def astype(self, dtype: Any, copy: bool = True) -> ChunkedValues:
        """Return the same with another type."""
        if self.dtype == dtype:
            return self
        chunks = self.workers.each(_as_type, self.chunks, dtype=np.dtype(dtype))
        return ChunkedValues(self.workers, chunks, self.edges, dtype)

    def tolist(self) -> list[Any]:
        """Return all values as a list."""
        return np.asarray(self).tolist()

    def max(self) -> Any:
        """Return the largest value."""
        return max(self.workers.gather(self.workers.each(_largest, self.chunks)))

    def class_numbers(self) -> ChunkedValues:
        """Return a number from 0 on for each label, as `checks.class_numbers` does, without fetching them.

        Only the distinct labels come here.
        """
        found = self.workers.gather(self.workers.each(distinct, self.chunks, self.edges[:-1].tolist()))
        classes = distinct(np.concatenate(found))
        known = self.workers.one(_pair, classes, class_numbers(classes))
        chunks = self.workers.each(_numbered, self.chunks, known=known)
        return ChunkedValues(self.workers, chunks, self.edges, np.int32)


def _taken(chunk: Any, which: np.ndarray) -> Any:
    return chunk[which]


def _stacked(numbers: np.ndarray, *parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return numbers, np.concatenate(parts)


def _as_type(chunk: np.ndarray, *, dtype: np.dtype) -> np.ndarray:
    return chunk.astype(dtype)


def _largest(chunk: np.ndarray) -> Any:
    return chunk.max()


def _pair(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return first, second


def _numbered(chunk: np.ndarray, *, known: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    classes, numbers = known
    return numbers[np.searchsorted(classes, chunk)]
