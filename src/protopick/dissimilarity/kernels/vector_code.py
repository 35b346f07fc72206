"""Loops over vectors, written in LLVM's own terms where numba cannot be told to keep sums in registers.

This imports numba, which takes a while, so it is imported when such loops are needed. Kernels on disk are
renewed when their own file changes: after a change here, touch the files of the kernels that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import config
from numba.core.codegen import get_host_cpu_features

_chosen = config.CPU_FEATURES  # type: ignore[attr-defined]  # made when numba is imported
FEATURES = frozenset((get_host_cpu_features() if _chosen is None else _chosen).split(","))
"""What numba compiles for, such as "+avx2": what the processor has, or what ``NUMBA_CPU_FEATURES`` names."""

VECTOR_BYTES = 64 if "+avx512f" in FEATURES else 32
"""The size of what is computed at once."""

INDEX, LANE = ir.IntType(64), ir.IntType(32)
SIZES = {"float": 4, "double": 8, "i8": 1, "i16": 2, "i32": 4}


class VectorCode:
    """Writes instructions for vectors of one kind of number.

    Addresses are whole numbers, and offsets are in bytes.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        What it writes to.
    element : llvmlite.ir.Type
        The kind of number.
    n_lanes : int, optional
        How many numbers a vector has; by default as many as are computed at once.
    """

    def __init__(self, builder: Any, element: Any, n_lanes: int | None = None) -> None:
        self.builder = builder
        self.element = element
        self.size = SIZES[str(element)]
        self.lanes = VECTOR_BYTES // self.size if n_lanes is None else n_lanes
        self.vector = ir.VectorType(element, self.lanes)

    def summed(self, n_steps: Any, n_sums: int, step: Callable[[Any, list[Any]], Sequence[Any]]) -> list[Any]:
        """Return what becomes of so many vectors of zeros by ``sums = step(i, sums)`` for i from 0 on.

        There is at least one step.
        """
        return self.carried(n_steps, [ir.Constant(self.vector, None)] * n_sums, step)

    def carried(
        self, n_steps: Any, start: Sequence[Any], step: Callable[[Any, list[Any]], Sequence[Any]]
    ) -> list[Any]:
        """Return what becomes of the values ``start`` by ``values = step(i, values)`` for i from 0 on.

        There is at least one step.
        """
        builder, before = self.builder, self.builder.block
        loop, after = builder.append_basic_block("steps"), builder.append_basic_block("carried")
        builder.branch(loop)
        builder.position_at_end(loop)
        number, old = builder.phi(INDEX), [builder.phi(value.type) for value in start]
        new = step(number, old)
        following = builder.add(number, INDEX(1))
        number.add_incoming(INDEX(0), before)
        number.add_incoming(following, loop)
        for carried, first, last in zip(old, start, new, strict=True):
            carried.add_incoming(first, before)
            carried.add_incoming(last, loop)
        builder.cbranch(builder.icmp_signed("<", following, n_steps), loop, after)
        builder.position_at_end(after)
        return list(new)

    def everywhere(self, value: Any) -> Any:
        """Return a vector that has a value in all lanes."""
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(nothing, value, LANE(0))
        return self.shuffled(first, nothing, [0] * self.lanes)

    def shuffled(self, one: Any, other: Any, lanes: Sequence[int]) -> Any:
        """Return lanes of two vectors, which are numbered one vector after the other."""
        mask = ir.Constant(ir.VectorType(LANE, len(lanes)), list(lanes))
        return self.builder.shuffle_vector(one, other, mask)

    def load(self, address: Any, offset: int = 0, kind: Any = None) -> Any:
        """Read a vector, or a value of another kind."""
        kind = self.vector if kind is None else kind
        place = self.builder.add(address, INDEX(offset)) if offset else address
        return self.builder.load(self.builder.inttoptr(place, kind.as_pointer()), align=self.size)

    def write(self, value: Any, address: Any, offset: int = 0) -> None:
        """Write a vector."""
        place = self.builder.add(address, INDEX(offset)) if offset else address
        self.builder.store(value, self.builder.inttoptr(place, value.type.as_pointer()), align=self.size)
