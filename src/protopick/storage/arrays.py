"""Arrays, and what is made of arrays: CSR matrices, `Ragged` objects, states of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from protopick.objects import Ragged, host_array
from protopick.objects.tensors import is_tensor
from protopick.storage.archive import DamagedFileError
from protopick.storage.values import Kind, Reader, Writer, exactly

_PLAIN = "biufcSUmM"
"""The kinds of dtypes that are wholly told by their string."""

_CSR = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def _dtype(text: str) -> np.dtype:
    """Return a dtype that a file names. One of pointers would read memory that is not ours."""
    dtype = np.dtype(text)
    if dtype.kind not in _PLAIN:
        raise DamagedFileError(f"its header names the dtype {text!r}")
    return dtype


def _is_array(value: Any) -> bool:
    return type(value) in (np.ndarray, np.memmap) and value.dtype.kind in _PLAIN


def _write_array(value: np.ndarray, to: Writer, where: str) -> Any:
    return {"member": to.array(value), "dtype": value.dtype.str, "shape": list(value.shape)}


def _write_tensor(value: Any, to: Writer, where: str) -> Any:
    return _write_array(host_array(value, where), to, where)


def _read_array(body: Any, of: Reader) -> np.ndarray:
    return of.archive.array(body["member"], _dtype(body["dtype"]), tuple(body["shape"]))


def _is_object_array(value: Any) -> bool:
    return type(value) is np.ndarray and (value.dtype == object or _is_text(value.dtype))


def _is_text(dtype: np.dtype) -> bool:
    """Say whether a dtype is that of strings of any length, without a mark for missing ones."""
    return dtype.kind == "T" and dtype == np.dtypes.StringDType()


def _write_objects(value: np.ndarray, to: Writer, where: str) -> Any:
    items = to.items(value.ravel().tolist(), where)
    return {"text": _is_text(value.dtype), "shape": list(value.shape), "items": items}


def _read_objects(body: Any, of: Reader) -> np.ndarray:
    items = of.value(body["items"])
    array = np.empty(len(items), object)
    for i, item in enumerate(items):  # never taken apart where they are sequences
        array[i] = item
    return array.astype(np.dtypes.StringDType() if body["text"] else object).reshape(tuple(body["shape"]))


def _is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.kind in _PLAIN


def _write_scalar(value: np.generic, to: Writer, where: str) -> Any:
    return {"dtype": value.dtype.str, "bytes": value.tobytes().hex()}


def _read_scalar(body: Any, of: Reader) -> Any:
    return np.ndarray((), _dtype(body["dtype"]), bytes.fromhex(body["bytes"]))[()]


def _is_dtype(value: Any) -> bool:
    return isinstance(value, np.dtype) and value.kind in _PLAIN


def _write_csr(value: Any, to: Writer, where: str) -> Any:
    parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
    return {"class": type(value).__name__, "shape": list(value.shape), **to.named(parts, where)}


def _read_csr(body: Any, of: Reader) -> Any:
    parts = [of.value(body[name]) for name in ("data", "indices", "indptr")]
    matrix = _CSR[body["class"]](tuple(parts), shape=tuple(body["shape"]))
    matrix.check_format(full_check=True)  # compiled loops trust the indices
    matrix.data, matrix.indices, matrix.indptr = parts  # in their own types
    return matrix


def _write_ragged(value: Ragged, to: Writer, where: str) -> Any:
    return to.named({"points": value.used, "offsets": value.used_offsets}, where)


def _read_ragged(body: Any, of: Reader) -> Ragged:
    return Ragged(**of.named(body))


def _is_random(value: Any) -> bool:
    if type(value) is np.random.RandomState:
        return value.get_state(legacy=False)["bit_generator"] in _BIT_GENERATORS
    return type(value) is np.random.Generator and type(value.bit_generator).__name__ in _BIT_GENERATORS


def _write_random(value: Any, to: Writer, where: str) -> Any:
    is_old = type(value) is np.random.RandomState
    state = value.get_state(legacy=False) if is_old else value.bit_generator.state
    return {"class": type(value).__name__, "state": to.value(state, where)}


def _read_random(body: Any, of: Reader) -> Any:
    state = of.value(body["state"])
    name = state["bit_generator"]
    if name not in _BIT_GENERATORS:
        raise DamagedFileError(f"its header names the bit generator {name!r}")
    if body["class"] == "RandomState":
        old = np.random.RandomState(getattr(np.random, name)())
        old.set_state(state)
        return old
    generator = np.random.Generator(getattr(np.random, name)())
    generator.bit_generator.state = state
    return generator


ARRAYS = (
    Kind("array", _is_array, _write_array, _read_array),
    Kind("array", is_tensor, _write_tensor, _read_array),  # a file knows no devices
    Kind("objects", _is_object_array, _write_objects, _read_objects),
    Kind("scalar", _is_scalar, _write_scalar, _read_scalar),
    Kind("dtype", _is_dtype, lambda value, to, where: value.str, lambda body, of: _dtype(body)),
    Kind("csr", exactly(*_CSR.values()), _write_csr, _read_csr),
    Kind("ragged", exactly(Ragged), _write_ragged, _read_ragged),
    Kind("random numbers", _is_random, _write_random, _read_random),
)
