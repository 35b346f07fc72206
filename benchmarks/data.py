"""What every benchmark works on: labelled objects, their split, and the files they come from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Objects:
    """Labelled objects and the measure to compare them by."""

    X: Any  # an array of vectors, strings or series; the matrix itself for a precomputed measure
    y: np.ndarray
    metric: str = "euclidean"
    metric_params: dict[str, Any] | None = None
    n_train: int | None = None  # the first objects are for training, where the source says so
    groups: np.ndarray | None = None  # objects of a group stay together
    source: str = ""  # the file or service that they were read from

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Split:
    """Indices of objects to pick from, to train a classifier with, and to test it on."""

    selection: np.ndarray
    training: np.ndarray
    test: np.ndarray


class MissingDataError(Exception):
    """A data set is not at hand."""


def find(*names: str) -> Path | None:
    """Return the first of some files or folders that lies in the folder PROTOPICK_DATA, if any."""
    folder = os.environ.get("PROTOPICK_DATA")
    paths = [Path(folder) / name for name in names] if folder else []
    return next((path for path in paths if path.exists()), None)


def load(name: str) -> Any:
    """Open an .npz file of the folder PROTOPICK_DATA."""
    path = find(f"{name}.npz")
    if path is None:
        raise MissingDataError(f"{name}.npz was not found. Set PROTOPICK_DATA to the folder that holds it.")
    return np.load(path, allow_pickle=False)
