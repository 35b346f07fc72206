"""What dissimilarities that are made of others share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from protopick.dissimilarity.base import Dissimilarity, Run, length


@dataclass(frozen=True, repr=False)
class Composition(Dissimilarity):
    """What compositions share: they have no name, and hold other dissimilarities."""

    told: str = field(default="", kw_only=True)
    """The code that made it."""

    def __repr__(self) -> str:
        return self.told

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        self.against(cols)(rows, out, at, start)


@dataclass(frozen=True, repr=False)
class OfOne(Composition):
    """A change to the values of one other dissimilarity, which says what it takes."""

    inner: Dissimilarity

    @property
    def takes(self) -> Any:  # type: ignore[override]
        return self.inner.takes

    @property
    def bulk(self) -> bool:  # type: ignore[override]
        return self.inner.bulk

    @property
    def threads(self) -> bool:  # type: ignore[override]
        return self.inner.threads

    @property
    def allows_nan(self) -> bool:  # type: ignore[override]
        return self.inner.allows_nan

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        return self.inner.dtype

    @property
    def tile_rows(self) -> int | None:  # type: ignore[override]
        return self.inner.tile_rows

    def fit(self, objects: Any) -> Self:
        return replace(self, inner=self.inner.fit(objects))

    def unchecked(self) -> Self:
        return replace(self, inner=self.inner.unchecked())

    def encoded_bytes(self, objects: Any) -> int:
        return self.inner.encoded_bytes(objects)

    def encode(self, batch: Any) -> Any:
        return self.inner.encode(batch)

    def encode_all(self, objects: Any, run: Run) -> Any:
        return self.inner.encode_all(objects, run)


def inner_metric(metric: Any, params: Mapping[str, Any] | None = None) -> Dissimilarity:
    """Return the dissimilarity that a composition is made of."""
    from protopick.dissimilarity import resolve  # which knows the compositions

    inner = resolve(metric, params)
    if inner.takes == "matrix":
        raise ValueError(
            "metric='precomputed' cannot be part of another metric. Change the matrix itself, for instance "
            "np.sqrt(D) or (D + D.T) / 2."
        )
    return inner


def told_as(value: Any) -> str:
    """Return a value as the code that it was passed in; functions appear by their names."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {told_as(part)}" for name, part in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(told_as, value)) + ")"
    return getattr(value, "__qualname__", repr(value))


def told_params(params: Mapping[str, Any] | None) -> str:
    """Return ``metric_params`` in the same way, nothing where there are none."""
    return "" if params is None else f", metric_params={told_as(params)}"


def values_to(metric: Dissimilarity, cols: Any) -> Callable[[Any], np.ndarray]:
    """Return a function of rows that gives dissimilarities, not keys, of shape (cols, rows)."""
    block, at = metric.against(cols), np.arange(length(cols))

    def values(rows: Any) -> np.ndarray:
        out = np.empty((len(at), length(rows)), metric.dtype)
        block(rows, out, at, 0)
        return metric.restore(out)

    return values
