"""Street View House Numbers with the paper's preparation of the images."""

from __future__ import annotations

import numpy as np
from scipy.io import loadmat
from scipy.ndimage import gaussian_filter

from benchmarks.data import Objects, find
from benchmarks.paper.sources import svhn_file

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_MIDDLE = 8.0
"""Standard deviation, in pixels, of the Gaussian that weights the middle: a quarter of the width.
The paper does not say it."""
_BLUR = 0.5
_CHUNK = 4096


def svhn1() -> Objects:
    """Return the 73,257 digits of the training part, then the 26,032 of the test part."""
    grey = None if find("train_32x32.mat") else find("svhn_grey.npz")
    if grey is not None:
        with np.load(grey, allow_pickle=False) as file:
            images, y, n_train = file["X"], file["y"], int(file["n_train"])
        return Objects(prepared(images), y, n_train=n_train, source=grey.name)
    return _joined("train_32x32.mat", "test_32x32.mat")


def svhn2() -> Objects:
    """Return the 531,131 digits of the extra part, then the 26,032 of the test part."""
    return _joined("extra_32x32.mat", "test_32x32.mat")


def prepared(images: np.ndarray) -> np.ndarray:
    """Equalise each histogram, weight the middle, and blur with a 5 x 5 kernel; one row an image."""
    n, height, width = images.shape
    weights = middle_weights(height, width)
    X = np.empty((n, height * width), np.float32)
    for start in range(0, n, _CHUNK):
        part = blurred(equalised(images[start : start + _CHUNK]) * weights)
        X[start : start + _CHUNK] = part.reshape(len(part), -1)
    return X


def equalised(images: np.ndarray) -> np.ndarray:
    """Return grey images in which every level takes the share of pixels up to it, from 0 to 255."""
    n = len(images)
    flat = images.reshape(n, -1).astype(np.intp)
    flat += 256 * np.arange(n)[:, None]  # a histogram for each image
    counts = np.bincount(flat.ravel(), minlength=256 * n).reshape(n, 256)
    shares = counts.cumsum(axis=1) / flat.shape[1]
    return (255 * shares).astype(np.float32).ravel()[flat].reshape(images.shape)


def middle_weights(height: int, width: int) -> np.ndarray:
    """Return a Gaussian hill over an image, one in the middle."""
    rows = np.arange(height) - (height - 1) / 2
    columns = np.arange(width) - (width - 1) / 2
    squared = rows[:, None] ** 2 + columns**2
    return np.exp(-squared / (2 * _MIDDLE**2)).astype(np.float32)


def blurred(images: np.ndarray) -> np.ndarray:
    """Blur each image with a Gaussian kernel of 5 x 5 pixels."""
    return gaussian_filter(images, (0, _BLUR, _BLUR), radius=(0, 2, 2))


def _joined(first: str, test: str) -> Objects:
    parts = [_read(name) for name in (first, test)]
    X = np.concatenate([prepared(images) for images, _ in parts])
    y = np.concatenate([labels for _, labels in parts])
    return Objects(X, y, n_train=len(parts[0][1]), source=f"{first} and {test}")


def _read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return grey images and their digits from an official file."""
    file = loadmat(svhn_file(name), variable_names=["X", "y"])
    colours = file["X"]  # (height, width, 3, n)
    n = colours.shape[-1]
    grey = np.empty((n, *colours.shape[:2]), np.uint8)
    for start in range(0, n, _CHUNK):
        part = np.moveaxis(colours[..., start : start + _CHUNK], -1, 0)
        grey[start : start + _CHUNK] = np.rint(part @ _LUMA)
    return grey, (file["y"].ravel() % 10).astype(np.uint8)  # the file calls the digit zero ten
