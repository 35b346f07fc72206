"""Fingerprints: sets of features, packed eight to a byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from protopick.dissimilarity.base import Dissimilarity, only
from protopick.dissimilarity.boolean import Boolean


@dataclass(frozen=True)
class Tanimoto(Dissimilarity):
    """The share of the bits of either fingerprint that only one of them has: Jaccard's on packed bits.

    Two fingerprints without a bit are equal.
    """

    names: ClassVar[Mapping[str, str]] = {
        "tanimoto": "jaccard on packed bits (uint8), as of molecules",
    }
    bulk: ClassVar[bool] = True

    boolean: Boolean | None = None
    dtype: np.dtype = np.dtype(np.float32)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        only(name, params)
        return cls()

    def fit(self, objects: Any) -> Tanimoto:
        _refuse_unpacked(objects)
        return replace(self, boolean=Boolean("jaccard", dtype=self.dtype, n_features=8 * objects.shape[1]))

    def encoded_bytes(self, objects: Any) -> int:
        return 0 if _is_words(objects) else objects.shape[0] * -(-objects.shape[1] // 8) * 8

    def encode(self, batch: Any) -> np.ndarray:
        _refuse_unpacked(batch)
        if _is_words(batch):
            return batch.view(np.uint64)
        words = np.zeros((len(batch), -(-batch.shape[1] // 8)), np.uint64)
        words.view(np.uint8)[:, : batch.shape[1]] = batch
        return words

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        assert self.boolean is not None
        self.boolean.block(rows, cols, out, at, start)


def _is_words(batch: Any) -> bool:
    """Say whether the bytes can be read as words where they are."""
    aligned = batch.ctypes.data % 8 == 0
    return type(batch) is np.ndarray and batch.flags.c_contiguous and batch.shape[1] % 8 == 0 and aligned


def _refuse_unpacked(objects: Any) -> None:
    if sparse.issparse(objects) or objects.dtype != np.uint8:
        kind = "a sparse matrix" if sparse.issparse(objects) else f"dtype {objects.dtype}"
        raise ValueError(
            f"metric='tanimoto' needs packed bits of dtype uint8, got {kind}. Pack an array of 0 and 1 by "
            "np.packbits(X, axis=1), or pass it as it is with metric='jaccard'."
        )
