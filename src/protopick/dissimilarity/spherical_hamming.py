"""Spherical Hamming distance between packed binary codes (Heo et al., 2012)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity, only
from protopick.dissimilarity.kernels.bits import ones


@dataclass(frozen=True)
class SphericalHamming(Dissimilarity):
    """Bits that differ over bits that both have, on rows of uint64 words.

    Two codes that share no bit are farther apart than any two that do.
    """

    names: ClassVar[Mapping[str, str]] = {
        "spherical_hamming": "bits that differ over bits that both have, on words of uint64",
    }
    bulk: ClassVar[bool] = True

    dtype: np.dtype = np.dtype(np.float32)

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        only(name, params)
        return cls()

    def fit(self, objects: Any) -> SphericalHamming:
        if objects.dtype != np.uint64:
            raise ValueError(
                f"metric='spherical_hamming' needs packed codes of dtype uint64, got {objects.dtype}. "
                "To hash other objects, pass n_pivots=64, pivot_code='binary' instead."
            )
        return self

    def block(self, rows: np.ndarray, cols: np.ndarray, out: np.ndarray, at: np.ndarray, start: int) -> None:
        _spherical_hamming(rows, cols, out, at, start)


@kernel
def _spherical_hamming(rows, cols, out, at, start):  # type: ignore[no-untyped-def]
    n_words = rows.shape[1]
    far = np.float32(64 * n_words)
    for j in range(cols.shape[0]):
        target = out[at[j], start:]
        for i in range(rows.shape[0]):
            differ = np.uint64(0)
            shared = np.uint64(0)
            for w in range(n_words):
                differ += ones(rows[i, w] ^ cols[j, w])
                shared += ones(rows[i, w] & cols[j, w])
            if shared > 0:
                target[i] = np.float32(differ) / np.float32(shared)
            else:
                target[i] = np.float32(differ) * far
