"""Counting bits, for kernels on packed words."""

from __future__ import annotations

import numpy as np

from protopick.compiled import inlined


@inlined
def ones(x):  # type: ignore[no-untyped-def]
    """Return how many bits of a uint64 are 1. LLVM takes this for what it is: one instruction."""
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
