"""A matrix product in which a value never depends on its company, at the speed of BLAS.

BLAS promises nothing about the order in which it sums, and takes another at the edge of a block. Here each
inner product is summed in one order, wherever it stands and on whatever processor: up to 384 features one
after another, and then these sums. Numba compiles no loop that keeps a tile of sums in registers, so the
innermost one is written in LLVM's own terms, which serve every processor.

This imports numba, which takes a while, so it is imported when products are needed.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils
from numba.extending import intrinsic

from protopick.compiled import kernel

VECTOR_BYTES = 64 if binding.get_host_cpu_features().get("avx512f") else 32
"""The columns that are multiplied at once fill so many bytes."""

MOST_VECTORS = 3
"""So many vectors of columns make a panel."""

_ROWS = VECTOR_BYTES // 8  # with three vectors, 12 or 24 sums: three quarters of the registers
_FEATURES = 384  # at most, of a panel: these stay in the first cache, or nearly
_ROW_BYTES = 1 << 17  # of rows, which stay in the second
_QUAD = 4

_INDEX, _LANE = ir.IntType(64), ir.IntType(32)


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
        self._builder = builder
        self._size = 4 if isinstance(element, ir.FloatType) else 8
        self._element = element
        self._lanes = VECTOR_BYTES // self._size
        self._vector = ir.VectorType(element, self._lanes)
        self._n_rows, self._n_vectors = n_rows, n_vectors
        name = f"llvm.fmuladd.v{self._lanes}f{8 * self._size}"
        kind = ir.FunctionType(self._vector, [self._vector] * 3)
        self._multiply_add = cgutils.get_or_insert_function(builder.module, kind, name)

    def sums(self, rows: list[Any], panel: Any, n_features: Any) -> list[list[Any]]:
        """Return a vector for each row and vector of columns: the sum over features."""
        builder, before = self._builder, self._builder.block
        loop, after = builder.append_basic_block("features"), builder.append_basic_block("summed")
        builder.branch(loop)
        builder.position_at_end(loop)
        feature, zero = builder.phi(_INDEX), ir.Constant(self._vector, None)
        feature.add_incoming(_INDEX(0), before)
        old = [[builder.phi(self._vector) for _ in range(self._n_vectors)] for _ in rows]
        width = self._n_vectors * VECTOR_BYTES
        here = builder.add(panel, builder.mul(feature, _INDEX(width)))
        columns = [self._load(here, v * VECTOR_BYTES, self._vector) for v in range(self._n_vectors)]
        offset = builder.mul(feature, _INDEX(self._size))
        new = []
        for row, sums in zip(rows, old, strict=True):
            value = self._everywhere(self._load(builder.add(row, offset), 0, self._element))
            pairs = zip(columns, sums, strict=True)
            new.append([builder.call(self._multiply_add, [value, *pair]) for pair in pairs])
        following = builder.add(feature, _INDEX(1))
        feature.add_incoming(following, loop)
        for start, end in zip(chain(*old), chain(*new), strict=True):
            start.add_incoming(zero, before)
            start.add_incoming(end, loop)
        builder.cbranch(builder.icmp_signed("<", following, n_features), loop, after)
        builder.position_at_end(after)
        return new

    def store(self, sums: list[list[Any]], out: Any, stride: Any, adds: Any) -> None:
        """Write sums, or add them: those of a column stand one beside the other, columns ``stride`` apart."""
        quads = [
            (self._address(out, stride, v * self._lanes + c, first), quad)
            for first in range(0, self._n_rows, _QUAD)
            for v in range(self._n_vectors)
            for c, quad in enumerate(self._turned([sums[first + r][v] for r in range(_QUAD)]))
        ]
        builder = self._builder
        with builder.if_else(adds) as (then, otherwise):
            with then:
                for address, quad in quads:
                    old = self._load(address, 0, quad.type)
                    self._write(builder.fadd(old, quad), address)
            with otherwise:
                for address, quad in quads:
                    self._write(quad, address)

    def _turned(self, rows: list[Any]) -> list[Any]:
        """Return the columns of four rows."""
        lanes = range(self._lanes)
        pairs = [lane for c in lanes for lane in (c, self._lanes + c)]
        low, high = self._shuffled(rows[0], rows[1], pairs), self._shuffled(rows[2], rows[3], pairs)
        there = 2 * self._lanes
        return [
            self._shuffled(low, high, [2 * c, 2 * c + 1, there + 2 * c, there + 2 * c + 1]) for c in lanes
        ]

    def _everywhere(self, value: Any) -> Any:
        """Return a vector that has a value in all lanes."""
        nothing = ir.Constant(self._vector, ir.Undefined)
        first = self._builder.insert_element(nothing, value, _LANE(0))
        return self._shuffled(first, nothing, [0] * self._lanes)

    def _shuffled(self, one: Any, other: Any, lanes: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(_LANE, len(lanes)), lanes)
        return self._builder.shuffle_vector(one, other, mask)

    def _address(self, out: Any, stride: Any, column: int, row: int) -> Any:
        column_starts = self._builder.add(out, self._builder.mul(stride, _INDEX(column)))
        return self._builder.add(column_starts, _INDEX(row * self._size))

    def _load(self, address: Any, offset: int, kind: Any) -> Any:
        place = self._builder.add(address, _INDEX(offset)) if offset else address
        return self._builder.load(self._builder.inttoptr(place, kind.as_pointer()), align=self._size)

    def _write(self, value: Any, address: Any) -> None:
        self._builder.store(value, self._builder.inttoptr(address, value.type.as_pointer()), align=self._size)


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
        tile.store(sums, out, stride, builder.icmp_signed("!=", adds, _INDEX(0)))
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
