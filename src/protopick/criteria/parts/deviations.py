"""How candidates' columns deviate from their class means, and the products of these deviations."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.dissimilarity.vectors import inner_products
from protopick.engine import Columns, threads
from protopick.engine.on_tensors import TensorColumns
from protopick.objects.tensors import cat, on_host, product_in, put

_BLOCK = 32


class Deviations:
    """Deviations of the candidates that were added so far.

    Parameters
    ----------
    columns : Columns
        The objects of a sample.
    codes : ndarray of int
        The class of each object.
    average : ndarray of shape (objects, classes)
        A column times this is its means over the classes.
    root : ndarray
        The root of each object's weight.
    """

    def __init__(self, columns: Columns, codes: np.ndarray, average: np.ndarray, root: np.ndarray) -> None:
        self._columns = columns
        self._codes = codes
        self._average = average
        self._root = root
        self.forget(0)

    def forget(self, most: int) -> None:
        """Begin anew, with room for so many candidates. Room that is not used takes no memory."""
        self._held = np.empty((most, len(self._codes)))
        self._size = 0

    def add(self, new: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Add candidates; return their class means, squared lengths, and products with all added so far.

        Shapes (new, classes), (new,) and (all, new). No value depends on which others it is computed with.
        """
        table = self._columns.table(new, keep=True)  # (sample, new)
        old, size = self._size, self._size + len(new)
        own, lengths = np.empty((len(new), self._average.shape[1])), np.empty(len(new))
        products, deviations = np.empty((size, len(new))), self._held[old:size]

        def look(i: int) -> None:
            some = slice(i * _BLOCK, (i + 1) * _BLOCK)
            features = np.ascontiguousarray(table[:, some].T, dtype=np.float64)
            own[some] = inner_products(features, self._average.T).T
            np.multiply(features - own[some][:, self._codes], self._root, out=deviations[some])
            lengths[some] = inner_products(features**2, self._root[None] ** 2)[0]

        def multiply(i: int) -> None:
            some = slice(i * _BLOCK, min((i + 1) * _BLOCK, size))
            products[some] = inner_products(deviations, self._held[some])

        threads.run(look, -(-len(new) // _BLOCK), self._columns.n_jobs)
        threads.run(multiply, -(-size // _BLOCK), self._columns.n_jobs)
        self._size = size
        return own, lengths, products


class DeviationsOnTensors:
    """The same where the objects are in a tensor."""

    def __init__(
        self, columns: TensorColumns, codes: np.ndarray, average: np.ndarray, root: np.ndarray
    ) -> None:
        self._columns = columns
        self._codes, self._average, self._root = (put(a, columns.device) for a in (codes, average, root))
        self.forget(0)

    def forget(self, most: int) -> None:
        self._held: list[Any] = []

    def add(self, new: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        features = self._columns.aligned_table(new, keep=True).double().T
        with product_in(False, self._columns.device):
            own = features @ self._average
            deviations = (features - own[:, self._codes]) * self._root
            lengths = features.square() @ self._root.square()
            self._held = [cat([*self._held, deviations], dim=0)]
            found = own, lengths, self._held[0] @ deviations.T
        own, lengths, products = on_host(found)
        return own, lengths, products
