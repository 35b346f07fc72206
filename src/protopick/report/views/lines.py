"""Series as sparklines and streamlines as projected curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from protopick.report.views.base import LINE_CODES, Line, View, evenly

WIDTH, HEIGHT = 200, 100
_MARGIN = 4.0
_CARD_POINTS, _SMALL_POINTS = 140, 48
_CARD_CHANNELS, _SMALL_CHANNELS = 6, 3
_FLAT = 5  # a series is drawn as good as flat where another has so many times its range
_LEARNT_FROM = 200
_BACKGROUND_LINES, _BACKGROUND_POINTS = 60, 16


@dataclass(frozen=True)
class Series(View):
    """Series over time, one line a channel; all on one scale, where none would be flat on it."""

    item: Callable[[int], np.ndarray]  # (time, channels)
    ends: np.ndarray  # (prototypes, 2): the smallest and the largest value of each
    longest: int
    n_channels: int

    noun: ClassVar[str] = "series"

    @classmethod
    def of(cls, item: Callable[[int], np.ndarray], n: int, prototypes: np.ndarray) -> Series:
        some = [item(i) for i in prototypes.tolist()]
        ends = np.array([[s.min(), s.max()] for s in some], np.float64)
        return cls(item, ends, max(len(s) for s in some), some[0].shape[1])

    @property
    def _ranges(self) -> np.ndarray:
        """How far each prototype goes, of those that are not constant."""
        ranges = self.ends[:, 1] - self.ends[:, 0]
        return ranges[ranges > 0]

    @property
    def _shares_scale(self) -> bool:
        ranges = self._ranges
        return len(ranges) == 0 or bool(ranges.max() <= _FLAT * ranges.min())

    @property
    def note(self) -> str | None:
        if self._shares_scale:
            low, high = self.ends.min(), self.ends.max()
            drawn = f"All sparklines run from {low:.3g} at the bottom to {high:.3g} at the top"
        else:
            drawn = (
                "Each sparkline has a scale of its own, from its smallest value at the bottom to its largest "
                "at the top, so heights do not compare: the ranges of the prototypes go from "
                f"{self._ranges.min():.3g} to {self._ranges.max():.3g}"
            )
        if self.n_channels > _CARD_CHANNELS:
            return f"{drawn}, and show the first {_CARD_CHANNELS} of {self.n_channels} channels."
        return f"{drawn}." if self.n_channels == 1 else f"{drawn}, one line a channel."

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        return [self._card(self.item(i)) for i in which.tolist()]

    def _card(self, series: np.ndarray) -> dict[str, Any]:
        at = evenly(len(series), _CARD_POINTS)
        x = _MARGIN + at / max(1, self.longest - 1) * (WIDTH - 2 * _MARGIN)
        y = HEIGHT - _MARGIN - self._height(series)[at] * (HEIGHT - 2 * _MARGIN)  # (points, channels)
        lines = [_rounded(np.column_stack([x, y[:, c]])) for c in range(min(y.shape[1], _CARD_CHANNELS))]
        return {"kind": "lines", "width": WIDTH, "height": HEIGHT, "lines": lines, "length": len(series)}

    def small(self, which: np.ndarray) -> dict[str, Any]:
        paths = []
        for i in which.tolist():
            series = self.item(i)
            heights = self._height(series)[evenly(len(series), _SMALL_POINTS)]
            paths.append([_coded(heights[:, c]) for c in range(min(heights.shape[1], _SMALL_CHANNELS))])
        return {"kind": "series", "paths": paths}

    def _height(self, series: np.ndarray) -> np.ndarray:
        """Return the values of a whole series as shares of the height."""
        values = series.astype(np.float64)
        on_scale = self.ends if self._shares_scale else values
        low, high = on_scale.min(), on_scale.max()
        if not high > low:
            return np.full(values.shape, 0.5)
        return np.clip((values - low) / (high - low), 0, 1)


@dataclass(frozen=True)
class Streamlines(View):
    """Curves in space, seen from where they spread most, each in front of some others."""

    item: Callable[[int], np.ndarray]  # (points, coordinates)
    axes: np.ndarray  # (coordinates, 2)
    low: np.ndarray
    scale: float
    shift: np.ndarray
    behind: list[Line] = field(default_factory=list)

    noun: ClassVar[str] = "streamlines"

    @property
    def note(self) -> str | None:
        return (
            "Each streamline is seen from the side where all spread most. Behind it lie some of the others."
        )

    @property
    def background(self) -> list[Line]:
        return self.behind

    @classmethod
    def of(cls, item: Callable[[int], np.ndarray], n: int, prototypes: np.ndarray) -> Streamlines:
        some = [
            np.asarray(item(i), np.float64) for i in [*evenly(n, _LEARNT_FROM).tolist(), *prototypes.tolist()]
        ]
        points = np.concatenate(some)
        axes = np.eye(points.shape[1])[:, :2]
        if points.shape[1] > 2:
            axes = np.linalg.eigh(np.cov(points.T))[1][:, ::-1][:, :2]
            axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])  # an axis has no sign of its own
        flat = points @ axes
        low, spans = flat.min(axis=0), np.ptp(flat, axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * _MARGIN
        scale = float((room / np.maximum(spans, 1e-300)).min()) if spans.max() > 0 else 0.0
        bare = cls(item, axes, low, scale, (np.array([WIDTH, HEIGHT]) - spans * scale) / 2)
        behind = [bare._flat(some[i], _BACKGROUND_POINTS) for i in evenly(len(some), _BACKGROUND_LINES)]
        return cls(item, axes, low, scale, bare.shift, [_rounded(line) for line in behind])

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        lines = [_rounded(self._flat(self.item(i), _CARD_POINTS)) for i in which.tolist()]
        return [{"kind": "lines", "width": WIDTH, "height": HEIGHT, "lines": [line]} for line in lines]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        box = np.array([WIDTH, HEIGHT])
        paths = []
        for i in which.tolist():
            flat = np.clip(self._flat(self.item(i), _SMALL_POINTS // 2) / box, 0, 1)
            flat[:, 1] = 1 - flat[:, 1]
            paths.append([_coded(flat.ravel())])
        return {"kind": "curves", "paths": paths}

    def _flat(self, line: np.ndarray, most: int) -> np.ndarray:
        """Return at most so many points in the picture, whose second axis points down."""
        at = (
            np.asarray(line[evenly(len(line), most)], np.float64) @ self.axes - self.low
        ) * self.scale + self.shift
        at[:, 1] = HEIGHT - at[:, 1]
        return at


def _rounded(points: np.ndarray) -> Line:
    return np.round(points, 1).tolist()


def _coded(shares: np.ndarray) -> str:
    """Return numbers from 0 to 1 as letters."""
    return "".join(LINE_CODES[i] for i in np.rint(shares * (len(LINE_CODES) - 1)).astype(int))
