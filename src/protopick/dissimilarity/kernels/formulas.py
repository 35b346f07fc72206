"""What dissimilarities of sets make of how many features both, one or none have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protopick.compiled import inlined, kernel


def _formula(value: Callable[..., Any]) -> Callable[..., None]:
    """Make the kernel that turns counts into ``value(n11, n10, n01, n00)``."""

    @kernel(error_model="numpy")
    def write(shared, row_sizes, col_sizes, n_features, out, at, start):  # type: ignore[no-untyped-def]
        n_rows = len(row_sizes)
        for j in range(len(col_sizes)):
            both = shared[j]
            y = np.float64(col_sizes[j])
            target = out[at[j], start : start + n_rows]
            for i in range(n_rows):
                x = np.float64(row_sizes[i])
                n11 = np.float64(both[i])
                target[i] = value(n11, x - n11, y - n11, n_features - x - y + n11)

    return write


@inlined
def _hamming(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    return (n10 + n01) / (n11 + n10 + n01 + n00)


@inlined
def _dice(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    total = 2 * n11 + n10 + n01
    return (n10 + n01) / (total if total > 0 else 1.0)


@inlined
def _jaccard(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    any_of_both = n11 + n10 + n01
    return (n10 + n01) / (any_of_both if any_of_both > 0 else 1.0)


@inlined
def _rogerstanimoto(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    return 2 * (n10 + n01) / (n11 + n00 + 2 * (n10 + n01))


@inlined
def _russellrao(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    return (n10 + n01 + n00) / (n11 + n10 + n01 + n00)


@inlined
def _sokalsneath(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    total = n11 + 2 * (n10 + n01)
    return 2 * (n10 + n01) / (total if total > 0 else 1.0)


@inlined
def _yule(n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    crossed = n10 * n01
    return 2 * crossed / (n11 * n00 + crossed if crossed > 0 else 1.0)


FORMULAS = {
    "hamming": _formula(_hamming),
    "dice": _formula(_dice),
    "jaccard": _formula(_jaccard),
    "rogerstanimoto": _formula(_rogerstanimoto),
    "russellrao": _formula(_russellrao),
    "sokalsneath": _formula(_sokalsneath),
    "yule": _formula(_yule),
}
