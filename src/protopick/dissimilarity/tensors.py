"""Dissimilarities of rows of tensors, by what a GPU does well: matrix products and broadcasting."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache, cached_property
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from protopick.dissimilarity.base import Dissimilarity
from protopick.dissimilarity.callables import OfBatches
from protopick.dissimilarity.cosine import Cosine
from protopick.dissimilarity.elementwise import Elementwise
from protopick.dissimilarity.euclidean import CANCELLED, Euclidean
from protopick.dissimilarity.mahalanobis import Mahalanobis
from protopick.dissimilarity.precomputed import Precomputed
from protopick.dissimilarity.whole_numbers import WholeEuclidean
from protopick.objects.tensors import TensorRows, differences, product_in, put, torch_dtype

_CANCELLED_BY_TF32 = 2e-2
"""Below this share of the squared lengths, the product has lost too many digits."""

_AT_ONCE = 1 << 26
"""Numbers in a temporary tensor."""


class Prepared(NamedTuple):
    """Encoded rows."""

    values: Any
    squares: Any  # the squared length of each, where these are needed

    def pick(self, which: Any) -> Prepared:
        """Return some of the rows."""
        return Prepared(self.values[which], None if self.squares is None else self.squares[which])


class OnTensors(Dissimilarity):
    """A dissimilarity that is computed where a tensor is.

    Parameters
    ----------
    inner : Dissimilarity
        The same for arrays, already fitted.
    device : torch.device
        Where the tensor is.
    """

    bulk: ClassVar[bool] = True
    on_device: ClassVar[bool] = True

    def __init__(self, inner: Any, device: Any) -> None:
        self.inner = inner
        self.symmetric, self.dtype = inner.symmetric, inner.dtype
        self._device = device
        self._torch_dtype = torch_dtype(inner.dtype)

    def encoded_bytes(self, objects: Any) -> int:
        return int(np.prod(objects.shape)) * self.dtype.itemsize

    def encode(self, batch: Any) -> Prepared:
        if isinstance(batch, np.ndarray):
            batch = TensorRows(put(batch, self._device))
        return self._prepared(batch.values.to(self._torch_dtype).to(self._device))

    def _prepared(self, values: Any) -> Prepared:
        return Prepared(values, None)

    @abstractmethod
    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        """Return the keys of all ``cols`` against all ``rows``, shape (cols, rows)."""

    def lone_keys(self, rows: Prepared, cols: Prepared) -> Any:
        """Return the same for the single column of a traversal."""
        return self.keys(rows, cols)

    def block(self, rows: Any, cols: Any, out: Any, at: Any, start: int) -> None:
        out[at, start : start + len(rows.values)] = self.keys(rows, cols)

    def restore(self, keys: Any) -> Any:
        return self.inner.restore(keys)

    def _constant(self, values: np.ndarray) -> Any:
        return put(np.asarray(values, self.dtype), self._device)


class _Squares(OnTensors):
    """Squared Euclidean distances by one matrix product, as in `Euclidean`."""

    squared = False
    tf32 = False

    def _mapped(self, values: Any) -> Any:
        return values

    def _prepared(self, values: Any) -> Prepared:
        values = self._mapped(values)
        return Prepared(values, (values * values).sum(dim=1))

    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        keys = cols.squares[:, None] + rows.squares
        few = keys * self._share
        with product_in(self.tf32, self._device):
            if len(keys) == 1:
                keys[0].addmv_(rows.values, cols.values[0], alpha=-2)
            else:
                keys.addmm_(cols.values, rows.values.T, alpha=-2)
        lost = (keys < few).nonzero()  # those below 0 are among them
        del few
        step = max(1, _AT_ONCE // rows.values.shape[1])
        for start in range(0, len(lost), step):
            col, row = lost[start : start + step].unbind(dim=1)
            to = cols.values if len(keys) == 1 else cols.values[col]
            keys[col, row] = (rows.values[row] - to).square_().sum(dim=1)
        return keys

    def lone_keys(self, rows: Prepared, cols: Prepared) -> Any:
        kernels = fused(rows.values)
        if kernels is None:
            return self.keys(rows, cols)
        return kernels.squares_to_one(rows.values, cols.values[0])[None]

    @cached_property
    def _share(self) -> float:
        return _CANCELLED_BY_TF32 if self.tf32 else CANCELLED[self.dtype]

    def restore(self, keys: Any) -> Any:
        if self.squared:
            return keys
        return np.sqrt(keys, out=keys) if isinstance(keys, np.ndarray) else keys.sqrt_()


class _Euclidean(_Squares):
    def __init__(self, inner: Euclidean | WholeEuclidean, device: Any) -> None:
        super().__init__(inner, device)
        self.squared, self.tf32 = inner.squared, inner.tf32
        self._centre = None if inner.centre is None else self._constant(inner.centre)

    def encoded_bytes(self, objects: Any) -> int:
        is_ready = self._centre is None and objects.dtype == self.dtype
        return objects.shape[0] * self.dtype.itemsize * (1 if is_ready else objects.shape[1] + 1)

    def _mapped(self, values: Any) -> Any:
        return values if self._centre is None else values - self._centre


class _Mahalanobis(_Squares):
    def __init__(self, inner: Mahalanobis, device: Any) -> None:
        super().__init__(inner, device)
        self._centre = 0 if inner.centre is None else self._constant(inner.centre)
        self._factor = self._constant(inner.factor)

    def _mapped(self, values: Any) -> Any:
        moved = values - self._centre
        if self._factor.ndim == 1:
            return moved * self._factor
        with product_in(False, self._device):
            return moved @ self._factor


class _Cosine(OnTensors):
    def _prepared(self, values: Any) -> Prepared:
        if self.inner.correlation:
            values = values - values.mean(dim=1, keepdim=True)
        lengths = (values * values).sum(dim=1, keepdim=True).sqrt()
        return Prepared(values / lengths.where(lengths > 0, lengths.new_ones(())), None)

    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        with product_in(self.inner.tf32, self._device):
            keys = (1 - cols.values @ rows.values.T).clamp_(0, 2)
        return keys.mul_(keys > self.inner.rounding(rows.values.shape[1]))


class _Differences(OnTensors):
    """What adds up over the features, or is the largest of it."""

    def __init__(self, inner: Elementwise, device: Any) -> None:
        super().__init__(inner, device)
        if inner.fold not in _FOLDS and inner.fold not in _POWERS:
            raise _refusal(device)

    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        fold = self.inner.fold
        if fold in _POWERS:
            return differences(rows.values, cols.values, _POWERS[fold] or self.inner.parameter)
        keys = rows.values.new_empty((len(cols.values), len(rows.values)))
        step = max(1, _AT_ONCE // max(1, rows.values.numel()))
        for start in range(0, len(keys), step):
            some = cols.values[start : start + step, None]  # (some, 1, d)
            keys[start : start + step] = _FOLDS[fold](some, rows.values[None])
        return keys


def _canberra(x: Any, y: Any) -> Any:
    sizes = x.abs() + y.abs()
    return ((x - y).abs() / sizes.where(sizes > 0, sizes.new_ones(()))).sum(dim=2)


def _braycurtis(x: Any, y: Any) -> Any:
    apart, sizes = (x - y).abs().sum(dim=2), (x + y).abs().sum(dim=2)
    return (
        (apart / sizes).where(sizes > 0, (apart > 0) * float("inf")).nan_to_num(nan=0.0, posinf=float("inf"))
    )


_POWERS = {"cityblock": 1.0, "chebyshev": float("inf"), "whole power": 0.0, "power": 0.0}
_FOLDS = {
    "canberra": _canberra,
    "braycurtis": _braycurtis,
    "hamming": lambda x, y: (x != y).sum(dim=2) / x.shape[2],
}


class _Looked(OnTensors):
    """A matrix of dissimilarities; the candidates are columns of it."""

    bulk: ClassVar[bool] = False

    def encode(self, batch: Any) -> Prepared:
        if isinstance(batch, np.ndarray) and batch.ndim == 1:
            return Prepared(put(batch, self._device), None)
        return super().encode(batch)

    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        found = rows.values[:, cols.values].T
        return found.clamp_(min=0) if self.inner.checks_values else found


class _Batches(OnTensors):
    """A function of two batches, which gets tensors."""

    bulk: ClassVar[bool] = False

    def encode(self, batch: Any) -> Prepared:
        if isinstance(batch, np.ndarray):
            batch = TensorRows(put(batch, self._device))
        return Prepared(batch.values, None)

    def keys(self, rows: Prepared, cols: Prepared) -> Any:
        found = self.inner.function(rows.values, cols.values, **self.inner.params)
        expected = len(rows.values), len(cols.values)
        if tuple(getattr(found, "shape", ())) != expected or not hasattr(found, "device"):
            raise ValueError(
                f"metric returned {type(found).__name__} of shape {tuple(getattr(found, 'shape', ()))} for "
                f"tensors of {expected[0]} and {expected[1]} rows, expected a tensor of shape {expected}."
            )
        if found.numel() and not bool((found.min() >= 0) & found.max().isfinite()):
            raise ValueError(
                "metric returned a value that is negative, infinite or missing, expected finite numbers of "
                "0 or more. Mend the function, or the rows that it fails on."
            )
        return found.T.to(self._torch_dtype)


def fused(keys: Any) -> Any:
    """Return loops for a tensor of float32 with dense rows, None where there are none."""
    return loops(keys.device) if keys.element_size() == 4 and keys.stride(1) == 1 else None


def loops(device: Any) -> Any:
    """Return what `triton_kernels` has for a device, None where that cannot be used."""
    return _triton_kernels() if device.type == "cuda" else None


@cache
def _triton_kernels() -> Any:
    try:
        return import_module("protopick.dissimilarity.kernels.triton_kernels")
    except ImportError:  # Triton is not made for every system
        return None


_FORMS: dict[type, type[OnTensors]] = {
    Euclidean: _Euclidean,
    WholeEuclidean: _Euclidean,
    Mahalanobis: _Mahalanobis,
    Cosine: _Cosine,
    Elementwise: _Differences,
    Precomputed: _Looked,
    OfBatches: _Batches,
}


def on_tensors(dissimilarity: Dissimilarity, device: Any) -> OnTensors:
    """Return a fitted dissimilarity for rows of tensors, or say that there is none."""
    if type(dissimilarity) not in _FORMS:
        raise _refusal(device)
    return _FORMS[type(dissimilarity)](dissimilarity, device)


def _refusal(device: Any) -> ValueError:
    return ValueError(
        f"metric is not computed on tensors (X is on {str(device)!r}). Pass an array of NumPy, or choose "
        "euclidean, sqeuclidean, cosine, correlation, mahalanobis, seuclidean, cityblock, chebyshev, "
        "minkowski, canberra, braycurtis, hamming, precomputed, or a function of two batches of tensors "
        "marked with @batch_metric."
    )
