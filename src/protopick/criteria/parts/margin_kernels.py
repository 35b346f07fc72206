"""What the margins of objects are after each exchange: loops over blocks of objects of one class."""

from __future__ import annotations

import numpy as np

from protopick.compiled import inlined, kernel

ROWS = 512
"""How many objects a block has at most: what is known of them stays in the processor's cache."""

NEVER = -1e30
"""The score of a class that is not there: finite, so that margins of a single class are."""

_FAST = {"reassoc", "nsz", "contract"}


# Loops look at the first of the other classes, then at four at a time, so that what is known of an object is
# read and written less often; where fewer are left, at the last one again. A lone ``a[i] = max(a[i], b[i])``
# would become a store under a mask, which takes some processors ten times as long.


@inlined
def _four(others, g):  # type: ignore[no-untyped-def]
    """Return four of the other classes, from number g on."""
    last = len(others) - 1
    return others[g], others[min(g + 1, last)], others[min(g + 2, last)], others[min(g + 3, last)]


@inlined
def _counted(own, others, weights, steepness):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for i in range(len(own)):
        t = steepness * (own[i] - others[i])
        total += weights[i] * (t / (np.float32(1) + abs(t)))
    return total


@inlined
def _but(label, n_classes):  # type: ignore[no-untyped-def]
    """Return all classes but one, and that one where there is no other."""
    others = np.arange(max(n_classes - 1, 1))
    others[label:] += n_classes > 1
    return others


@inlined
def _square(base, pulled, residual, slope, shrink, level):  # type: ignore[no-untyped-def]
    part = pulled - slope * residual
    return base + shrink * part * part + level


@kernel(fastmath=_FAST, error_model="numpy")
def standardize(table, order, ends, weights, rows, deviations, means, squares):  # type: ignore[no-untyped-def]
    """Write a table's columns as rows with mean 0 and variance 1, and what is known of them.

    ``ends`` tells where each class ends in the order of the objects. What a row has no object for is 0.
    """
    n, n_columns = table.shape
    features = np.empty((n_columns, n))
    for i in range(n):
        for b in range(n_columns):
            features[b, i] = table[order[i], b]
    roots = np.sqrt(weights)
    total = weights.sum()
    for b in range(n_columns):
        column, deviation = features[b], deviations[b]
        centre, spread = (column * weights).sum() / total, 0.0
        for i in range(n):
            column[i] -= centre
            spread += weights[i] * column[i] * column[i]
        scale = np.sqrt(total / spread) if spread > 0 else 1.0
        for i in range(n):
            column[i] *= scale
            rows[b, i] = column[i]
        rows[b, n:] = 0
        start = 0
        for c in range(len(ends)):
            mean, share, square = 0.0, 0.0, 0.0
            for i in range(start, ends[c]):
                mean += weights[i] * column[i]
                share += weights[i]
            mean /= max(share, 1e-300)
            for i in range(start, ends[c]):
                deviation[i] = (column[i] - mean) * roots[i]
                square += deviation[i] * deviation[i]
            means[b, c], squares[b, c], start = mean, square, ends[c]


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
    best = np.empty(ROWS, np.float32)
    half = np.float32(0.5)
    for block in range(len(blocks)):
        start, stop, label = blocks[block]
        m, others = stop - start, _but(label, n_classes)
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
                slope, shrink, level = slopes[label, b, j], shrinks[label, b, j], levels[label, b, j]
                pulled, residual, base = solved[label, j, start:stop], residuals[label], bases[label]
                c, lowered = others[0], np.float32(NEVER if n_classes == 1 else 0)
                pulled_c, residual_c, base_c = solved[c, j, start:stop], residuals[c], bases[c]
                slope_c, shrink_c, level_c = slopes[c, b, j], shrinks[c, b, j], levels[c, b, j] + lowered
                for i in range(m):
                    own[i] = _square(base[i], pulled[i], residual[i], slope, shrink, level)
                    best[i] = _square(base_c[i], pulled_c[i], residual_c[i], slope_c, shrink_c, level_c)
                for g in range(1, len(others), 4):
                    c, d, e, f = _four(others, g)
                    pulled_c, residual_c, base_c = solved[c, j, start:stop], residuals[c], bases[c]
                    pulled_d, residual_d, base_d = solved[d, j, start:stop], residuals[d], bases[d]
                    pulled_e, residual_e, base_e = solved[e, j, start:stop], residuals[e], bases[e]
                    pulled_f, residual_f, base_f = solved[f, j, start:stop], residuals[f], bases[f]
                    slope_c, shrink_c, level_c = slopes[c, b, j], shrinks[c, b, j], levels[c, b, j]
                    slope_d, shrink_d, level_d = slopes[d, b, j], shrinks[d, b, j], levels[d, b, j]
                    slope_e, shrink_e, level_e = slopes[e, b, j], shrinks[e, b, j], levels[e, b, j]
                    slope_f, shrink_f, level_f = slopes[f, b, j], shrinks[f, b, j], levels[f, b, j]
                    for i in range(m):
                        score_c = _square(base_c[i], pulled_c[i], residual_c[i], slope_c, shrink_c, level_c)
                        score_d = _square(base_d[i], pulled_d[i], residual_d[i], slope_d, shrink_d, level_d)
                        score_e = _square(base_e[i], pulled_e[i], residual_e[i], slope_e, shrink_e, level_e)
                        score_f = _square(base_f[i], pulled_f[i], residual_f[i], slope_f, shrink_f, level_f)
                        best[i] = max(max(best[i], score_c), max(max(score_d, score_e), score_f))
                out[b, j] += _counted(own[:m], best[:m], weights[start:stop], steepness)


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
    best = np.empty(ROWS, np.float32)
    for block in range(len(blocks)):
        start, stop, label = blocks[block]
        m, others = stop - start, _but(label, n_classes)
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
                gain, level, base = gains[label, b, j], levels[label, b, j], bases[label]
                c, lowered = others[0], np.float32(NEVER if n_classes == 1 else 0)
                base_c, gain_c, level_c = bases[c], gains[c, b, j], levels[c, b, j] + lowered
                for i in range(m):
                    part[i] = pulled[i] - slope * residual[i]
                    own[i] = base[i] + gain * part[i] + level
                    best[i] = base_c[i] + gain_c * part[i] + level_c
                for g in range(1, len(others), 4):
                    c, d, e, f = _four(others, g)
                    base_c, gain_c, level_c = bases[c], gains[c, b, j], levels[c, b, j]
                    base_d, gain_d, level_d = bases[d], gains[d, b, j], levels[d, b, j]
                    base_e, gain_e, level_e = bases[e], gains[e, b, j], levels[e, b, j]
                    base_f, gain_f, level_f = bases[f], gains[f, b, j], levels[f, b, j]
                    for i in range(m):
                        score_c = base_c[i] + gain_c * part[i] + level_c
                        score_d = base_d[i] + gain_d * part[i] + level_d
                        score_e = base_e[i] + gain_e * part[i] + level_e
                        score_f = base_f[i] + gain_f * part[i] + level_f
                        best[i] = max(max(best[i], score_c), max(max(score_d, score_e), score_f))
                out[b, j] += _counted(own[:m], best[:m], weights[start:stop], steepness)
