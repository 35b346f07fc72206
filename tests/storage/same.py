"""Are two values the same, to the last bit and type?"""

import dataclasses
import io

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from protopick import Ragged
from protopick.storage.archive import Archive, write_archive
from protopick.storage.imports import Imports
from protopick.storage.models import KINDS
from protopick.storage.values import Reader, Writer


def same(a, b):
    if type(a) is not type(b) and not (isinstance(a, np.memmap) and type(b) is np.ndarray):
        return False
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and same(a.ravel().tolist(), b.ravel().tolist())
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return a.hex() == b.hex()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a), list(b)) and same(list(a.values()), list(b.values()))
    if sparse.issparse(a):
        return a.shape == b.shape and all(same(getattr(a, n), getattr(b, n)) for n in CSR)
    if isinstance(a, Ragged):
        return same(a.points, b.points) and same(a.offsets, b.offsets)
    if isinstance(a, np.random.Generator):
        return same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(a, np.random.RandomState):
        return same(a.get_state(legacy=False), b.get_state(legacy=False))
    if hasattr(a, "equals"):  # frames and columns
        return a.equals(b) and str(getattr(a, "dtypes", "")) == str(getattr(b, "dtypes", ""))
    if dataclasses.is_dataclass(a) or isinstance(a, BaseEstimator):
        return same(vars(a), vars(b))
    return a == b


CSR = ("data", "indices", "indptr")


def read_again(value, allow_imports=False):
    """Write a value to a file in memory, and read it."""
    writer = Writer(KINDS)
    node = writer.value(value, "it")
    file = io.BytesIO()
    write_archive(file, node, writer.arrays)
    archive = Archive(file)
    kinds = {kind.name: kind for kind in KINDS}
    return Reader(kinds, archive, Imports.allowed_by(allow_imports)).value(archive.header())
