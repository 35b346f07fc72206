"""Rows of small whole numbers, such as pictures, counts or edit distances: compared in integers, and sooner.

Whether rows are made of such numbers is told by a sample of them. Rows of other numbers that come later are
compared feature by feature. So a distance depends on the two rows alone, in whatever company they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from protopick.dissimilarity.base import CountLabelMatches, Dissimilarity, Run, arithmetic_dtype, in_turn
from protopick.dissimilarity.kernels.folds import FOLDS
from protopick.dissimilarity.vectors import in_format

_BYTE = 255
_MOST_WORD = 2**15 - 1
_LARGEST_SQUARE = 2**31 - 1
_READ = (np.uint8, np.float32, np.float64)
_ENOUGH = 1024
_ROWS_AT_ONCE = 1 << 12
_SHORT_BYTES = 64
_EXACT_SQUARE = 2**24
_LARGEST_WORD = 2**16 - 1


@dataclass(frozen=True)
class WholeNumbers:
    """The whole numbers from ``low`` to ``low + span``.

    Examples
    --------
    >>> WholeNumbers.of(np.arange(80.0).reshape(2, 40))
    WholeNumbers(low=0, span=255)
    >>> WholeNumbers.of(np.full((2, 40), 0.5)) is None
    True
    """

    low: int
    span: int

    @classmethod
    def of(cls, sample: np.ndarray) -> Self | None:
        """Return numbers that all rows of a sample are made of, None where these are others.

        They are as many as a byte holds, or else as many as leave squared distances below 2^31, and none that
        the float type of the rows could not hold.
        """
        sample = sample[:: max(1, len(sample) // _ENOUGH)]
        if not sample.size or not (_are_whole(sample[:16]) and _are_whole(sample)):
            return None
        least, largest = int(sample.min()), int(sample.max())
        if max(-least, largest) > 2 ** np.finfo(arithmetic_dtype(sample.dtype)).nmant:
            return None
        most = min(_MOST_WORD, math.isqrt(_LARGEST_SQUARE // sample.shape[1]))
        for span in (_BYTE, most):
            spare = (span - (largest - least)) // 2
            for low in (0, -128, least - spare):
                if span <= most and low <= least and largest <= low + span:
                    return cls(low, span)
        return None

    @property
    def dtype(self) -> np.dtype:
        """What numbers, less ``low``, are stored as on this machine."""
        from protopick.dissimilarity.kernels.whole_products import BYTE_DTYPE

        return BYTE_DTYPE if self.span <= _BYTE else np.dtype(np.int16)

    def n_units(self, n_features: int) -> int:
        """Return how many units of four bytes a row takes."""
        return -(-n_features * self.dtype.itemsize // 4)

    def nbytes(self, n: int, n_features: int) -> int:
        """Return how much memory n rows take."""
        return n * (4 * self.n_units(n_features) + 8)

    def encode(self, batch: np.ndarray, dtype: np.dtype, run: Run) -> WholeRows:
        """Return rows as whole numbers. Rows of others are kept beside them, in ``dtype``."""
        from protopick.dissimilarity.kernels.whole_products import HEIGHT, pack

        n, n_features = batch.shape
        rows = WholeRows.empty(self, n, n_features, dtype)
        fits = np.empty(n, bool)

        def pack_some(i: int) -> None:
            here = slice(i * _ROWS_AT_ONCE, (i + 1) * _ROWS_AT_ONCE)
            some = np.ascontiguousarray(batch[here], None if batch.dtype in _READ else dtype)
            where = rows.units[here.start // HEIGHT :], rows.terms[here], rows.squares[here], fits[here]
            room = np.zeros(4 * rows.units.shape[1] // self.dtype.itemsize, self.dtype)
            pack(some, self.low, self.span, room, *where)

        run(pack_some, -(-n // _ROWS_AT_ONCE))
        others = np.flatnonzero(~fits)
        return replace(rows, others=others, values=np.ascontiguousarray(batch[others], dtype))


def _are_whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "biu" or bool((np.rint(values) == values).all())


@dataclass(frozen=True, eq=False)
class WholeRows:
    """Rows of whole numbers, in stretches that lie together unit by unit. Can be sliced and indexed."""

    kind: WholeNumbers
    n_features: int
    n: int
    units: np.ndarray  # (stretches, units of a row, rows of a stretch)
    terms: np.ndarray  # (rows, and some beyond the last) what a square has beside twice the product
    squares: np.ndarray  # likewise, squared lengths
    others: np.ndarray  # which rows are no such numbers, in order,
    values: np.ndarray  # and what they are

    @classmethod
    def empty(cls, kind: WholeNumbers, n: int, n_features: int, dtype: np.dtype) -> Self:
        """Return room for n rows. Rows of other numbers would have the ``dtype``."""
        from protopick.dissimilarity.kernels.whole_products import HEIGHT

        n_stretches = -(-n // HEIGHT)
        terms, squares = np.zeros((2, n_stretches * HEIGHT), np.int32)
        units = np.zeros((n_stretches, kind.n_units(n_features), HEIGHT), np.int32)
        no_others = np.empty(0, np.intp), np.empty((0, n_features), dtype)
        return cls(kind, n_features, n, units, terms, squares, *no_others)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, which: slice | np.ndarray) -> WholeRows:
        from protopick.dissimilarity.kernels.whole_products import HEIGHT, repack

        if isinstance(which, slice):
            if which == slice(None):
                return self
            start, stop, step = which.indices(self.n)
            if step == 1 and start % HEIGHT == 0 and start < stop:
                return self._stretch(start, stop, HEIGHT)
            which = np.arange(start, stop, step)
        rows = WholeRows.empty(self.kind, len(which), self.n_features, self.values.dtype)
        repack(self.units, which, rows.units)
        rows.terms[: rows.n], rows.squares[: rows.n] = self.terms[which], self.squares[which]
        if not len(self.others):
            return rows
        others = np.flatnonzero(np.isin(which, self.others))
        return replace(rows, others=others, values=self.values[np.searchsorted(self.others, which[others])])

    def _stretch(self, start: int, stop: int, height: int) -> WholeRows:
        first, last = start // height, -(-stop // height)
        some, theirs = slice(start, last * height), slice(*np.searchsorted(self.others, (start, stop)))
        return WholeRows(
            self.kind,
            self.n_features,
            stop - start,
            self.units[first:last],
            self.terms[some],
            self.squares[some],
            self.others[theirs] - start,
            self.values[theirs],
        )

    @cached_property
    def largest(self) -> int:
        """The largest number, less ``low``."""
        return int(self.units.view(self.kind.dtype).max(initial=0))

    def one_by_one(self) -> np.ndarray:
        """Return the units of one row after the other."""
        from protopick.dissimilarity.kernels.whole_products import unpack

        out = np.empty((self.n, self.units.shape[1]), np.int32)
        unpack(self.units, out)
        return out

    def plain(self, dtype: np.dtype) -> np.ndarray:
        """Return the rows as they were before they were encoded, in ``dtype``."""
        numbers = self.one_by_one().view(self.kind.dtype)[:, : self.n_features]
        rows = numbers.astype(dtype) + dtype.type(self.kind.low)
        rows[self.others] = self.values
        return rows


@dataclass(frozen=True)
class WholeEuclidean(Dissimilarity):
    """What `Euclidean` becomes where it is fitted to rows of small whole numbers. Keys are squares."""

    bulk: ClassVar[bool] = True
    few_pairs: ClassVar[int] = 1 << 17

    numbers: WholeNumbers
    squared: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    tf32: bool = False

    @property
    def centre(self) -> np.ndarray:
        """What tensors are moved by, which are compared as floats."""
        return np.array([self.numbers.low], self.dtype)

    def encoded_bytes(self, objects: Any) -> int:
        return self.numbers.nbytes(*objects.shape)

    def encode(self, batch: Any) -> WholeRows:
        return self.encode_all(batch, in_turn)

    def encode_all(self, objects: Any, run: Run) -> WholeRows:
        return self.numbers.encode(in_format(objects, as_csr=False), self.dtype, run)

    def block(self, rows: WholeRows, cols: WholeRows, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.against(cols)(rows, out, at, start)

    def against(self, cols: WholeRows) -> Callable[[WholeRows, np.ndarray, np.ndarray, int], None]:
        from protopick.dissimilarity.kernels.whole_products import as_columns, squared_distances

        units, squares = as_columns(cols.one_by_one(), cols.squares[: cols.n], cols.kind.dtype)
        example, others = cols.kind.dtype.type(0), _Others(cols, self.dtype)

        def block(rows: WholeRows, out: np.ndarray, at: np.ndarray, start: int) -> None:
            assert out.flags.c_contiguous  # it is written to by address
            assert start + rows.n <= out.shape[1]
            at = np.append(at, np.repeat(at[-1:], len(units) - len(at)))
            squared_distances(rows.units, rows.terms, rows.n, units, squares, out, at, start, example)
            others.compare(rows, out, at, start)

        return block

    def count_label_matches(self, rows: WholeRows, which: np.ndarray) -> CountLabelMatches | None:
        nbytes = rows.n_features * self.numbers.dtype.itemsize
        exact = rows.n_features * self.numbers.span**2 < _EXACT_SQUARE  # as floats, which other ways compare
        if len(rows.others) or nbytes > _SHORT_BYTES or not exact or len(which) == 1:
            return None
        from protopick.dissimilarity.kernels.whole_matches import count_label_matches
        from protopick.dissimilarity.kernels.whole_products import HEIGHT, as_columns

        units = rows.units[which // HEIGHT, :, which % HEIGHT]
        columns = as_columns(units, rows.squares[which], self.numbers.dtype)
        example = self.numbers.dtype.type(0)
        are_words = rows.n_features * rows.largest**2 <= _LARGEST_WORD

        def count(here: slice, sets: np.ndarray, labels: np.ndarray, own: np.ndarray) -> np.ndarray:
            some, like = rows[here], np.zeros(1, np.uint32)
            sets, labels = np.ascontiguousarray(sets, np.intp), np.ascontiguousarray(labels, np.int32)
            own = np.ascontiguousarray(own, np.int32)  # all are read by address
            if are_words and max(labels.max(), own.max()) < _LARGEST_WORD:
                labels, like = labels * (_LARGEST_WORD + 2), np.zeros(1, np.uint16)  # each of them twice
            alike = sets, labels, own, example, like
            counts: np.ndarray = count_label_matches(some.units, some.terms, *columns, *alike)
            return counts

        return count

    def restore(self, keys: np.ndarray) -> np.ndarray:
        return keys if self.squared else np.sqrt(keys, out=keys)


class _Others:
    """Compares rows and columns that are no such numbers feature by feature."""

    def __init__(self, columns: WholeRows, dtype: np.dtype) -> None:
        self._columns = columns
        self._dtype = dtype

    def compare(self, rows: WholeRows, out: np.ndarray, at: np.ndarray, start: int) -> None:
        """Write their squared distances over what was written for them."""
        columns, differences = self._columns, FOLDS["sqeuclidean"].of_long
        if len(columns.others):
            differences(rows.plain(out.dtype), columns.values, 0.0, out, at[columns.others], start)
        if len(rows.others):
            found = np.empty((columns.n, len(rows.others)), out.dtype)
            differences(rows.values, self._plain_columns, 0.0, found, np.arange(columns.n), 0)
            out[at[: columns.n, None], start + rows.others] = found

    @cached_property
    def _plain_columns(self) -> np.ndarray:
        return self._columns.plain(self._dtype)
