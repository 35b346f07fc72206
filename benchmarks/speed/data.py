"""The data: MNIST where it can be had, and seeded mixtures of Gaussians of any size."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

_N_TRAIN = 60_000
_N_CANDIDATES = 58_800
_N_FEATURES = 784
_CHUNK = 65_536


class Data(NamedTuple):
    """Objects, their labels, and what to call them."""

    X: np.ndarray  # (n, q) float32
    y: np.ndarray  # (n,)
    name: str


@functools.cache
def mnist() -> Data:
    """Return 58,800 of MNIST's 60,000 training images, or a stand-in of the same shape."""
    loaded = _from_folder() or _from_openml()
    if loaded is None:
        print(
            "MNIST was not found: the times below are for synthetic data of its shape. "
            "Set PROTOPICK_DATA to a folder with mnist.npz, or connect to the internet.",
            file=sys.stderr,
        )
        X, y = mixture(_N_CANDIDATES, _N_FEATURES, n_classes=10)
        return Data(X, y, "synthetic data of MNIST's shape")
    X, y = loaded
    some = np.random.default_rng(0).choice(_N_TRAIN, _N_CANDIDATES, replace=False)
    return Data(X[some].astype(np.float32), y[some].astype(np.intp), "MNIST")


@functools.cache
def both_kinds() -> dict[str, np.ndarray]:
    """Return its rows as pixels, which are whole numbers, and as fractions, which are compared as floats."""
    X, _, name = mnist()
    return {f"{name}, pixels": X, f"{name}, fractions": X / np.float32(255)}


def mixture(n: int, q: int, n_classes: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return n objects with q features, three Gaussians a class, made without a large temporary."""
    rng = np.random.default_rng(seed)
    centres = 1.2 * rng.standard_normal((3 * n_classes, q), dtype=np.float32)
    X = np.empty((n, q), np.float32)
    y = np.empty(n, np.intp)
    for start in range(0, n, _CHUNK):
        part = X[start : start + _CHUNK]
        which = rng.integers(len(centres), size=len(part))
        rng.standard_normal(dtype=np.float32, out=part)
        part += centres[which]
        y[start : start + _CHUNK] = which % n_classes
    return X, y


def _from_folder() -> tuple[np.ndarray, np.ndarray] | None:
    """Read mnist.npz from the folder that PROTOPICK_DATA names."""
    path = Path(os.environ.get("PROTOPICK_DATA", "")) / "mnist.npz"
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as file:
        X, y = file["X"][:_N_TRAIN], file["y"][:_N_TRAIN]
    return X.reshape(len(X), -1), y


def _from_openml() -> tuple[np.ndarray, np.ndarray] | None:
    """Download MNIST, or take scikit-learn's copy of an earlier download."""
    from sklearn.datasets import fetch_openml

    try:
        X, y = fetch_openml("mnist_784", version=1, as_frame=False, return_X_y=True, n_retries=1)
    except Exception as error:  # no network, no such host, a broken download: all end in the stand-in
        print(f"MNIST could not be downloaded: {error}", file=sys.stderr)
        return None
    return X[:_N_TRAIN], y[:_N_TRAIN]
