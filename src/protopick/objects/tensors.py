"""Rows of numbers in a tensor: on a GPU, or wherever torch keeps it. The one file that knows torch."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_FAMILIES = ("torch", "cupy")


def is_tensor(X: Any) -> bool:
    """Say whether ``X`` is a tensor of torch or an array of CuPy, without importing either."""
    return type(X).__module__.partition(".")[0] in _FAMILIES and hasattr(X, "__dlpack__")


class TensorRows:
    """The rows of a tensor of two dimensions.

    Slices and index arrays give rows again, on the same device; ``np.asarray`` copies them to the host.

    Parameters
    ----------
    values : torch.Tensor
        The rows.
    given_as : str
        Which library's array the user passed: "torch" or "cupy".
    """

    ndim = 2

    def __init__(self, values: Any, given_as: str = "torch") -> None:
        self.values = values
        self.given_as = given_as

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    @property
    def dtype(self) -> np.dtype:
        """The type of the numbers; float16 also for bfloat16, which NumPy does not know."""
        return _numpy_dtype(self.values)

    @property
    def nbytes(self) -> int:
        return int(self.values.numel() * self.values.element_size())

    @property
    def device(self) -> Any:
        return self.values.device

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __getitem__(self, which: Any) -> TensorRows:
        if isinstance(which, np.ndarray):
            which = put(which.astype(np.int64, copy=False), self.device)
        return TensorRows(self.values[which], self.given_as)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return on_host(self.values).astype(dtype or self.dtype, copy=False)

    def given(self, values: Any) -> Any:
        """Return a tensor as an array of the library that the user passed, without a copy."""
        return values if self.given_as == "torch" else importlib.import_module("cupy").from_dlpack(values)

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation of each column, in float64."""
        values = self.values.double()
        return on_host(values.mean(dim=0)), on_host(values.std(dim=0, correction=0))


def as_rows(X: Any, allows_nan: bool) -> TensorRows:
    """Return a tensor as rows, or say what is wrong with it."""
    torch = _torch()
    family = type(X).__module__.partition(".")[0]
    values = X.detach() if family == "torch" else torch.from_dlpack(X)
    if values.ndim != 2 or values.is_complex() or not all(values.shape):
        raise ValueError(
            f"X is a tensor of shape {tuple(values.shape)} and dtype {values.dtype}. Expected 2D array of "
            "real numbers with at least one row and one column."
        )
    if values.is_sparse or values.layout != torch.strided:
        raise ValueError("X is a sparse tensor. Pass X.to_dense(), or a CSR matrix of SciPy.")
    rows = TensorRows(values, family)
    if values.is_floating_point() and not bool(values.sum().isfinite()):  # the usual case costs one pass
        wrong = values.isinf() if allows_nan else ~values.isfinite()
        if bool(wrong.any()):
            row, column = wrong.nonzero()[0].tolist()
            raise ValueError(
                f"X[{row}, {column}] is {float(values[row, column])}, but metric needs finite numbers. "
                "Mend or leave out such rows."
            )
    return rows


def host_array(values: Any, name: str, beside: Any = None) -> Any:
    """Return a tensor of labels or weights as an array of NumPy, anything else as it is.

    A tensor has to be on the device of the objects ``beside`` it, where these are in one too.
    """
    if not is_tensor(values):
        return values
    if type(values).__module__.partition(".")[0] == "cupy":
        return values.get()
    if isinstance(beside, TensorRows) and beside.device != values.device:
        raise ValueError(
            f"{name} is on the device {str(values.device)!r}, but X is on {str(beside.device)!r}. Move one "
            f"of them, as with {name}.to(X.device), or pass {name} as an array of NumPy."
        )
    return on_host(values.detach())


def on_host(found: Any) -> Any:
    """Return tensors as arrays of NumPy, also those in a tuple; anything else as it is."""
    if isinstance(found, tuple):
        return tuple(map(on_host, found))
    if type(found).__module__.partition(".")[0] != "torch":
        return found
    if str(found.dtype) == "torch.bfloat16":
        found = found.float()
    return found.cpu().numpy()


