"""Dissimilarities of sets of features: they depend only on how many features both, one or none have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, arithmetic_dtype, only
from protopick.dissimilarity.kernels.bits import ones
from protopick.dissimilarity.kernels.formulas import FORMULAS
from protopick.dissimilarity.scipy_vectors import SciPyVectors
from protopick.dissimilarity.sets import Sets
from protopick.dissimilarity.vectors import canonical, in_format, products, sampled, scratch
from protopick.objects import ObjectSequence
from protopick.warned import warn

_ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Boolean(Dissimilarity):
    """Yule's and the like, on vectors of which only zero or not matters, as SciPy defines them.

    They count the features that neither vector has, so they cannot compare Python sets. Two vectors of zeros
    are equal, also where SciPy has no number for them.

    Notes
    -----
    Dense rows are packed, 64 features a word; the features of CSR rows are counted by a sparse matrix
    product. Where SciPy has weights, these are left to it.
    """

    names: ClassVar[Mapping[str, str]] = {
        "rogerstanimoto": "bits that differ, counted twice, over all bits and those that differ",
        "russellrao": "the share of the bits that are not set in both",
        "yule": "by the odds that bits agree or differ",
    }
    bulk: ClassVar[bool] = True

    name: str = "rogerstanimoto"
    params: Mapping[str, Any] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)
    n_features: int = 0
    as_csr: bool = False

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        return cls(name=name, params=dict(only(name, params, "w")))

    def fit(self, objects: Any) -> Dissimilarity:
        if isinstance(objects, ObjectSequence):
            return self._of_sets().fit(objects)
        if self.params.get("w") is not None:
            return SciPyVectors(self.name, self.params).fit(objects)
        if not _are_flags(sampled(objects)):
            warn(
                f"metric={self.name!r} looks only at whether a number is 0, but X holds others than 0 and 1. "
                "Pass X != 0 where that is meant, else a metric of numbers, such as 'braycurtis'.",
                DataConversionWarning,
            )
        return replace(
            self,
            dtype=arithmetic_dtype(objects.dtype),
            n_features=objects.shape[1],
            as_csr=sparse.issparse(objects),
        )

    def _of_sets(self) -> Dissimilarity:
        if self.params.get("w") is not None:
            raise ValueError(
                f"metric={self.name!r} cannot compare sets by w, a weight for each column: sets have none. "
                "Leave w out, or pass rows of 0 and 1."
            )
        return Sets(self.name)

    def encoded_bytes(self, objects: Any) -> int:
        if self.as_csr:
            size = objects.nnz if sparse.issparse(objects) else math.prod(objects.shape)
            return size * 12
        return objects.shape[0] * _n_words(self.n_features) * 8

    def encode(self, batch: Any) -> Any:
        if self.name == "hamming":
            _refuse_other_than_0_and_1(batch)
        if self.as_csr:
            present = canonical(in_format(batch, True), batch.dtype)
            ones = np.ones(len(present.data), np.float32)
            return sparse.csr_array((ones, present.indices, present.indptr), shape=present.shape)
        words = np.zeros((batch.shape[0], _n_words(self.n_features)), np.uint64)
        as_bytes = words.view(np.uint8)
        for first in range(0, len(words), _ROWS_AT_ONCE):
            some = slice(first, first + _ROWS_AT_ONCE)
            bits = np.packbits(in_format(batch[some], False) != 0, axis=1)
            as_bytes[some, : bits.shape[1]] = bits
        return words

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        row_sizes, col_sizes = self._sizes(rows), self._sizes(cols)
        write = FORMULAS[self.name]
        for some, shared in self._shared(rows, cols):
            write(shared, row_sizes, col_sizes[some], self.n_features, out, at[some], start)

    def _sizes(self, batch: Any) -> np.ndarray:
        """Return how many features each row has."""
        return np.diff(batch.indptr) if self.as_csr else _count(batch)

    def _shared(self, rows: Any, cols: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield how many features some columns share with all rows, as (some, rows) arrays."""
        if self.as_csr:
            yield from products(rows, cols)
        else:
            shared = scratch("shared", (len(cols), len(rows)), np.dtype(np.int32))
            _count_shared(rows, cols, shared)
            yield slice(None), shared


@dataclass(frozen=True)
class SharedFeatures(Boolean):
    """Jaccard, Dice and the like, on vectors of which only zero or not matters, as in SciPy, or on sets.

    They do not ask which features neither has, so that they compare Python sets too, except by weights. Two
    vectors of zeros, and two empty sets, are equal.
    """

    takes: ClassVar[Any] = "vectors or sets"
    names: ClassVar[Mapping[str, str]] = {
        "dice": "bits that differ, over all set bits of both",
        "jaccard": "bits that differ, over bits that either has",
        "sokalsneath": "like jaccard, bits that differ counted twice",
    }

    name: str = "jaccard"


def _n_words(n_features: int) -> int:
    return -(-n_features // 64)


def _are_flags(batch: Any) -> bool:
    """Say whether all numbers are 0 or 1. Of tensors, which are refused elsewhere, nothing is known."""
    values = batch.data if sparse.issparse(batch) else batch
    if not isinstance(values, np.ndarray):
        return True
    return values.dtype == bool or bool(((values == 0) | (values == 1)).all())


def _refuse_other_than_0_and_1(batch: Any) -> None:
    if not _are_flags(batch):
        raise ValueError(
            "metric='hamming' was fitted to objects of dtype bool, but X holds values other than 0 and 1. "
            "Pass booleans, or fit to numbers."
        )


@kernel
def _count(words):  # type: ignore[no-untyped-def]
    counts = np.zeros(len(words), np.int32)
    for i in range(words.shape[0]):
        for w in range(words.shape[1]):
            counts[i] += np.int32(ones(words[i, w]))
    return counts


@kernel
def _count_shared(rows, cols, shared):  # type: ignore[no-untyped-def]
    n_rows, n_words = rows.shape
    step = 256
    turned = np.empty((n_words, step), np.uint64)
    total = np.empty(step, np.uint64)
    for first in range(0, n_rows, step):
        size = min(step, n_rows - first)
        for i in range(size):
            for w in range(n_words):
                turned[w, i] = rows[first + i, w]
        for j in range(cols.shape[0]):
            total[:] = 0
            for w in range(n_words):
                y = cols[j, w]
                words = turned[w]
                for i in range(size):
                    total[i] += ones(words[i] & y)
            target = shared[j, first : first + size]
            for i in range(size):
                target[i] = total[i]
