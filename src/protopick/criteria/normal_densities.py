"""Normal densities of classes in the dissimilarity space, and what an exchange makes of them.

With a prototype more, the Mahalanobis distance grows by the square of what the others do not explain of it,
over its variance; with one less, it shrinks by the square of that prototype's part in the solution, over its
entry in the inverse. So all exchanges of a candidate follow from one inverse a class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from protopick.blas import one_blas_thread
from protopick.compiled import inlined, kernel
from protopick.criteria.base import Ahead, Data
from protopick.criteria.deviations import grown
from protopick.engine import threads

_ROWS = 128
_TASKS = 16
_RIDGE = 1e-6
_STEEPNESS = 10.0
_DIGITS = 5
_MOST = 4096
_ROOM = 256


class Sample:
    """Objects ordered by class, and their dissimilarities to candidates, each of these standardised."""

    def __init__(self, data: Data) -> None:
        codes = np.unique(data.row_labels, return_inverse=True)[1]
        self._order = np.argsort(codes, kind="stable")
        self._columns = data.columns
        self.codes = codes[self._order]
        weights = np.ones(len(codes)) if data.weights is None else data.weights / max(1, data.weights.max())
        self.weights = np.asarray(weights[self._order], dtype=np.float64)
        counts = np.bincount(self.codes)
        ends = np.cumsum(counts)
        self.classes = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
        self._member = np.zeros((len(codes), len(counts)))
        self._member[np.arange(len(codes)), self.codes] = self.weights
        self.share = np.maximum(self._member.sum(axis=0), 1e-300)
        self.log_share = np.log(self.share / self.share.sum())
        self.total = self.weights.sum()
        blocks = [
            (start, min(start + _ROWS, s.stop), c)
            for c, s in enumerate(self.classes)
            for start in range(s.start, s.stop, _ROWS)
        ]
        self.blocks = np.array(blocks, dtype=np.intp)
        self._forget()

    @property
    def n_jobs(self) -> int:
        return self._columns.n_jobs

    def features(self, candidates: np.ndarray, ahead: Ahead = None) -> np.ndarray:
        """Return the standardised dissimilarities to candidates, shape (candidates, objects)."""
        names = candidates.tolist()
        new = self._unknown(names)
        if len(self._at) + len(new) > _MOST:
            self._forget()
            new = self._unknown(names)
        if new:
            self._add(np.array(new, dtype=np.intp), ahead)
        return self._held[[self._at[c] for c in names]]

    def _forget(self) -> None:
        self._at: dict[int, int] = {}
        self._held = np.empty((0, len(self.codes)))  # the first rows are taken, the rest is room

    def _unknown(self, names: list[int]) -> list[int]:
        return [c for c in dict.fromkeys(names) if c not in self._at]

    def _add(self, new: np.ndarray, ahead: Ahead) -> None:
        old, size = len(self._at), len(self._at) + len(new)
        if size > len(self._held):
            self._held = grown(self._held, (max(size, old + old // 2, _ROOM), len(self.codes)))
        features = self._held[old:size]
        features[:] = self._columns.table(new, keep=True, ahead=ahead)[self._order].T
        with one_blas_thread():
            features -= (features @ self.weights / self.total)[:, None]
            spread = np.sqrt(features**2 @ self.weights / self.total)
        features /= np.where(spread > 0, spread, 1.0)[:, None]
        self._at.update(zip(new.tolist(), range(old, size), strict=True))

    def parted(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of features in each class, and weighted deviations from them."""
        with one_blas_thread():
            means = (features @ self._member) / self.share  # (features, classes)
        return means, (features - means[:, self.codes]) * np.sqrt(self.weights)

    def run(self, look: Callable[[int, int, np.ndarray], None], shape: tuple[int, ...]) -> np.ndarray:
        """Return the sum over tasks of blocks, ``look(first, last, out)`` each."""
        n, step = len(self.blocks), -(-len(self.blocks) // _TASKS)
        n_tasks = -(-n // step)
        sums = np.zeros((n_tasks, *shape))
        threads.run(lambda i: look(i * step, min(n, (i + 1) * step), sums[i]), n_tasks, self.n_jobs)
        return sums.sum(axis=0)

    def mean(self, sums: np.ndarray) -> np.ndarray:
        return np.round(0.5 + 0.5 * sums / self.total, _DIGITS)


def room(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array for so many numbers, and some more in each row.

    Rows that are a power of two apart would all want the same few places of the processor's cache.
    """
    lines = -(-shape[-1] // 16) | 1
    return np.empty((*shape[:-1], 16 * lines), np.float32)


def spaced(rows: np.ndarray) -> np.ndarray:
    """Return rows as single numbers in an array of that kind."""
    larger = room(rows.shape)
    larger[..., : rows.shape[-1]] = rows
    larger[..., rows.shape[-1] :] = 0
    return larger


class Standing(Protocol):
    """A set in the space, and what exchanges make of it."""

    value: float

    def after(self, candidates: np.ndarray) -> np.ndarray:
        """Return the value with candidate b in the place of prototype j, shape (candidates, k)."""
        ...


Densities = Callable[[Sample, np.ndarray], Standing]


def _value(sample: Sample, scores: np.ndarray, steepness: float) -> float:
    others = scores.copy()
    at = sample.codes, np.arange(len(sample.codes))
    others[at] = -np.inf
    t = steepness * (scores[at] - others.max(axis=0))
    counted = np.where(np.isinf(t), 1.0, t / (1 + np.abs(np.where(np.isinf(t), 0, t))))
    return float(sample.mean(counted @ sample.weights))


class Linear:
    """Densities with one covariance matrix."""

    def __init__(self, sample: Sample, features: np.ndarray) -> None:
        self._sample = sample
        k = len(features)
        self._steepness = _STEEPNESS / k
        self._means, self._deviations = sample.parted(features)
        self._free = max(sample.total - len(sample.share), 1)
        with one_blas_thread():
            covariance = self._deviations @ self._deviations.T / self._free + _RIDGE * np.eye(k)
            self._inverse = np.linalg.inv(covariance)
            self._solved_means = self._inverse @ self._means  # (k, classes)
            self._solved = self._inverse @ features
            self._scores = self._means.T @ self._solved  # (classes, objects)
        self._lengths = (self._means * self._solved_means).sum(axis=0)  # (classes,)
        constant = sample.log_share - self._lengths / 2
        self.value = _value(sample, self._scores + constant[:, None], self._steepness)
        self._single = tuple(spaced(a) for a in (features, self._solved, self._scores))

    def after(self, candidates: np.ndarray) -> np.ndarray:
        sample = self._sample
        means, deviations = sample.parted(candidates)
        with one_blas_thread():
            joint = self._deviations @ deviations.T / self._free  # (k, new)
            slopes = self._inverse @ joint
            own_means = means - slopes.T @ self._means  # (new, classes)
        variances = (deviations**2).sum(axis=1) / self._free + _RIDGE - (joint * slopes).sum(axis=0)
        variances = np.maximum(variances, _RIDGE / 2)
        scaled = slopes.T / variances[:, None]  # (new, k)
        shrink = 1 / (np.diag(self._inverse) + slopes.T * scaled)
        parts = self._solved_means.T[None] - scaled[:, None] * own_means[:, :, None]  # (new, classes, k)
        gains = -shrink[:, None] * parts
        levels = (sample.log_share - (self._lengths + own_means**2 / variances[:, None]) / 2)[:, :, None]
        levels = levels + shrink[:, None] * parts**2 / 2
        single = [np.float32(a) for a in (slopes.T, 1 / variances, own_means, gains, levels)]
        single.insert(0, spaced(candidates))
        weights, steepness = sample.weights, np.float32(self._steepness)

        def look(first: int, last: int, out: np.ndarray) -> None:
            _after_linear(sample.blocks[first:last], *self._single, *single, weights, steepness, out)

        return sample.mean(sample.run(look, (len(candidates), len(self._inverse))))


class Quadratic:
    """Densities with a covariance matrix for each class."""

    def __init__(self, sample: Sample, features: np.ndarray) -> None:
        self._sample = sample
        k = len(features)
        self._steepness = _STEEPNESS / k
        self._means, self._deviations = sample.parted(features)
        self._mixed = 1 / (1 + (np.maximum(sample.share - 1, 0) / k) ** 2)
        with one_blas_thread():
            covariances = self._covariances(self._deviations) + _RIDGE * np.eye(k)
            self._inverses = np.linalg.inv(covariances)  # (classes, k, k)
        factors = np.linalg.cholesky(covariances)
        levels = sample.log_share - np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        whitening = np.linalg.inv(factors).astype(np.float32)  # in which single numbers are exact enough
        single, means = spaced(features), self._means.astype(np.float32)
        n = features.shape[1]
        scores = room((len(sample.classes), n))
        solved = room((len(sample.classes), *features.shape))

        def look(c: int) -> None:
            white = whitening[c] @ (single - means[:, [c]])
            scores[c] = levels[c] - np.einsum("ij,ij->j", white, white) / 2
            np.matmul(whitening[c].T, white, out=solved[c])

        threads.run(look, len(scores), sample.n_jobs)
        self.value = _value(sample, scores[:, :n].astype(np.float64), self._steepness)
        self._single = single, solved, scores

    def _covariances(self, others: np.ndarray) -> np.ndarray:
        """Return the covariances of the prototypes with others, shape (classes, k, others)."""
        sample = self._sample
        own = np.stack([self._deviations[:, s] @ others[:, s].T for s in sample.classes])
        whole = own.sum(axis=0) / max(sample.total - len(own), 1)
        return self._blend(own, whole)

    def _blend(self, own: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """Return scatters of classes as covariances, those of small ones mixed with the whole."""
        weight = self._mixed.reshape(-1, *[1] * whole.ndim)
        free = np.maximum(self._sample.share - 1, 1).reshape(weight.shape)
        return (1 - weight) * own / free + weight * whole

    def after(self, candidates: np.ndarray) -> np.ndarray:
        sample = self._sample
        means, deviations = sample.parted(candidates)
        with one_blas_thread():
            joint = self._covariances(deviations)  # (classes, k, new)
            slopes = self._inverses @ joint
        squares = np.stack([(deviations[:, s] ** 2).sum(axis=1) for s in sample.classes])  # (classes, new)
        variances = self._blend(squares, squares.sum(axis=0) / max(sample.total - len(squares), 1))
        variances = variances + _RIDGE - (joint * slopes).sum(axis=1)
        variances = np.maximum(variances, _RIDGE / 2)
        offsets = means.T - (slopes * self._means.T[:, :, None]).sum(axis=1)  # (classes, new)
        slopes = slopes.transpose(0, 2, 1)  # (classes, new, k)
        diagonals = np.diagonal(self._inverses, axis1=1, axis2=2)[:, None]
        entries = diagonals + slopes**2 / variances[:, :, None]
        levels = -(np.log(variances)[:, :, None] + np.log(entries)) / 2
        single = [np.float32(a) for a in (slopes, offsets, 1 / variances, 0.5 / entries, levels)]
        single.insert(0, spaced(candidates))
        weights, steepness = sample.weights, np.float32(self._steepness)

        def look(first: int, last: int, out: np.ndarray) -> None:
            _after_quadratic(sample.blocks[first:last], *self._single, *single, weights, steepness, out)

        return sample.mean(sample.run(look, (len(candidates), self._inverses.shape[1])))


@inlined
def _counted(own, others, weights, steepness):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(own)):
        t = steepness * (own[i] - others[i])
        total += weights[i] * (t / (np.float32(1) + abs(t)))
    return total


_FAST = {"reassoc", "nsz", "contract"}


@kernel(fastmath=_FAST, error_model="numpy")
def _after_quadratic(  # type: ignore[no-untyped-def]
    blocks, features, solved, scores, candidates, slopes, offsets, precisions, shrinks, levels, weights,
    steepness, out,
):
    n_classes, k = solved.shape[:2]
    rest = np.empty((n_classes, _ROWS), np.float32)
    base = np.empty((n_classes, _ROWS), np.float32)
    own = np.empty(_ROWS, np.float32)
    others = np.empty(_ROWS, np.float32)
    half = np.float32(0.5)
    for block in range(len(blocks)):
        start, stop, label = blocks[block]
        m = stop - start
        for b in range(len(candidates)):
            column = candidates[b, start:stop]
            for c in range(n_classes):
                residual, score = rest[c, :m], base[c, :m]
                offset = offsets[c, b]
                for i in range(m):
                    residual[i] = column[i] - offset
                for j in range(k):
                    slope, feature = slopes[c, b, j], features[j, start:stop]
                    for i in range(m):
                        residual[i] -= slope * feature[i]
                precision, known = precisions[c, b], scores[c, start:stop]
                for i in range(m):
                    scaled = residual[i] * precision
                    score[i] = known[i] - half * residual[i] * scaled
                    residual[i] = scaled
            for j in range(k):
                others[:m] = -np.inf
                for c in range(n_classes):
                    slope, shrink, level = slopes[c, b, j], shrinks[c, b, j], levels[c, b, j]
                    pulled, residual, score = solved[c, j, start:stop], rest[c, :m], base[c, :m]
                    if c == label:
                        for i in range(m):
                            part = pulled[i] - slope * residual[i]
                            own[i] = score[i] + shrink * part * part + level
                    else:
                        for i in range(m):
                            part = pulled[i] - slope * residual[i]
                            others[i] = max(others[i], score[i] + shrink * part * part + level)
                out[b, j] += _counted(own[:m], others[:m], weights[start:stop], steepness)


@kernel(fastmath=_FAST, error_model="numpy")
def _after_linear(  # type: ignore[no-untyped-def]
    blocks, features, solved, scores, candidates, slopes, precisions, own_means, gains, levels, weights,
    steepness, out,
):
    n_classes, k = len(scores), len(solved)
    base = np.empty((n_classes, _ROWS), np.float32)
    residual = np.empty(_ROWS, np.float32)
    part = np.empty(_ROWS, np.float32)
    own = np.empty(_ROWS, np.float32)
    others = np.empty(_ROWS, np.float32)
    for block in range(len(blocks)):
        start, stop, label = blocks[block]
        m = stop - start
        for b in range(len(candidates)):
            column = candidates[b, start:stop]
            for i in range(m):
                residual[i] = column[i]
            for j in range(k):
                slope, feature = slopes[b, j], features[j, start:stop]
                for i in range(m):
                    residual[i] -= slope * feature[i]
            for i in range(m):
                residual[i] *= precisions[b]
            for c in range(n_classes):
                score, mean, known = base[c], own_means[b, c], scores[c, start:stop]
                for i in range(m):
                    score[i] = known[i] + mean * residual[i]
            for j in range(k):
                slope, pulled = slopes[b, j], solved[j, start:stop]
                for i in range(m):
                    part[i] = pulled[i] - slope * residual[i]
                others[:m] = -np.inf
                for c in range(n_classes):
                    gain, level, score = gains[b, c, j], levels[b, c, j], base[c]
                    if c == label:
                        for i in range(m):
                            own[i] = score[i] + gain * part[i] + level
                    else:
                        for i in range(m):
                            others[i] = max(others[i], score[i] + gain * part[i] + level)
                out[b, j] += _counted(own[:m], others[:m], weights[start:stop], steepness)
