"""How many rows of small whole numbers have the label of their nearest column, in many sets of columns.

A stretch of rows is compared with all columns, and all sets look at these distances while they are in the
processor's first cache. None is written to memory, which takes longer than to compute one of short rows.
Where squared distances are below 2^16, two of them share a lane, and a set looks at twice as many at once.

This imports numba, which takes a while, so it is imported when it is needed.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from protopick.compiled import inlined, kernel
from protopick.dissimilarity.kernels.vector_code import INDEX, LANE, VECTOR_BYTES, VectorCode
from protopick.dissimilarity.kernels.whole_products import AT_ONCE, HEIGHT, LANES, VECTORS, Squares

_writes: Any = intrinsic  # calls in kernels do not pass what the function itself takes first


@_writes
def _compare(typing, rows, row_terms, columns, column_terms, n_units, out, number, like):  # type: ignore[no-untyped-def]
    """Write the squared distances of a stretch of rows to `AT_ONCE` columns, one column after the other.

    Of words, the lower ones are those of a vector of rows, the upper ones those of the next.
    """

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, row_terms, columns, column_terms, n_units, out, *_ = args
        squares = Squares(builder, signature.args[-2] == numba.uint8)
        found = squares.of(rows, row_terms, columns, column_terms, n_units, AT_ONCE)
        vectors = [vector for column in found for vector in column]
        if signature.args[-1] == numba.uint16:
            upper = squares.code.everywhere(LANE(16))
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [builder.or_(one, builder.shl(other, upper)) for one, other in pairs]
        for i, vector in enumerate(vectors):
            squares.code.write(vector, out, i * VECTOR_BYTES)
        return context.get_dummy_value()

    return numba.types.void(*[numba.types.intp] * 6, number, like), write


@_writes
def _matching(typing, squares, places, labels, k, own, like):  # type: ignore[no-untyped-def]
    """Return how many of a stretch of rows have the label of the nearest of k columns, the first of equals.

    ``squares`` holds all columns; ``places`` tells where those of the set are, in bytes. ``labels`` fill a
    lane of 32 bits each.
    """

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        squares, places, labels, k, own, _ = args
        lanes, code = VectorCode(builder, LANE), VectorCode(builder, context.get_value_type(like))
        n_vectors = HEIGHT // code.lanes

        def step(j: Any, nearest: list[Any]) -> list[Any]:
            place = code.load(builder.add(places, builder.mul(j, INDEX(8))), 0, INDEX)
            label = lanes.everywhere(lanes.load(builder.add(labels, builder.mul(j, INDEX(4))), 0, LANE))
            column, label = builder.add(squares, place), builder.bitcast(label, code.vector)
            found = []
            for v, (known, its_label) in enumerate(zip(nearest[::2], nearest[1::2], strict=True)):
                square = code.load(column, v * VECTOR_BYTES)
                nearer = builder.icmp_unsigned("<", square, known)
                found += [builder.select(nearer, square, known), builder.select(nearer, label, its_label)]
            return found

        farther = ir.Constant(code.vector, [-1] * code.lanes)  # than any, without a sign
        nearest = code.carried(k, [farther, ir.Constant(code.vector, None)] * n_vectors, step)
        total, bits = INDEX(0), ir.IntType(code.lanes)
        for v, label in enumerate(nearest[1::2]):
            same = builder.icmp_signed("==", label, code.load(own, v * VECTOR_BYTES))
            total = builder.add(total, builder.zext(builder.ctpop(builder.bitcast(same, bits)), INDEX))
        return total

    return numba.types.intp(*[numba.types.intp] * 5, like), write


@inlined
def _in_pairs(own, out):  # type: ignore[no-untyped-def]
    """Write labels as words in the order in which `_compare` writes distances."""
    for p in range(VECTORS // 2):
        lower, upper = own[2 * p * LANES :], own[(2 * p + 1) * LANES :]
        target = out[p * LANES :]
        for i in range(LANES):
            target[i] = np.int32(lower[i] & 0xFFFF) | np.int32(upper[i] << 16)


@kernel
def count_label_matches(units, row_terms, columns, column_terms, sets, labels, own, number, like):  # type: ignore[no-untyped-def]
    """Return, for each set, how many of the rows have the label of its nearest column.

    Rows and columns are as in `squared_distances`, a multiple of `AT_ONCE` columns. ``sets`` holds which
    columns make a set, ``labels`` what label each has there, as often as fits into 32 bits, and ``own`` the
    labels of the rows. ``like`` is of the type, without a sign, that holds all squared distances and labels.
    """
    n_stretches, n_units, height = units.shape
    n_sets, k = sets.shape
    row_bytes, width = 4 * height, 4 * n_units
    squares = np.empty((len(columns), height), like.dtype)
    column_bytes = squares.itemsize * height
    places, counts = sets * column_bytes, np.zeros(n_sets, np.int64)
    edge, pairs = np.full(height, -1, np.int32), np.empty(height // 2, np.int32)
    for s in range(n_stretches):
        rows, terms = units.ctypes.data + s * height * width, row_terms.ctypes.data + s * row_bytes
        for j in range(0, len(columns), AT_ONCE):
            cols, their_terms = columns.ctypes.data + j * width, column_terms.ctypes.data + 4 * j
            there = squares.ctypes.data + j * column_bytes
            _compare(rows, terms, cols, their_terms, n_units, there, number, like[0])
        own_here = own[s * height : (s + 1) * height]
        if len(own_here) < height:  # beyond the last row there is a label that none has
            edge[: len(own_here)] = own_here
            own_here = edge
        if squares.itemsize == 2:
            _in_pairs(own_here, pairs)
            own_here = pairs
        for i in range(n_sets):
            set_places, set_labels = places.ctypes.data + 8 * k * i, labels.ctypes.data + 4 * k * i
            counts[i] += _matching(
                squares.ctypes.data, set_places, set_labels, k, own_here.ctypes.data, like[0]
            )
    return counts
