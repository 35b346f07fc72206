"""The same space where the objects are in a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protopick.criteria.base import Data
from protopick.criteria.parts.margin_kernels import NEVER
from protopick.criteria.parts.margin_space import Features, Known, Sample
from protopick.dissimilarity.tensors import loops
from protopick.engine.on_tensors import TensorColumns
from protopick.objects.tensors import cat, on_host, product_in, put

_NUMBERS = 1 << 26
"""How many scores are looked at together, at most."""

_ALIGNED = 4
"""Loops want arrays to begin at a multiple of so many numbers."""


class SampleOnTensors(Sample):
    """Objects ordered by class, as tensors."""

    _columns: TensorColumns

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self._order, self._codes_there = self._put(self._order), self._put(self._codes)
        average = self._is_own * self._weights / self.share[:, None]
        self._weights_there, self._average = self._put(self._weights), self._put(average)
        self._is_own, self._single_weights = self._put(self._is_own), self._weights_there.float()
        self._owned = self._is_own.double()

    def _put(self, array: np.ndarray) -> Any:
        return put(array, self._columns.device)

    def _forget(self, n_wanted: int) -> None:
        self._held = []

    def _place_there(self, at: np.ndarray) -> Any:
        return self._put(at)

    def _add(self, new: np.ndarray, start: int) -> None:
        features = self._columns.aligned_table(new, keep=True)[self._order].T.double()
        features = features - (features @ self._weights_there / self.total)[:, None]
        spread = (features.square() @ self._weights_there / self.total).sqrt()
        features = features / spread.masked_fill(spread == 0, 1.0)[:, None]
        means = features @ self._average.T
        deviations = (features - means[:, self._codes_there]) * self._weights_there.sqrt()
        squares = deviations.square() @ self._owned.T
        found = features.float(), deviations, on_host(means), on_host(squares)
        if start == 0:
            self._held = list(found)
        else:
            held = self._held
            self._held = [cat([a, b], dim=0) for a, b in zip(held[:2], found[:2], strict=True)]
            self._held += [np.concatenate([a, b]) for a, b in zip(held[2:], found[2:], strict=True)]

    def products(self, these: Features, others: Features) -> np.ndarray:
        return np.asarray(on_host(these.deviations @ others.deviations.T))

    def products_by_class(self, these: Features, others: Features) -> np.ndarray:
        own = (self._owned[:, None] * these.deviations).flatten(0, 1)  # (classes and these, objects)
        return np.asarray(on_host((own @ others.deviations.T).view(len(self.classes), -1, len(others.rows))))

    def linear_standing(
        self, features: Features, whitening: np.ndarray, levels: np.ndarray, steepness: float
    ) -> Known:
        rows, (white, means, tops) = features.rows, self._put_together(whitening, features.means, levels)
        with product_in(False, self._columns.device):
            solved = white.T @ (white @ rows)
            scores = means @ solved

        def value() -> float:
            whole = scores + tops[:, None]
            return float(self._mean(self._sums(whole, steepness)))

        def look(candidates: Any, some: slice, new: list[Any]) -> Any:
            slopes, precisions = new[0][some], new[1][some]
            means, gains, levels = (array[:, some] for array in new[2:])
            residuals = (candidates - slopes @ rows) * precisions[:, None]
            bases = scores[:, None] + means[:, :, None] * residuals  # (classes, new, objects)
            parts = solved - slopes[:, :, None] * residuals[:, None]  # (new, k, objects)
            return (gains[..., None] * parts).add_(bases[:, :, None]).add_(levels[..., None])

        return Known(value, self._each("linear_margins", look, (rows, solved, scores), steepness))

    def quadratic_standing(
        self, features: Features, whitening: np.ndarray, levels: np.ndarray, steepness: float
    ) -> Known:
        rows, (white, means, tops) = features.rows, self._put_together(whitening, features.means, levels)
        with product_in(False, self._columns.device):
            apart = white @ (rows - means[:, :, None])
            solved = white.mT @ apart  # (classes, k, objects)
        scores = tops[:, None] - apart.square().sum(dim=1) / 2

        def value() -> float:
            return float(self._mean(self._sums(scores, steepness)))

        def look(candidates: Any, some: slice, new: list[Any]) -> Any:
            slopes, offsets, precisions, shrinks, levels = (array[:, some] for array in new)
            residuals = candidates - offsets[:, :, None] - slopes @ rows  # (classes, new, objects)
            scaled = residuals * precisions[:, :, None]
            bases = scores[:, None] - residuals * scaled / 2
            parts = solved[:, None] - slopes[..., None] * scaled[:, :, None]  # (classes, new, k, objects)
            return parts.square_().mul_(shrinks[..., None]).add_(bases[:, :, None]).add_(levels[..., None])

        return Known(value, self._each("quadratic_margins", look, (rows, solved, scores), steepness))

    def _each(
        self, name: str, look: Callable[..., Any], known: tuple[Any, ...], steepness: float
    ) -> Callable[..., np.ndarray]:
        """Return what gives the value after each exchange.

        By the loop of that name where there is one, else by ``look(candidates, some, coefficients)``, which
        gives scores, shape (classes, some, k, objects).
        """
        step = max(1, _NUMBERS // (len(known[-1]) * known[0].numel()))
        fused = loops(self._columns.device)
        if fused is not None and len(known[-1]) > fused.MOST_CLASSES:
            fused = None

        def after(candidates: Features, *coefficients: np.ndarray) -> np.ndarray:
            new, sums = self._put_together(*coefficients), []
            if fused is not None:
                given = self._codes_there, self._single_weights, *known
                loop = getattr(fused, name)
                return self._mean(on_host(loop(candidates.rows, given, new, steepness, NEVER)))
            for start in range(0, len(candidates.rows), step):
                some = slice(start, start + step)
                with product_in(False, self._columns.device):
                    sums.append(self._sums(look(candidates.rows[some], some, new), steepness))
            return self._mean(np.concatenate(sums))

        return after

    def _put_together(self, *arrays: np.ndarray) -> list[Any]:
        """Return arrays as tensors of float32, brought over in one go."""
        sizes = [-(-array.size // _ALIGNED) * _ALIGNED for array in arrays]
        starts = np.cumsum([0, *sizes])
        whole = np.zeros(starts[-1], np.float32)
        for array, start in zip(arrays, starts[:-1], strict=True):
            whole[start : start + array.size] = array.ravel()
        parts = self._put(whole).split(sizes)
        return [part[: array.size].view(array.shape) for part, array in zip(parts, arrays, strict=True)]

    def _sums(self, scores: Any, steepness: float) -> np.ndarray:
        """Return what margins count, summed over objects, from scores of shape (classes, ..., objects)."""
        own = scores.gather(0, self._codes_there.expand(1, *scores.shape[1:]))[0]
        is_own = self._is_own.reshape(len(scores), *[1] * (scores.ndim - 2), -1)
        t = steepness * (own - scores.masked_fill(is_own, NEVER).amax(dim=0))
        return np.asarray(on_host((t / (1 + t.abs())).double() @ self._weights_there))
