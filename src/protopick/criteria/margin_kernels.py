"""What the margins of objects are after each exchange: loops over blocks of objects of one class."""

from __future__ import annotations

import numpy as np

from protopick.compiled import inlined, kernel

ROWS = 128
"""How many objects a block has at most: what is known of them stays in the processor's cache."""

NEVER = -1e30
"""The score of a class that is not there: finite, so that margins of a single class are."""

_FAST = {"reassoc", "nsz", "contract"}


@inlined
def _counted(own, others, weights, steepness):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(own)):
        t = steepness * (own[i] - others[i])
        total += weights[i] * (t / (np.float32(1) + abs(t)))
    return total


@kernel(fastmath=_FAST, error_model="numpy")
def quadratic(  # type: ignore[no-untyped-def]
    blocks, weights, steepness, features, solved, scores, candidates, slopes, offsets, precisions, shrinks,
    levels, out,
):  # fmt: skip
    """Add what the margins count to ``out``, shape (candidates, k), after each exchange."""
    n_classes, k = solved.shape[:2]
    residuals = np.empty((n_classes, ROWS), np.float32)
    bases = np.empty((n_classes, ROWS), np.float32)
    own = np.empty(ROWS, np.float32)
    others = np.empty(ROWS, np.float32)
    half = np.float32(0.5)
    for block in range(len(blocks)):
        start, stop, label = blocks[block]
        m = stop - start
        for b in range(len(candidates)):
            column = candidates[b, start:stop]
            for c in range(n_classes):
                residual, base = residuals[c, :m], bases[c, :m]
                for i in range(m):
                    residual[i] = column[i] - offsets[c, b]
                for j in range(k):
                    slope, feature = slopes[c, b, j], features[j, start:stop]
                    for i in range(m):
                        residual[i] -= slope * feature[i]
                precision, score = precisions[c, b], scores[c, start:stop]
                for i in range(m):
                    scaled = residual[i] * precision
                    base[i] = score[i] - half * residual[i] * scaled
                    residual[i] = scaled
            for j in range(k):
                others[:m] = NEVER
                for c in range(n_classes):
                    slope, shrink, level = slopes[c, b, j], shrinks[c, b, j], levels[c, b, j]
                    pulled, residual, base = solved[c, j, start:stop], residuals[c, :m], bases[c, :m]
                    if c == label:
                        for i in range(m):
                            part = pulled[i] - slope * residual[i]
                            own[i] = base[i] + shrink * part * part + level
                    else:
                        for i in range(m):
                            part = pulled[i] - slope * residual[i]
                            others[i] = max(others[i], base[i] + shrink * part * part + level)
                out[b, j] += _counted(own[:m], others[:m], weights[start:stop], steepness)


@kernel(fastmath=_FAST, error_model="numpy")
def linear(  # type: ignore[no-untyped-def]
    blocks, weights, steepness, features, solved, scores, candidates, slopes, precisions, means, gains,
    levels, out,
):  # fmt: skip
    """The same where the classes have one covariance matrix."""
    n_classes, k = len(scores), len(solved)
    bases = np.empty((n_classes, ROWS), np.float32)
    residual = np.empty(ROWS, np.float32)
    part = np.empty(ROWS, np.float32)
    own = np.empty(ROWS, np.float32)
    others = np.empty(ROWS, np.float32)
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
                base, mean, score = bases[c], means[c, b], scores[c, start:stop]
                for i in range(m):
                    base[i] = score[i] + mean * residual[i]
            for j in range(k):
                slope, pulled = slopes[b, j], solved[j, start:stop]
                for i in range(m):
                    part[i] = pulled[i] - slope * residual[i]
                others[:m] = NEVER
                for c in range(n_classes):
                    gain, level, base = gains[c, b, j], levels[c, b, j], bases[c]
                    if c == label:
                        for i in range(m):
                            own[i] = base[i] + gain * part[i] + level
                    else:
                        for i in range(m):
                            others[i] = max(others[i], base[i] + gain * part[i] + level)
                out[b, j] += _counted(own[:m], others[:m], weights[start:stop], steepness)
