"""Zongker's digits: 2,000 handwritten digits compared by deformable templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

from benchmarks.data import MissingDataError, Objects, find

FILES = ("zongker.npz", "dist_digit_zongker.mat", "zongker.mat")


def zongker() -> Objects:
    """Return the matrix of a file that the user placed into the folder PROTOPICK_DATA."""
    path = find(*FILES)
    if path is None:
        raise MissingDataError(f"None of {', '.join(FILES)} was found in PROTOPICK_DATA.")
    D, y = _from_npz(path) if path.suffix == ".npz" else _from_mat(path)
    return Objects(as_dissimilarities(D), y, "precomputed", source=path.name)


def as_dissimilarities(D: np.ndarray) -> np.ndarray:
    """Return a matrix with a zero diagonal; similarities s up to one become the root of 1 - s.

    The two directions differ a little, and the greater of them is taken, as DisTools does.
    """
    D = np.asarray(D, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f"Zongker's file holds an array of shape {D.shape}. It must be square.")
    if np.median(np.diag(D)) > np.median(D):  # an object is most similar to itself
        D = np.sqrt(np.maximum(1 - D, 0))
    D = np.maximum(D, D.T)
    np.fill_diagonal(D, 0)
    return D.astype(np.float32)


def _from_npz(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return file["D"], file["y"]


def _from_mat(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read ``d`` and ``lab``, or a data set of PRTools."""
    file = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    if "d" in file and "lab" in file:
        return file["d"], _codes(file["lab"])
    for value in file.values():
        fields = value.dtype.names or ()
        if "data" in fields and "nlab" in fields:
            record = value.ravel()[0]
            return record["data"], _codes(record["nlab"])
    raise ValueError(
        f"{path.name} holds {', '.join(file)}. It must hold d and lab, or a PRTools data set; or save the "
        "matrix as D and the labels as y in zongker.npz."
    )


def _codes(labels: Any) -> np.ndarray:
    """Return class numbers of labels, which may be numbers or rows of characters."""
    labels = np.asarray(labels)
    return np.unique(labels.ravel(), return_inverse=True)[1].astype(np.intp)
