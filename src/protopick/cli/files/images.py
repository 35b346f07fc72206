"""A folder of pictures, read by Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.source import FileError, Found, Opened, Options, Source, needed, shown_in

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")

_OF_16_BITS = {"I;16", "I;16L", "I;16B", "I;16N", "I"}
_OF_FRACTIONS = {"F"}
_DEEP = _OF_16_BITS | _OF_FRACTIONS
_GREY = {"1", "L", "LA", *_DEEP}
_LARGEST = 0xFFFF
_TO_16_BITS = 257
"""White is 255 in 8 bits and 65,535 in 16."""


def open_folder(folder: Opened, options: Options) -> Source:
    """Open all pictures of a folder and of the folders in it."""
    assert isinstance(folder, Path)
    paths = sorted(path for path in shown_in(folder) if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise FileError(f"The folder {folder} holds no pictures ({', '.join(SUFFIXES)}).")
    return Pictures(folder, paths, options.image_size)


class Pictures:
    """Pictures of one size; ``file`` is the name of each, ``folder`` the folder that it lies in."""

    names: Sequence[str] = ("file", "folder")

    def __init__(self, root: Path, paths: list[Path], size: tuple[int, int] | None) -> None:
        self._root, self._paths, self._size = root, paths, size

    def column(self, name: str) -> np.ndarray:
        """Return the names, or the folders."""
        relative = [path.relative_to(self._root) for path in self._paths]
        return np.array([str(path if name == "file" else path.parent) for path in relative])

    def objects(self, columns: Sequence[str] | None, without: Sequence[str], metric: str | None) -> Found:
        """Return the pictures as rows of numbers: grey if all are grey, else red, green and blue."""
        with needed("Pillow", "Pictures"):
            from PIL import Image
        if columns is not None:
            raise FileError("--columns does not apply to a folder of pictures.")
        kind = self._common(Image)
        rows = self._visible(Image, kind)
        width, height = kind.size
        return Found(rows, "euclidean", f"pictures of {width} x {height}", image_shape=kind.shape)

    def _visible(self, image: Any, kind: _Kind) -> np.ndarray:
        """Return the pictures on white, or on black where that shows something and white does not."""
        on_white = self._rows(image, kind)
        if on_white.min() < on_white.max():
            return on_white
        on_black = self._rows(image, replace(kind, ground="black"))
        return on_black if on_black.min() < on_black.max() else on_white

    def _rows(self, image: Any, kind: _Kind) -> np.ndarray:
        rows = np.empty((len(self._paths), int(np.prod(kind.shape))), np.float32 if kind.deep else np.uint8)
        for row, path in zip(rows, self._paths, strict=True):
            with self._opened(image, path) as picture:
                row[:] = kind.values(image, _loaded(picture, path)).ravel()
        return _of_16_bits(rows, self._paths) if kind.deep else rows

    def _common(self, image: Any) -> _Kind:
        """Return what all pictures are made, from their headers."""
        modes: dict[str, Path] = {}
        sizes: dict[tuple[int, int], Path] = {}
        for path in self._paths:
            with self._opened(image, path) as picture:
                modes.setdefault(picture.mode, path)
                sizes.setdefault(picture.size, path)
        if self._size is None and len(sizes) > 1:
            (a, first), (b, second) = list(sizes.items())[:2]
            raise FileError(
                f"The pictures have {len(sizes)} sizes: {first} is {a[0]}x{a[1]}, {second} is {b[0]}x{b[1]}. "
                f"Pass --image-size {a[0]}x{a[1]} to scale them all to one."
            )
        with_fractions, others = modes.keys() & _OF_FRACTIONS, modes.keys() - _OF_FRACTIONS
        if with_fractions and others:
            raise FileError(
                f"{modes[with_fractions.pop()]} holds fractions, but {modes[others.pop()]} whole numbers. "
                "Save all pictures in one way."
            )
        mode = "L" if modes.keys() <= _GREY else "RGB"
        return _Kind(mode, self._size or next(iter(sizes)), bool(modes.keys() & _DEEP))

    def _opened(self, image: Any, path: Path) -> Any:
        try:
            return image.open(path)
        except (OSError, SyntaxError, image.DecompressionBombError) as error:
            raise FileError(f"{path} cannot be read as a picture: {error}.") from error


@dataclass(frozen=True)
class _Kind:
    """What all pictures of a folder are made."""

    mode: str
    size: tuple[int, int]  # width, height
    deep: bool
    """Whether some have more than 8 bits."""

    ground: str = "white"
    """What is seen through transparent parts."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Height and width, and three colours if they are coloured."""
        return self.size[::-1] if self.mode == "L" else (*self.size[::-1], 3)

    def values(self, image: Any, picture: Any) -> np.ndarray:
        """Return the values of a picture, in 16 bits or fractions if some are deep."""
        if picture.mode not in _DEEP:
            picture = self._scaled(image, _laid_on(image, picture, self.ground).convert(self.mode))
            return np.asarray(picture, np.uint16) * _TO_16_BITS if self.deep else np.asarray(picture)
        grey = image.fromarray(np.asarray(picture).astype(np.float32))  # Pillow itself cuts off above 255
        values = np.asarray(self._scaled(image, grey))
        values = values if picture.mode in _OF_FRACTIONS else values.round()
        return np.broadcast_to(values.reshape(*values.shape, *[1] * (len(self.shape) - 2)), self.shape)

    def _scaled(self, image: Any, picture: Any) -> Any:
        return picture if picture.size == self.size else picture.resize(self.size, image.Resampling.BILINEAR)


def _loaded(picture: Any, path: Path) -> Any:
    """Return a picture, read in full."""
    try:
        picture.load()
    except (OSError, SyntaxError, ValueError) as error:
        raise FileError(f"{path} cannot be read as a picture: {error}.") from error
    return picture


def _laid_on(image: Any, picture: Any, ground: str) -> Any:
    """Return a picture whose transparent parts show the ground."""
    if "A" not in picture.getbands() and "transparency" not in picture.info:
        return picture
    picture = picture.convert("RGBA")
    return image.alpha_composite(image.new("RGBA", picture.size, ground), picture)


def _of_16_bits(rows: np.ndarray, paths: list[Path]) -> np.ndarray:
    """Return values as whole numbers of 16 bits where they are such."""
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if wrong.size:
        raise FileError(f"{paths[wrong[0]]} holds values that are no numbers. Mend it, or leave it out.")
    fits = rows.min() >= 0 and rows.max() <= _LARGEST and (rows == np.round(rows)).all()
    return rows.astype(np.uint16) if fits else rows
