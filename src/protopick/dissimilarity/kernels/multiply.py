"""A matrix product in which a value never depends on its company, at the speed of BLAS.

BLAS promises nothing about the order in which it sums, and takes another at the edge of a block. Here each
inner product is summed in one order, wherever it stands and on whatever processor: up to 384 features one
after another, and then these sums. Numba compiles no loop that keeps a tile of sums in registers, so the
innermost one is written in LLVM's own terms, which serve every processor.

This imports numba, which takes a while, so it is imported when products are needed.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from protopick.compiled import kernel
from protopick.dissimilarity.kernels.vector_code import INDEX, VECTOR_BYTES, VectorCode

MOST_VECTORS = 3
"""So many vectors of columns make a panel."""

_ROWS = VECTOR_BYTES // 8  # with three vectors, 12 or 24 sums: three quarters of the registers
_FEATURES = 384  # at most, of a panel: these stay in the first cache, or nearly
_ROW_BYTES = 1 << 17  # of rows, which stay in the second
_QUAD = 4


def panels(n_vectors: int) -> np.ndarray:
    """Return at which vector each panel begins, and how many it has.

    A single vector keeps the processor waiting, so the last four are two pairs.

    Examples
    --------
    >>> panels(7).tolist()
    [[0, 3], [3, 2], [5, 2]]
    """
    found, first = [], 0
    while first < n_vectors:
        left = n_vectors - first
        width = 2 if left == MOST_VECTORS + 1 else min(left, MOST_VECTORS)
        found.append((first, width))
        first += width
    return np.array(found, dtype=np.intp)


class _Tile:
    """Writes the loop that multiplies some rows with a panel, and what stores their sums."""

    def __init__(self, builder: Any, element: Any, n_rows: int, n_vectors: int) -> None:
        self._code = code = VectorCode(builder, element)
        self._n_rows, self._n_vectors = n_rows, n_vectors
        kind = ir.FunctionType(code.vector, [code.vector] * 3)
        name = f"llvm.fmuladd.v{code.lanes}f{8 * code.size}"
        self._multiply_add = cgutils.get_or_insert_function(builder.module, kind, name)

    def sums(self, rows: list[Any], panel: Any, n_features: Any) -> list[list[Any]]:
        """Return a vector for each row and vector of columns: the sum over features."""
        code, builder, n_vectors = self._code, self._code.builder, self._n_vectors

        def step(feature: Any, sums: list[Any]) -> list[Any]:
            here = builder.add(panel, builder.mul(feature, INDEX(n_vectors * VECTOR_BYTES)))
            columns = [code.load(here, v * VECTOR_BYTES) for v in range(n_vectors)]
            offset = builder.mul(feature, INDEX(code.size))
            values = [code.everywhere(code.load(builder.add(row, offset), 0, code.element)) for row in rows]
            pairs = [(value, column) for value in values for column in columns]
            return [
                builder.call(self._multiply_add, [*pair, old]) for pair, old in zip(pairs, sums, strict=True)
            ]

        summed = code.summed(n_features, len(rows) * n_vectors, step)
        return [summed[first : first + n_vectors] for first in range(0, len(summed), n_vectors)]

    def store(self, sums: list[list[Any]], out: Any, stride: Any, adds: Any) -> None:
        """Write sums, or add them: those of a column stand one beside the other, columns ``stride`` apart."""
        code, builder = self._code, self._code.builder
        quads = [
            (self._address(out, stride, v * code.lanes + c, first), quad)
            for first in range(0, self._n_rows, _QUAD)
            for v in range(self._n_vectors)
            for c, quad in enumerate(self._turned([sums[first + r][v] for r in range(_QUAD)]))
        ]
        with builder.if_else(adds) as (then, otherwise):
            with then:
                for address, quad in quads:
                    old = code.load(address, 0, quad.type)
                    code.write(builder.fadd(old, quad), address)
            with otherwise:
                for address, quad in quads:
                    code.write(quad, address)

    def _turned(self, rows: list[Any]) -> list[Any]:
        """Return the columns of four rows."""
        shuffled, lanes, there = self._code.shuffled, range(self._code.lanes), 2 * self._code.lanes
        pairs = [lane for c in lanes for lane in (c, len(lanes) + c)]
        low, high = shuffled(rows[0], rows[1], pairs), shuffled(rows[2], rows[3], pairs)
        return [shuffled(low, high, [2 * c, 2 * c + 1, there + 2 * c, there + 2 * c + 1]) for c in lanes]

    def _address(self, out: Any, stride: Any, column: int, row: int) -> Any:
        builder = self._code.builder
        column_starts = builder.add(out, builder.mul(stride, INDEX(column)))
        return builder.add(column_starts, INDEX(row * self._code.size))


def _multiplier(n_rows: int, n_vectors: int) -> Any:
    """Return what multiplies so many rows with a panel of so many vectors, for use in a kernel."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first, row_bytes, last, panel, n_features, adds, out, stride, _ = args
        tile = _Tile(builder, context.get_value_type(signature.args[-1]), n_rows, n_vectors)
        rows = [first]
        for _ in range(n_rows - 1):  # beyond the last row there is the last again
            following = builder.add(rows[-1], row_bytes)
            is_there = builder.icmp_signed("<=", following, last)
            rows.append(builder.select(is_there, following, rows[-1]))
        sums = tile.sums(rows, panel, n_features)
        tile.store(sums, out, stride, builder.icmp_signed("!=", adds, INDEX(0)))
        return context.get_dummy_value()

    @intrinsic
    def multiplier(typing, first, row_bytes, last, panel, n_features, adds, out, stride, like):  # type: ignore[no-untyped-def]
        return numba.types.void(*[numba.types.intp] * 8, like), write

    return multiplier


_by_three, _by_two, _by_one = _multiplier(_ROWS, 3), _multiplier(_ROWS, 2), _multiplier(8, 1)


@kernel
def multiply(rows, n_rows, n_features, columns, panels, out):  # type: ignore[no-untyped-def]
    """Write the inner product of row i and column j to ``out[j, i]``.

    ``rows`` is the address of rows of so many features, one after the other; ``columns`` that of the columns
    in ``panels``, where all that meets one feature lies together. In ``out``, up to seven more rows are
    written than there are.
    """
    size, like = out.itemsize, out[0, 0]
    row_bytes, stride = n_features * size, out.shape[1] * size
    last = rows + (n_rows - 1) * row_bytes
    at_once = max(8, _ROW_BYTES // row_bytes // 8 * 8)
    n_parts = -(-n_features // _FEATURES)
    length = -(-n_features // n_parts)
    for start in range(0, n_rows, at_once):
        stop = min(n_rows, start + at_once)
        for p in range(len(panels)):
            first_vector, width = panels[p]
            panel = columns + first_vector * VECTOR_BYTES * n_features
            target = out.ctypes.data + first_vector * (VECTOR_BYTES // size) * stride
            step = 8 if width == 1 else _ROWS
            for feature in range(0, n_features, length):
                n = min(length, n_features - feature)
                part, final = panel + feature * width * VECTOR_BYTES, last + feature * size
                for i in range(start, stop, step):
                    row, there = rows + i * row_bytes + feature * size, target + i * size
                    if width == 3:
                        _by_three(row, row_bytes, final, part, n, feature, there, stride, like)
                    elif width == 2:
                        _by_two(row, row_bytes, final, part, n, feature, there, stride, like)
                    else:
                        _by_one(row, row_bytes, final, part, n, feature, there, stride, like)
