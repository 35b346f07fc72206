"""Files of named arrays: which of them holds the objects?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from protopick.cli.files.arrow import table_of_fields
from protopick.cli.files.rows import Rows
from protopick.cli.files.source import FileError, Found
from protopick.cli.files.vectors import found_in, found_in_file, labels_in, takes_gaps
from protopick.dissimilarity import taken_by
from protopick.objects import Ragged, Stored

_USUAL = ("X", "D", "x", "data", "features", "embeddings")


class NamedArrays:
    """Arrays that are read when they are asked for.

    Parameters
    ----------
    where : str
        The file, for messages.
    shapes : mapping of str to tuple
        The arrays.
    load : callable
        Reads one of them. Its second argument says whether gaps are values.
    chosen : str, optional
        The one that holds the objects.
    """

    def __init__(
        self,
        where: str,
        shapes: Mapping[str, tuple[int, ...]],
        load: Callable[[str, bool], np.ndarray | Stored],
        chosen: str | None = None,
    ) -> None:
        chosen = chosen.removeprefix("/") if chosen is not None else None  # as HDF5 writes a path
        self.where, self._shapes, self._load, self._chosen = where, shapes, load, chosen
        if not shapes:
            raise FileError(f"{where} holds no arrays.")
        if chosen is not None and chosen not in shapes:
            raise FileError(f"--array={chosen}: {where} has no such array. It has {self._list()}.")

    @property
    def names(self) -> list[str]:
        """The arrays."""
        return list(self._shapes)

    def column(self, name: str) -> np.ndarray:
        """Return an array of one value for each object."""
        return labels_in(_whole(self._load(name, True)), f"{name} in {self.where}")

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the objects, after finding out which array holds them."""
        if self._chosen is None and {"points", "offsets"} <= set(self._shapes):
            return self._runs()
        name = self._chosen or self._likely(without)
        where, loaded = f"{name} in {self.where}", self._load(name, takes_gaps(metric))
        takes = taken_by(metric) or "vectors"
        may_stay = takes.startswith("vectors") and loaded.shape[0] != loaded.shape[-1]  # no matrix of pairs
        if isinstance(loaded, Stored) and may_stay:
            return found_in_file(loaded, columns, where)
        array = _whole(loaded)
        if array.dtype.names:
            return Rows(table_of_fields(array, where), where).objects(columns, without, metric)
        return found_in(array, columns, metric, where)

    def _runs(self) -> Found:
        """Return objects of unequal length: ``points`` one below the other, and where each begins."""
        runs = Ragged(_whole(self._load("points", False)), _whole(self._load("offsets", False)))
        in_space = runs.points.ndim == 2 and runs.points.shape[1] in (2, 3)
        if in_space:
            return Found(runs, "mdf", f"streamlines in {runs.points.shape[1]} dimensions")
        return Found(runs, "dtw", "series of unequal length")

    def _likely(self, without: Sequence[str]) -> str:
        left = [name for name in self._shapes if name not in without]
        for name in _USUAL:
            if name in left:
                return name
        matrices = [name for name in left if len(self._shapes[name]) > 1]
        if len(matrices) == 1:
            return matrices[0]
        if len(left) == 1:
            return left[0]
        raise FileError(
            f"{self.where} holds several arrays, and it is not clear which are the objects. Pass --array "
            f"with one of: {self._list()}."
        )

    def _list(self) -> str:
        return ", ".join(f"{name} {shape}" for name, shape in self._shapes.items())


def _whole(array: np.ndarray | Stored) -> np.ndarray:
    return array[:] if isinstance(array, Stored) else array