def put(values: np.ndarray, device: Any) -> Any:
    """Return an array of NumPy as a tensor."""
    writeable = values if values.flags.writeable else values.copy()
    return _torch().from_numpy(np.ascontiguousarray(writeable)).to(device)


def empty(shape: tuple[int, ...], dtype: np.dtype, device: Any) -> Any:
    """Return a tensor that is not filled yet."""
    return _torch().empty(shape, dtype=torch_dtype(dtype), device=device)


def full(shape: tuple[int, ...], value: float, dtype: Any, device: Any) -> Any:
    """Return a tensor with the same value everywhere."""
    return _torch().full(shape, value, dtype=torch_dtype(np.dtype(dtype)), device=device)


def torch_dtype(dtype: np.dtype) -> Any:
    """Return what torch calls a dtype of NumPy."""
    return getattr(_torch(), np.dtype(dtype).name)


def device_memory(device: Any) -> int | None:
    """Return how many bytes of a GPU can be had, None where that is not to be known."""
    if device.type != "cuda":
        return None
    cuda = _torch().cuda
    unused = cuda.memory_reserved(device) - cuda.memory_allocated(device)  # held by torch itself
    return int(cuda.mem_get_info(device)[0] + unused)


def is_out_of_memory(error: BaseException) -> bool:
    """Say whether a device had too little memory."""
    return isinstance(error, (_torch().cuda.OutOfMemoryError, MemoryError))


def release_memory(device: Any) -> None:
    """Give back what torch holds of a device and does not use."""
    if device.type == "cuda":
        _torch().cuda.empty_cache()


def differences(rows: Any, cols: Any, p: float) -> Any:
    """Return Minkowski distances of all ``cols`` to all ``rows``."""
    return _torch().cdist(cols, rows, p=p, compute_mode="donot_use_mm_for_euclid_dist")


def cat(parts: list[Any], dim: int) -> Any:
    """Return tensors as one."""
    return _torch().cat(parts, dim=dim)


def counted(n: int, device: Any) -> Any:
    """Return the numbers 0 to n - 1 as a tensor."""
    return _torch().arange(n, device=device)


@contextmanager
def product_in(tf32: bool, device: Any) -> Iterator[None]:
    """Let matrix products of float32 be taken in TF32, or not, whatever the user's own setting is."""
    if device.type != "cuda":
        yield
        return
    matmul = _torch().backends.cuda.matmul
    name, value = _precision(matmul, tf32)
    before = getattr(matmul, name)
    if before != value:
        setattr(matmul, name, value)
    try:
        yield
    finally:
        if before != value:
            setattr(matmul, name, before)


def _precision(matmul: Any, tf32: bool) -> tuple[str, Any]:
    if hasattr(matmul, "fp32_precision"):  # torch 2.9 and up
        return "fp32_precision", "tf32" if tf32 else "ieee"
    return "allow_tf32", tf32


def check_device(device: str, name: str) -> None:
    """Refuse a device that is not there; ``name`` is what the user calls the parameter."""
    try:
        _torch().empty(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        first = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(
            f"{name}={device} cannot be used: {first}. Choose cpu, or cuda on a machine with a GPU."
        ) from error


def to_device(array: Any, device: str, name: str) -> Any:
    """Return rows of numbers as a tensor on a device."""
    if not (isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind in "biuf"):
        raise ValueError(
            f"{name}={device} applies to rows of numbers that memory holds. Leave it out, or convert them."
        )
    return put(array, device)


@functools.cache
def _numpy_names() -> dict[Any, np.dtype]:
    torch = _torch()
    names = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
    return {getattr(torch, name): np.dtype(name) for name in names} | {torch.bfloat16: np.dtype("float16")}


def _numpy_dtype(values: Any) -> np.dtype:
    return _numpy_names()[values.dtype]


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(
            "Arrays on a GPU are compared by torch, which is not installed. See https://pytorch.org for the "
            "build that fits the machine, or pass an array of NumPy."
        ) from error
