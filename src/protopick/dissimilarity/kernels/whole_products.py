"""Squared distances of rows of small whole numbers, by instructions that multiply several numbers at once.

Such an instruction takes two vectors of *units* of 32 bits, four bytes or two words of 16 bits in each. It
multiplies number with number and adds up the products of a unit. So rows are multiplied four times as fast
as in single precision, or twice as fast, and sums are exact.

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
from protopick.dissimilarity.kernels.vector_code import FEATURES, INDEX, LANE, VECTOR_BYTES, VectorCode

_MULTIPLIES_BYTES = "+avx512vnni" if VECTOR_BYTES == 64 else "+avxvnni"
BYTE_DTYPE = np.dtype(np.uint8 if _MULTIPLIES_BYTES in FEATURES else np.int16)
"""What numbers up to 255 are multiplied as. Larger ones are words."""

LANES = VECTOR_BYTES // 4
VECTORS = 4 if VECTOR_BYTES == 64 else 2
HEIGHT = VECTORS * LANES
"""So many rows lie together, unit by unit."""

_OFFSET = 128
_OFFSET_OF_ALL = np.array([_OFFSET] * 4, np.uint8).view(np.int32)[0]

AT_ONCE = 6
"""So many columns are compared at once with so many rows, which takes three quarters of the registers."""


class Squares:
    """Writes the loop that compares a stretch of rows with some columns.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        What it writes to.
    are_bytes : bool
        Whether numbers are bytes, or else words.
    """

    def __init__(self, builder: Any, are_bytes: bool) -> None:
        self.code = VectorCode(builder, LANE)
        self._words = VectorCode(builder, ir.IntType(16), 2 * LANES)
        self._are_bytes = are_bytes

    def of(
        self, rows: Any, row_terms: Any, columns: Any, column_terms: Any, n_units: Any, n_columns: int
    ) -> list[list[Any]]:
        """Return for each column the squared distances to the rows, as vectors."""
        code, builder = self.code, self.code.builder
        width = builder.mul(n_units, INDEX(4))
        starts = [builder.add(columns, builder.mul(width, INDEX(c))) for c in range(n_columns)]
        sums = self._products(rows, starts, n_units)
        of_rows = [code.load(row_terms, v * VECTOR_BYTES) for v in range(VECTORS)]
        squares = []
        for c in range(n_columns):
            of_column = code.everywhere(code.load(column_terms, 4 * c, LANE))
            twice = [builder.shl(product, code.everywhere(LANE(1))) for product in sums[:VECTORS]]
            squares.append(
                [
                    builder.sub(builder.add(of_row, of_column), both)
                    for of_row, both in zip(of_rows, twice, strict=True)
                ]
            )
            sums = sums[VECTORS:]
        return squares

    def _products(self, rows: Any, columns: list[Any], n_units: Any) -> list[Any]:
        """Return a vector of inner products for each column and vector of rows."""
        code, builder = self.code, self.code.builder

        def step(unit: Any, sums: list[Any]) -> list[Any]:
            here = builder.add(rows, builder.mul(unit, INDEX(4 * HEIGHT)))
            of_rows = [code.load(here, v * VECTOR_BYTES) for v in range(VECTORS)]
            offset = builder.mul(unit, INDEX(4))
            of_columns = [code.everywhere(code.load(builder.add(c, offset), 0, LANE)) for c in columns]
            pairs = [(row, column) for column in of_columns for row in of_rows]
            return [self._added(old, *pair) for pair, old in zip(pairs, sums, strict=True)]

        return code.summed(n_units, len(columns) * VECTORS, step)

    def _added(self, sums: Any, rows: Any, columns: Any) -> Any:
        """Add to each lane the products of a unit of the rows and one of the columns."""
        code, builder = self.code, self.code.builder
        if self._are_bytes:  # those of the rows have no sign, those of the columns have one
            kind = ir.FunctionType(code.vector, [code.vector] * 3)
            name = f"llvm.x86.avx512.vpdpbusd.{8 * VECTOR_BYTES}"
            return builder.call(
                cgutils.get_or_insert_function(builder.module, kind, name), [sums, rows, columns]
            )
        # Processors multiply and add pairs of words; LLVM knows by this pattern that it is meant.
        wide = ir.VectorType(LANE, 2 * LANES)
        a, b = (builder.sext(builder.bitcast(x, self._words.vector), wide) for x in (rows, columns))
        products = builder.mul(a, b)
        even, odd = (code.shuffled(products, products, range(i, 2 * LANES, 2)) for i in (0, 1))
        return builder.add(sums, builder.add(even, odd))


def _writer(n_columns: int) -> Any:
    """Return what compares a stretch of rows with so many columns, for use in a kernel."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, row_terms, columns, column_terms, n_units, places, offset, *_ = args
        kind = context.get_value_type(signature.args[-2])
        squares = Squares(builder, signature.args[-1] == numba.uint8)
        code, keys = squares.code, VectorCode(builder, kind, LANES)
        found = squares.of(rows, row_terms, columns, column_terms, n_units, n_columns)
        for c, of_column in enumerate(found):
            place = builder.add(code.load(places, 8 * c, INDEX), offset)
            for v, vector in enumerate(of_column):
                keys.write(builder.sitofp(vector, keys.vector), place, v * LANES * keys.size)
        return context.get_dummy_value()

    @intrinsic
    def writer(typing, rows, row_terms, columns, column_terms, n_units, places, offset, like, number):  # type: ignore[no-untyped-def]
        return numba.types.void(*[numba.types.intp] * 7, like, number), write

    return writer


