"""Rows of numbers that are images."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from protopick.report.png import data_uri, png
from protopick.report.views.base import View, are_rows, evenly

_CARD_BYTES = 900_000  # of all cards together, before they are packed
_LARGEST_CARD, _LARGEST_SMALL = 128, 32  # pixels a side
_SMALL_BYTES = 480_000  # of the packed sheet
_ACROSS = 50
_AT_ONCE = 100
_FULL = 1.0, 255.0  # what white is in most images


@dataclass(frozen=True)
class Images(View):
    """Images, all on one scale: black at 0, or at the lowest value below, and white at the highest value.

    Where the highest is more than half of 1 or of 255, white is there, so that images look as they are.
    """

    objects: Any
    shape: tuple[int, ...]
    low: float
    high: float

    noun: ClassVar[str] = "images"

    @classmethod
    def of(cls, objects: Any, shape: tuple[int, ...], prototypes: np.ndarray) -> Images:
        some = np.asarray(objects[np.union1d(evenly(len(objects), 300), prototypes)], np.float32)
        low, high = float(np.nanmin(some)), float(np.nanmax(some))
        white = next((full for full in _FULL if low >= 0 and full / 2 < high <= full), high)
        return cls(objects, shape, min(low, 0.0), white)

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        channels = 3 if len(self.shape) == 3 else 1
        side = min(_LARGEST_CARD, int((_CARD_BYTES / (len(which) * channels)) ** 0.5))
        images = self._pixels(which, side)
        height, width = images.shape[1:3]
        return [{"kind": "image", "src": data_uri(i), "width": width, "height": height} for i in images]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        sheet = _sheet(_coarser(self._pixels(which[:_ACROSS], _LARGEST_SMALL)))
        each = len(png(sheet)) / min(_ACROSS, len(which))
        count = min(len(which), int(_SMALL_BYTES / each))
        images = self._pixels(which[:count], _LARGEST_SMALL)
        sheet = _sheet(_coarser(images))
        height, width = images.shape[1:3]
        rows = sheet.shape[0] // height
        grid = {"across": sheet.shape[1] // width, "down": rows, "width": width, "height": height}
        return {"kind": "sheet", "src": data_uri(sheet), "count": count, **grid}

    def _pixels(self, which: np.ndarray, side: int) -> np.ndarray:
        """Return images as uint8, shape (images, height, width) or (images, height, width, 3)."""
        parts = range(0, len(which), _AT_ONCE)  # large ones would take much memory
        return np.concatenate([self._shrunk(which[start : start + _AT_ONCE], side) for start in parts])

    def _shrunk(self, which: np.ndarray, side: int) -> np.ndarray:
        images = np.asarray(self.objects[which]).reshape(len(which), *self.shape)
        span = self.high - self.low
        scaled = (_shrunk(images, side) - self.low) * (255 / span if span > 0 else 0)
        return np.clip(np.nan_to_num(scaled), 0, 255).round().astype(np.uint8)


def check_shape(image_shape: Any, objects: Any) -> tuple[int, ...]:
    """Return the shape of an image, if the objects can have it."""
    values = tuple(image_shape) if isinstance(image_shape, (tuple, list)) else ()
    is_shape = len(values) == 2 or (len(values) == 3 and values[2] in (1, 3))
    if not is_shape or not all(isinstance(v, Integral) and int(v) > 0 for v in values):
        raise ValueError(
            f"image_shape={image_shape!r} is not allowed. Pass (height, width), or (height, width, 3) for "
            "images in colour."
        )
    numbers = are_rows(objects)
    size = int(objects.shape[1]) if numbers else 0
    if not numbers or size != int(np.prod(values)):
        got = f"rows of {size} numbers" if numbers else "no dense rows of numbers"
        raise ValueError(
            f"image_shape={image_shape!r} needs {int(np.prod(values))} numbers an object, but X has {got}. "
            "Pass the shape of one image, or None."
        )
    shape = tuple(int(v) for v in values)
    return shape[:2] if shape[2:] == (1,) else shape


def _shrunk(images: np.ndarray, side: int) -> np.ndarray:
    """Return images of at most so many pixels a side, each the mean of those it stands for."""
    height, width = images.shape[1:3]
    factor = side / max(height, width)
    shrunk: np.ndarray = images.astype(np.float32)
    if factor >= 1:
        return shrunk
    for axis, size in ((1, height), (2, width)):
        edges = np.linspace(0, size, max(1, round(size * factor)) + 1).astype(int)
        counts = np.diff(edges).reshape([-1 if a == axis else 1 for a in range(images.ndim)])
        shrunk = np.add.reduceat(shrunk, edges[:-1], axis=axis) / counts
    return shrunk


def _coarser(images: np.ndarray) -> np.ndarray:
    """Return images with 16 greys, or 16 values of each colour, which pack better."""
    return (images >> 4) * np.uint8(17)


def _sheet(images: np.ndarray) -> np.ndarray:
    """Return small images side by side in one."""
    across = min(_ACROSS, len(images))
    down = -(-len(images) // across)
    filled = np.zeros((across * down, *images.shape[1:]), np.uint8)
    filled[: len(images)] = images
    grid = filled.reshape(down, across, *images.shape[1:]).swapaxes(1, 2)
    return grid.reshape(down * images.shape[1], across * images.shape[2], *images.shape[3:])
