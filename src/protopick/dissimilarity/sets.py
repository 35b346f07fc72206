"""Python sets, by how many elements two of them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from protopick.compiled import kernel
from protopick.dissimilarity.base import Dissimilarity
from protopick.dissimilarity.kernels.formulas import FORMULAS
from protopick.objects import ObjectSequence, Ragged


@dataclass(frozen=True)
class Sets(Dissimilarity):
    """What `SharedFeatures` comes down to where objects are sets.

    Elements are numbered when the metric is fitted. An element that comes later is in no fitted set,
    so it counts in the size of its own set only.
    """

    takes: ClassVar[Any] = "sets"

    name: str = "jaccard"
    numbers: Mapping[Any, int] = field(default_factory=dict, repr=False)
    dtype: np.dtype = np.dtype(np.float64)

    def fit(self, objects: ObjectSequence) -> Sets:
        numbers: dict[Any, int] = {}
        for elements in objects:
            for element in elements:
                numbers.setdefault(element, len(numbers))
        return replace(self, numbers=numbers)

    def encoded_bytes(self, objects: ObjectSequence) -> int:
        return 8 * sum(1 + len(elements) for elements in objects)

    def encode(self, batch: ObjectSequence) -> Ragged:
        get = self.numbers.get
        numbers = [get(element, -1) for elements in batch for element in elements]
        offsets = np.concatenate(([0], np.cumsum([len(elements) for elements in batch], dtype=np.int64)))
        return Ragged(np.array(numbers, np.int64), offsets)

    def block(self, rows: Ragged, cols: Ragged, out: np.ndarray, at: np.ndarray, start: int) -> None:
        shared = np.empty((len(cols), len(rows)), np.int32)
        elements = rows.points, rows.offsets, cols.points, cols.offsets
        _count_shared(*elements, max(1, len(self.numbers)), shared)
        FORMULAS[self.name](shared, rows.lengths, cols.lengths, len(self.numbers), out, at, start)


@kernel
def _count_shared(points, offsets, y_points, y_offsets, n_elements, shared):  # type: ignore[no-untyped-def]
    in_y = np.full(n_elements, -1)  # the last column that has each element
    for j in range(len(y_offsets) - 1):
        for s in range(y_offsets[j], y_offsets[j + 1]):
            if y_points[s] >= 0:
                in_y[y_points[s]] = j
        for i in range(len(offsets) - 1):
            count = 0
            for s in range(offsets[i], offsets[i + 1]):
                if points[s] >= 0 and in_y[points[s]] == j:
                    count += 1
            shared[j, i] = count
