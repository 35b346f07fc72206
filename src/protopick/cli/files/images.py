"""A folder of pictures, read by Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from protopick.cli.files.source import FileError, Found, Opened, Options, Source, needed, shown_in

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")

_DEEP = {"I;16", "I;16L", "I;16B", "I;16N", "I", "F"}  # Pillow would cut off what is above 255
_GREY = {"1", "L", "LA", *_DEEP}


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
        mode, size = self._common(Image)
        shape = (size[1], size[0]) if mode == "L" else (size[1], size[0], 3)
        rows = np.empty((len(self._paths), int(np.prod(shape))), np.uint8)
        for row, path in zip(rows, self._paths, strict=True):
            with self._opened(Image, path) as picture:
                picture = self._eight_bits(Image, picture, path).convert(mode)
                if picture.size != size:
                    picture = picture.resize(size, Image.Resampling.BILINEAR)
                row[:] = np.asarray(picture, dtype=np.uint8).ravel()
        return Found(rows, "euclidean", f"pictures of {size[0]} x {size[1]}", image_shape=shape)

    def _common(self, image: Any) -> tuple[str, tuple[int, int]]:
        """Return the mode and the size of all pictures, from their headers."""
        modes: set[str] = set()
        sizes: dict[tuple[int, int], Path] = {}
        for path in self._paths:
            with self._opened(image, path) as picture:
                modes.add(picture.mode)
                sizes.setdefault(picture.size, path)
        if self._size is None and len(sizes) > 1:
            (a, first), (b, second) = list(sizes.items())[:2]
            raise FileError(
                f"The pictures have {len(sizes)} sizes: {first} is {a[0]}x{a[1]}, {second} is {b[0]}x{b[1]}. "
                f"Pass --image-size {a[0]}x{a[1]} to scale them all to one."
            )
        return "L" if modes <= _GREY else "RGB", self._size or next(iter(sizes))

    def _opened(self, image: Any, path: Path) -> Any:
        try:
            return image.open(path)
        except (OSError, SyntaxError, image.DecompressionBombError) as error:
            raise FileError(f"{path} cannot be read as a picture: {error}.") from error

    def _eight_bits(self, image: Any, picture: Any, path: Path) -> Any:
        """Return a picture whose values are 0 to 255, read in full."""
        try:
            picture.load()
        except (OSError, SyntaxError, ValueError) as error:
            raise FileError(f"{path} cannot be read as a picture: {error}.") from error
        if picture.mode not in _DEEP:
            return picture
        values = np.asarray(picture)
        if values.dtype.kind == "f" or values.min() < 0 or values.max() > 0xFFFF:
            raise FileError(
                f"{path} holds values beyond 16 bits. Save such pictures as an array, such as pictures.npy."
            )
        return image.fromarray((values >> 8).astype(np.uint8))
