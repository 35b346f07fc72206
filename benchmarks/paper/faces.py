"""Faces, which need a licence: read from a folder that the user has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import loadmat, whosmat

from benchmarks.data import MissingDataError, Objects, find

_SIDE = 96
_CELLS = 6
_PICTURES = {".png", ".jpg", ".jpeg", ".ppm", ".pgm", ".bmp", ".tif", ".tiff"}
_DESCRIPTOR = "VID_DESCS_LBP"
_FRAMES = 100
"""Persons count who have a video with more frames than this."""


def xm2vts() -> Objects:
    """Return the faces of ``xm2vts.npz`` (D or X, and y), or of a folder ``xm2vts`` of pictures.

    The folder has one folder a person, with the person's faces, cropped and aligned. Each picture becomes
    histograms of local binary patterns, which are compared by Euclidean distance.
    """
    path = find("xm2vts.npz", "xm2vts")
    if path is None:
        raise MissingDataError("Neither xm2vts.npz nor a folder xm2vts was found in PROTOPICK_DATA.")
    if path.is_file():
        with np.load(path, allow_pickle=False) as file:
            if "D" in file:
                return Objects(file["D"].astype(np.float32), file["y"], "precomputed", source=path.name)
            return Objects(file["X"].astype(np.float32), file["y"], source=path.name)
    X, y = _pictures(path)
    return Objects(X, y, source=f"{path.name}, {len(y):,} pictures")


def youtube() -> Objects:
    """Return the frames of one video a person, as the database's own local binary patterns.

    Of the persons with a video of more than 100 frames, each has the longest taken. The folder
    ``youtube_faces`` holds ``descriptors_DB`` as the database has it.
    """
    folder = find("youtube_faces/descriptors_DB")
    if folder is None:
        raise MissingDataError("youtube_faces/descriptors_DB was not found in PROTOPICK_DATA.")
    of_persons = [sorted(person.glob("aligned_video_*.mat")) for person in _persons(folder)]
    longest = [max(videos, key=_n_frames) for videos in of_persons if videos]
    videos = [video for video in longest if _n_frames(video) > _FRAMES]
    if not videos:
        raise MissingDataError(f"{folder.name} has no aligned_video_*.mat with more than {_FRAMES} frames.")
    frames = [loadmat(video, variable_names=[_DESCRIPTOR])[_DESCRIPTOR].T for video in videos]
    y = np.repeat(np.arange(len(frames)), [len(some) for some in frames])
    X = np.concatenate(frames, dtype=np.float32, casting="same_kind")
    return Objects(X, y, source=f"descriptors_DB, {len(videos):,} persons, {len(y):,} frames")


def local_binary_patterns(image: np.ndarray) -> np.ndarray:
    """Return the histograms of uniform patterns of 8 neighbours, over 6 x 6 parts of a grey image."""
    grey = image.astype(np.int16)
    inner = grey[1:-1, 1:-1]
    codes = np.zeros(inner.shape, np.intp)
    around = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]
    for bit, (row, column) in enumerate(around):
        neighbour = grey[row : row + inner.shape[0], column : column + inner.shape[1]]
        codes |= (neighbour >= inner).astype(np.intp) << bit
    patterns = _UNIFORM[codes]
    parts = [
        np.bincount(part.ravel(), minlength=_UNIFORM.max() + 1) / part.size
        for band in np.array_split(patterns, _CELLS, axis=0)
        for part in np.array_split(band, _CELLS, axis=1)
    ]
    return np.concatenate(parts).astype(np.float32)


def _uniform() -> np.ndarray:
    """Number the patterns with at most two changes around the circle; all others share the number 0."""
    numbers = np.zeros(256, np.intp)
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    few = np.flatnonzero((bits != np.roll(bits, 1, axis=1)).sum(axis=1) <= 2)
    numbers[few] = 1 + np.arange(len(few))
    return numbers


_UNIFORM = _uniform()


def _pictures(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    from PIL import Image

    X, y = [], []
    for label, person in enumerate(_persons(folder)):
        for path in sorted(person.iterdir()):
            if path.suffix.lower() in _PICTURES:
                with Image.open(path) as picture:
                    grey = np.asarray(picture.convert("L").resize((_SIDE, _SIDE)))
                X.append(local_binary_patterns(grey))
                y.append(label)
    if not X:
        raise MissingDataError(f"The folder {folder.name} has no folders with pictures in them.")
    return np.stack(X), np.array(y)


def _persons(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _n_frames(video: Path) -> int:
    return next(shape[1] for name, shape, _ in whosmat(video) if name == _DESCRIPTOR)
