"""How many rows of small whole numbers have the label of their nearest column, in many sets of columns.

A stretch of rows is compared with all columns, and all sets look at these distances while they are in the
processor's first cache. No distance is written to memory, which takes longer than to compute one of short rows.

This imports numba, which takes a while, so it is imported when it is needed.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from protopick.compiled import kernel
from protopick.dissimilarity.vector_code import INDEX, LANE, VECTOR_BYTES, VectorCode
from protopick.dissimilarity.whole_products import AT_ONCE, HEIGHT, VECTORS, Squares

_FARTHER = LANE(np.iinfo(np.int32).max)  # than any


@intrinsic
def _compare(typing, rows, row_terms, columns, column_terms, n_units, out, number):  # type: ignore[no-untyped-def]
    """Write the squared distances of a stretch of rows to `AT_ONCE` columns, one column after the other."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        *compared, out, _ = args
        squares = Squares(builder, signature.args[-1] == numba.uint8)
        vectors = [vector for column in squares.of(*compared, AT_ONCE) for vector in column]
        for i, vector in enumerate(vectors):
            squares.code.write(vector, out, i * VECTOR_BYTES)
        return context.get_dummy_value()

    return numba.types.void(*[numba.types.intp] * 6, number), write


@intrinsic
def _matching(typing, squares, places, labels, k, own):  # type: ignore[no-untyped-def]
    """Return how many of a stretch of rows have the label of the nearest of k columns, the first of equals.

    ``squares`` holds all columns; ``places`` tells where those of the set are, in bytes.
    """

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        squares, places, labels, k, own = args
        code = VectorCode(builder, LANE)

        def step(j: Any, nearest: list[Any]) -> list[Any]:
            place = code.load(builder.add(places, builder.mul(j, INDEX(8))), 0, INDEX)
            label = code.everywhere(code.load(builder.add(labels, builder.mul(j, INDEX(4))), 0, LANE))
            column, new = builder.add(squares, place), []
            for v in range(VECTORS):
                square = code.load(column, v * VECTOR_BYTES)
                nearer = builder.icmp_signed("<", square, nearest[v])
                new.append(builder.select(nearer, square, nearest[v]))
                new.append(builder.select(nearer, label, nearest[VECTORS + v]))
            return new[::2] + new[1::2]

        start = [code.everywhere(_FARTHER)] * VECTORS + [ir.Constant(code.vector, None)] * VECTORS
        nearest = code.carried(k, start, step)
        total, bits = INDEX(0), ir.IntType(code.lanes)
        for v in range(VECTORS):
            same = builder.icmp_signed("==", nearest[VECTORS + v], code.load(own, v * VECTOR_BYTES))
            total = builder.add(total, builder.zext(builder.ctpop(builder.bitcast(same, bits)), INDEX))
        return total

    return numba.types.intp(*[numba.types.intp] * 5), write


@kernel
def count_matches(units, row_terms, n_rows, columns, column_terms, sets, labels, own, number):  # type: ignore[no-untyped-def]
    """Return, for each set, how many of the rows have the label of its nearest column.

    Rows and columns are as in `squared_distances`, a multiple of `AT_ONCE` columns. ``sets`` holds which
    columns make a set, ``labels`` what label each has there, and ``own`` those of the rows.
    """
    n_stretches, n_units, height = units.shape
    n_sets, k = sets.shape
    column_bytes, width = 4 * height, 4 * n_units
    squares = np.empty((len(columns), height), np.int32)
    places, edge = sets * column_bytes, np.full(height, -1, np.int32)
    counts = np.zeros(n_sets, np.int64)
    for s in range(n_stretches):
        rows, terms = units.ctypes.data + s * height * width, row_terms.ctypes.data + s * column_bytes
        for j in range(0, len(columns), AT_ONCE):
            cols, their_terms = columns.ctypes.data + j * width, column_terms.ctypes.data + 4 * j
            there = squares.ctypes.data + j * column_bytes
            _compare(rows, terms, cols, their_terms, n_units, there, number)
        own_here = own.ctypes.data + s * column_bytes
        if n_rows < (s + 1) * height:  # beyond the last row there are no labels
            edge[: n_rows - s * height] = own[s * height : n_rows]
            own_here = edge.ctypes.data
        for i in range(n_sets):
            set_places, set_labels = places.ctypes.data + 8 * k * i, labels.ctypes.data + 4 * k * i
            counts[i] += _matching(squares.ctypes.data, set_places, set_labels, k, own_here)
    return counts
