"""What the engine needs to know of a dissimilarity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

Run = Callable[[Callable[[int], None], int], Any]
"""``run(task, n)`` calls ``task(0)`` to ``task(n - 1)``, perhaps several of them at a time."""


CountLabelMatches = Callable[[slice, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""``count(here, sets, labels, own)`` counts, for each set of columns, the rows of a slice whose nearest
column has, by ``labels``, their label in ``own``."""


class RowError(ValueError):
    """An object that cannot be encoded: its place among those to encode, and what is wrong with it."""

    def __init__(self, row: int, why: str, among: str = "X") -> None:
        super().__init__(row, why, among)  # all of them, as it may come from another process
        self.row, self.why, self.among = row, why, among

    def __str__(self) -> str:
        return f"{self.among}[{self.row}] {self.why}"


class Dissimilarity(ABC):
    """How different are these objects from those?

    A dissimilarity works on *encoded* batches and gives *keys*. Encoding happens once per object and
    may do what every comparison would repeat (convert, centre, normalise, pack). A key grows with the
    dissimilarity but may be cheaper, such as the square of a Euclidean distance; `restore` turns keys
    into dissimilarities. Whatever only compares values works on keys.
    """

    names: ClassVar[Mapping[str, str]] = {}
    """The metric names that this class answers to, each with a line on what it is."""

    takes: ClassVar[
        Literal["vectors", "objects", "strings", "sets", "vectors or sets", "series", "table", "matrix"]
    ] = "vectors"
    """Rows of a numeric matrix, objects of any kind, strings, sets, series of points (a `Ragged`), rows of
    a `Table`, or a matrix that holds the dissimilarities. See `protopick.objects.checked`."""

    bulk: ClassVar[bool] = False
    """Whether a whole block costs hardly more than a few pairs of it, as a matrix product does."""

    few_pairs: ClassVar[int] = 0
    """How many pairs are compared in about the time that it takes to begin a block."""

    on_device: ClassVar[bool] = False
    """Whether it is computed elsewhere than in the memory of this machine, as on a GPU."""

    threads: ClassVar[bool] = True
    """Whether blocks may be computed in several threads at a time."""

    symmetric: bool = True
    allows_nan: bool = False
    dtype: np.dtype = np.dtype(np.float64)
    tile_rows: int | None = None
    """How many rows a block had best have, None where the engine may choose."""

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        """Build the dissimilarity called ``name``; ``params`` are the user's ``metric_params``.

        To be overridden where there are ``names``.
        """
        raise NotImplementedError(f"{cls.__name__} has no names")

    def fit(self, objects: Any) -> Dissimilarity:
        """Return this dissimilarity with what it has to learn from all objects, such as a centre."""
        return self

    def unchecked(self) -> Dissimilarity:
        """Return this dissimilarity with negative and missing values let through, for who counts them."""
        return self

    def encoded_bytes(self, objects: Any) -> int:
        """Return how much memory the encoding of all objects takes beyond the objects themselves."""
        return 0

    def encode(self, batch: Any) -> Any:
        """Prepare a batch of objects for `block`. The result can be sliced and indexed as the batch.

        What is wrong with one of them is raised as ``RowError``, so that its place in X can be told.
        """
        return batch

    def encode_all(self, objects: Any, run: Run) -> Any:
        """Encode all objects, sharing out the work by ``run``.

        To be overridden where encoding takes long; it must give what `encode` gives.
        """
        return self.encode(objects)

    @abstractmethod
    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        """Write the key of ``rows[i]`` against ``cols[j]`` to ``out[at[j], start + i]``, for all i and j.

        ``out`` is C-contiguous. A key must not depend on which other rows and columns are in the block, to
        the last bit.
        """

    def against(self, cols: Any) -> Callable[[Any, np.ndarray, np.ndarray, int], None]:
        """Return `block` for these columns, as a function of the rest. It is called for many rows.

        To be overridden where such blocks share work; it must give what `block` gives.
        """
        return lambda rows, out, at, start: self.block(rows, cols, out, at, start)

    def lone(self, rows: Any, cols: Any, out: np.ndarray) -> None:
        """Like `block` for the single column of a traversal: reading the rows is all the cost."""
        self.block(rows, cols, out, np.zeros(1, np.intp), 0)

    def count_label_matches(self, rows: Any, which: np.ndarray) -> CountLabelMatches | None:
        """Return what compares all encoded rows with those that ``which`` names, and counts label matches.

        None where it is not sooner to do so again than to keep keys. It must count what keys would give.
        """
        return None

    def restore(self, keys: np.ndarray) -> np.ndarray:
        """Turn keys into dissimilarities. It may overwrite the keys, so pass a copy, or what is yours."""
        return keys


def in_turn(task: Callable[[int], None], n: int) -> None:
    """Run the parts of a task one after the other, where nothing is shared out."""
    for i in range(n):
        task(i)


def only(name: str, params: Mapping[str, Any], *allowed: str) -> Mapping[str, Any]:
    """Refuse ``metric_params`` that the metric ``name`` does not know."""
    unknown = sorted(set(params) - set(allowed))
    if unknown:
        takes = f"takes {', '.join(map(repr, allowed))}" if allowed else "takes no parameters"
        raise ValueError(f"metric_params has {unknown} but metric={name!r} {takes}. Remove the rest.")
    return params


def floats_of(name: str, value: Any, shape: tuple[int, ...], metric: str, what: str) -> np.ndarray:
    """Return the parameter ``name`` of a metric as float64, which has to be finite and of this shape."""
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"metric_params has {name} that holds no numbers: {error}. Pass {what}.") from error
    if values.shape != shape:
        raise ValueError(
            f"metric_params has {name} of shape {values.shape}, but metric={metric!r} needs {what}."
        )
    if not np.isfinite(values).all():
        raise ValueError(f"metric_params has {name} with NaN or infinity. Pass {what}.")
    return values


def tf32_of(name: str, params: Mapping[str, Any]) -> bool:
    """Return whether a GPU may take the products of the metric ``name`` in TF32, its only parameter."""
    allowed = only(name, params, "tf32").get("tf32", False)
    if not isinstance(allowed, bool):
        raise ValueError(
            f"metric_params has tf32={allowed!r}, but metric={name!r} needs true or false there."
        )
    return allowed


def arithmetic_dtype(dtype: np.dtype) -> np.dtype:
    """Return the float type that vectors of ``dtype`` are compared in.

    float32 stays float32, small integers and booleans fit into it exactly, the rest takes float64.
    """
    return (
        np.result_type(dtype, np.float32)
        if dtype.kind in "biu"
        else np.dtype(np.float32 if dtype in (np.float32, np.float16) else np.float64)
    )


def length(batch: Any) -> int:
    """Return the number of objects in a batch, also of a sparse one, which has no ``len``."""
    return int(batch.shape[0]) if hasattr(batch, "shape") else len(batch)