_of_several, _of_one = _writer(AT_ONCE), _writer(1)


@kernel
def squared_distances(units, row_terms, n_rows, columns, column_terms, out, at, start, number):  # type: ignore[no-untyped-def]
    """Write the squared distance of row i and column j to ``out[at[j], start + i]``.

    ``units`` holds rows in stretches of `HEIGHT`, unit by unit, ``columns`` one column after the other; the
    terms are what a square has beside minus twice the inner product. ``number`` is of the type that units are
    made of. There is a single column, or a multiple of `AT_ONCE`, the last of which may be the same.
    """
    n_stretches, n_units, height = units.shape
    n_columns, size, like = len(columns), out.itemsize, out[0, 0]
    width = 4 * n_units
    places = np.empty(n_columns, np.int64)
    for j in range(n_columns):
        places[j] = out.ctypes.data + (at[j] * out.shape[1] + start) * size
    edge = np.empty((AT_ONCE, height), out.dtype)  # where there is no room for rows beyond the last
    edges = np.empty(AT_ONCE, np.int64)
    for j in range(AT_ONCE):
        edges[j] = edge.ctypes.data + j * height * size
    for s in range(n_stretches):
        rows, terms = units.ctypes.data + s * height * width, row_terms.ctypes.data + s * height * 4
        left = n_rows - s * height
        for j in range(0, n_columns, AT_ONCE):
            there, offset = places.ctypes.data + 8 * j, s * height * size
            if left < height:
                there, offset = edges.ctypes.data, 0
            cols, their_terms = columns.ctypes.data + j * width, column_terms.ctypes.data + 4 * j
            if n_columns == 1:
                _of_one(rows, terms, cols, their_terms, n_units, there, offset, like, number)
            else:
                _of_several(rows, terms, cols, their_terms, n_units, there, offset, like, number)
            if left < height:
                for c in range(min(AT_ONCE, n_columns - j)):
                    first = start + s * height
                    out[at[j + c], first : first + left] = edge[c, :left]


@kernel
def pack(rows, low, span, numbers, units, terms, squares, fits):  # type: ignore[no-untyped-def]
    """Write rows less ``low`` as units, with their terms and squared lengths, and whether they are whole
    numbers up to ``span`` then. ``numbers`` is room for one row, of zeros."""
    n_rows, n_features = rows.shape
    _, n_units, height = units.shape
    as_units = numbers.view(np.int32)
    twice = 2 * _OFFSET if numbers.itemsize == 1 else 0
    for i in range(n_rows):
        square, total, n_others = np.int32(0), np.int32(0), np.int32(0)
        for f in range(n_features):
            value = rows[i, f] - low
            inside = value if value > 0 else value * 0  # a NaN is not above
            number = np.int32(inside if inside < span else span)
            n_others += number != value
            numbers[f] = number
            square += number * number
            total += number
        squares[i], terms[i], fits[i] = square, square - twice * total, n_others == 0
        for u in range(n_units):
            units[i // height, u, i % height] = as_units[u]


@kernel
def repack(units, which, out):  # type: ignore[no-untyped-def]
    """Write the units of some rows as those of rows in this order."""
    height = units.shape[2]
    for i in range(len(which)):
        stretch, place = which[i] // height, which[i] % height
        for u in range(units.shape[1]):
            out[i // height, u, i % height] = units[stretch, u, place]


@kernel
def unpack(units, out):  # type: ignore[no-untyped-def]
    """Write the units of one row after the other."""
    height = units.shape[2]
    for i in range(len(out)):
        for u in range(units.shape[1]):
            out[i, u] = units[i // height, u, i % height]


def as_columns(units: np.ndarray, squares: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return units and squared lengths of columns as `squared_distances` takes them."""
    if dtype.itemsize == 1:  # bytes less 128, with a sign
        units = units ^ _OFFSET_OF_ALL
    n = len(units)
    n_padded = n if n == 1 else -(-n // AT_ONCE) * AT_ONCE
    which = np.minimum(np.arange(n_padded), n - 1)
    return units[which], squares[which]
