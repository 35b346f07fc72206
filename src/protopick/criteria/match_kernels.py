"""Which objects have the label of their nearest prototype, for many sets of prototypes at once.

A set looks at one key after the other. Numba would write down the nearest so far and its label after every
few keys, so the innermost loop is written in LLVM's own terms, which keep both in registers.

This imports numba, which takes a while, so it is imported when matches are needed.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from protopick.compiled import inlined, kernel
from protopick.dissimilarity.vector_code import INDEX, LANE, VECTOR_BYTES, VectorCode

_VECTORS = 8 if VECTOR_BYTES == 64 else 4
"""Of keys, and as many of labels, take half of the registers."""


def _write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Write what tells, for each row of a stretch, whether the label of its nearest prototype is its own."""
    columns, labels, k, offset, own, out, _ = args
    keys = VectorCode(builder, context.get_value_type(signature.args[-1]))
    names = VectorCode(
        builder, ir.IntType(8 * keys.size)
    )  # one choice for a key and its label is the cheapest
    stored = ir.VectorType(LANE, keys.lanes)

    def label_at(address: Any) -> Any:
        return names.everywhere(builder.sext(keys.load(address, 0, LANE), names.element))

    def step(position: Any, nearest: list[Any]) -> list[Any]:
        at = builder.add(columns, builder.mul(position, INDEX(8)))
        column = builder.add(keys.load(at, 0, INDEX), offset)
        at = builder.add(labels, builder.mul(position, INDEX(4)))
        label = label_at(at)
        others = [keys.load(column, v * VECTOR_BYTES) for v in range(_VECTORS)]
        # The first of equally near ones stays.
        closer = [builder.fcmp_ordered("<", other, key) for other, key in zip(others, nearest, strict=False)]
        values = others + [label] * _VECTORS
        return [builder.select(*choice) for choice in zip(closer * 2, values, nearest, strict=True)]

    far = keys.everywhere(ir.Constant(keys.element, float("inf")))
    nearest = keys.carried(k, [far] * _VECTORS + [label_at(labels)] * _VECTORS, step)
    for v, label in enumerate(nearest[_VECTORS:]):
        asked = builder.sext(keys.load(own, v * keys.lanes * 4, stored), names.vector)
        same = builder.icmp_signed("==", label, asked)
        names.write(builder.zext(same, ir.VectorType(ir.IntType(8), keys.lanes)), out, v * keys.lanes)
    return context.get_dummy_value()


def _marker() -> Any:
    """Return the same for use in a kernel."""

    @intrinsic
    def marker(typing, columns, labels, k, offset, own, out, like):  # type: ignore[no-untyped-def]
        return numba.types.void(*[numba.types.intp] * 6, like), _write

    return marker


_mark = _marker()


@inlined
def _nearest_label(keys, where, row, prototype_labels):  # type: ignore[no-untyped-def]
    nearest = 0
    for j in range(1, len(where)):
        if keys[where[j], row] < keys[where[nearest], row]:
            nearest = j
    return prototype_labels[nearest]


@kernel
def matches(keys, where, start, prototype_labels, labels, matching):  # type: ignore[no-untyped-def]
    """Mark, for each individual, the rows whose nearest prototype has their label; return how many.

    The key of row i and of the prototype at position j of individual s is ``keys[where[s, j], start + i]``;
    of equally near ones the first counts. ``matching`` gets ones and zeros.
    """
    n_individuals, k = where.shape
    n_rows, like = len(labels), keys[0, 0]
    height = _VECTORS * VECTOR_BYTES // keys.itemsize
    columns = np.empty((n_individuals, k), np.int64)
    for s in range(n_individuals):
        for j in range(k):
            columns[s, j] = keys.ctypes.data + (where[s, j] * keys.shape[1] + start) * keys.itemsize
    for low in range(0, n_rows if n_rows >= height else 0, height):
        first = min(low, n_rows - height)  # the last stretch ends with the rows, and sees some again
        own, offset = labels.ctypes.data + 4 * first, first * keys.itemsize
        for s in range(n_individuals):
            there = columns.ctypes.data + 8 * s * k, prototype_labels.ctypes.data + 4 * s * k
            out = matching.ctypes.data + s * n_rows + first
            _mark(there[0], there[1], k, offset, own, out, like)
    if n_rows < height:
        for s in range(n_individuals):
            for i in range(n_rows):
                label = _nearest_label(keys, where[s], start + i, prototype_labels[s])
                matching[s, i] = label == labels[i]
    counts = np.zeros(n_individuals, np.int64)
    for s in range(n_individuals):
        total = np.int32(0)
        for i in range(n_rows):
            total += np.int32(matching[s, i])
        counts[s] = total
    return counts
