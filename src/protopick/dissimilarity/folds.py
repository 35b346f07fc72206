"""Loops that fold the features of two vectors into one number, written once for all dissimilarities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from protopick.compiled import inlined, kernel

_ROWS_AT_ONCE = 64


class Fold(NamedTuple):
    """The same dissimilarity of dense rows and of CSR rows."""

    over_features: Callable[..., None]
    over_nonzeros: Callable[..., None]


def fold(
    term: Callable[..., Any],
    combine: Callable[..., Any],
    other: Callable[..., Any],
    finish: Callable[..., Any],
) -> Fold:
    """Make the kernels of one dissimilarity out of its formula.

    With a number ``p`` that all parts may use, the dissimilarity of x and y is ``finish(a, b, p)``,
    where a combines ``term(x[f], y[f], p)`` over all features f and b is the sum of
    ``other(x[f], y[f])``. Features in which both are 0 must change neither.

    The order in which a pair is summed depends on nothing but the number of features. Four columns
    share the loads of a row; where fewer are left, the last is computed again, by the same code.
    """

    @kernel(fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
    def over_features(rows, cols, p, out, at, start):  # type: ignore[no-untyped-def]
        n_rows, n_features = rows.shape
        last = cols.shape[0] - 1
        zero = rows.dtype.type(0)
        for first in range(0, n_rows, _ROWS_AT_ONCE):
            for j0 in range(0, last + 1, 4):
                j1, j2, j3 = min(j0 + 1, last), min(j0 + 2, last), min(j0 + 3, last)
                y0, y1, y2, y3 = cols[j0], cols[j1], cols[j2], cols[j3]
                for i in range(first, min(first + _ROWS_AT_ONCE, n_rows)):
                    row = rows[i]
                    a0 = a1 = a2 = a3 = zero
                    b0 = b1 = b2 = b3 = zero
                    for f in range(n_features):
                        x = row[f]
                        a0, b0 = combine(a0, term(x, y0[f], p)), b0 + other(x, y0[f])
                        a1, b1 = combine(a1, term(x, y1[f], p)), b1 + other(x, y1[f])
                        a2, b2 = combine(a2, term(x, y2[f], p)), b2 + other(x, y2[f])
                        a3, b3 = combine(a3, term(x, y3[f], p)), b3 + other(x, y3[f])
                    out[at[j0], start + i] = finish(a0, b0, p)
                    out[at[j1], start + i] = finish(a1, b1, p)
                    out[at[j2], start + i] = finish(a2, b2, p)
                    out[at[j3], start + i] = finish(a3, b3, p)

    @kernel(error_model="numpy")
    def over_nonzeros(  # type: ignore[no-untyped-def]
        data, indices, indptr, col_data, col_indices, col_indptr, n_features, p, out, at, start
    ):
        zero = data.dtype.type(0)
        row = np.zeros(n_features, data.dtype)
        met = np.full(n_features, -1)  # the last pair whose column is not 0 here
        n_cols = len(col_indptr) - 1
        for i in range(len(indptr) - 1):
            begin, end = indptr[i], indptr[i + 1]
            for s in range(begin, end):
                row[indices[s]] = data[s]
            for j in range(n_cols):
                # What both have is summed apart, so that d(x, y) and d(y, x) are rounded alike.
                both = y_only = x_only = zero
                both_other = y_only_other = x_only_other = zero
                pair = i * n_cols + j
                for s in range(col_indptr[j], col_indptr[j + 1]):
                    f, y = col_indices[s], col_data[s]
                    x = row[f]
                    met[f] = pair
                    t, u = term(x, y, p), other(x, y)
                    both = combine(both, t if x != 0 else zero)
                    both_other += u if x != 0 else zero
                    y_only = combine(y_only, t if x == 0 else zero)
                    y_only_other += u if x == 0 else zero
                for s in range(begin, end):
                    t, u = term(data[s], zero, p), other(data[s], zero)
                    new = met[indices[s]] != pair
                    x_only = combine(x_only, t if new else zero)
                    x_only_other += u if new else zero
                a = combine(both, combine(x_only, y_only))
                b = both_other + (x_only_other + y_only_other)
                out[at[j], start + i] = finish(a, b, p)
            for s in range(begin, end):
                row[indices[s]] = zero

    return Fold(over_features, over_nonzeros)


@inlined
def _sum(a, b):  # type: ignore[no-untyped-def]
    return a + b


@inlined
def _largest(a, b):  # type: ignore[no-untyped-def]
    # Floats of 0 and more are in the order of their bits, and a maximum of integers vectorises.
    return np.int64(max(np.float64(a).view(np.int64), np.float64(b).view(np.int64))).view(np.float64)


@inlined
def _nothing(x, y):  # type: ignore[no-untyped-def]
    return 0


@inlined
def _as_it_is(a, b, p):  # type: ignore[no-untyped-def]
    return a


@inlined
def _difference(x, y, p):  # type: ignore[no-untyped-def]
    return abs(x - y)


@inlined
def _length_of_sum(x, y):  # type: ignore[no-untyped-def]
    return abs(x + y)


@inlined
def _ratio(a, b, p):  # type: ignore[no-untyped-def]
    return a / b


@inlined
def _relative_difference(x, y, p):  # type: ignore[no-untyped-def]
    size = abs(x) + abs(y)
    return abs(x - y) / (size + type(x)(size == 0))


@inlined
def _unequal(x, y, p):  # type: ignore[no-untyped-def]
    return type(x)(x != y)


@inlined
def _share(a, b, p):  # type: ignore[no-untyped-def]
    return a / p


# Powers and logarithms leave the range of float32 too easily: they are taken in float64.


@inlined
def _whole_power(x, y, p):  # type: ignore[no-untyped-def]
    base = abs(np.float64(x) - np.float64(y))
    exponent = np.int64(p)
    power = base if exponent & 1 else 1.0
    base *= base
    power *= base if exponent & 2 else 1.0
    base *= base
    power *= base if exponent & 4 else 1.0
    base *= base
    return power * (base if exponent & 8 else 1.0)


@inlined
def _half_power(x, y, p):  # type: ignore[no-untyped-def]
    return math.sqrt(abs(np.float64(x) - np.float64(y))) * _whole_power(x, y, p)


@inlined
def _power(x, y, p):  # type: ignore[no-untyped-def]
    base = abs(np.float64(x) - np.float64(y))
    power = _exp(p * _log(max(base, 1e-307)))
    return power if base > 0 else 0.0


@inlined
def _root(a, b, p):  # type: ignore[no-untyped-def]
    return np.float64(a) ** (1 / p)


@inlined
def _divergence(x, y, p):  # type: ignore[no-untyped-def]
    low, high = np.float64(x if x < y else y), np.float64(y if x < y else x)
    mean = 0.5 * (low + high)
    ratio = low / (mean if mean > 0 else 1.0)  # to the mean; the other's is the rest to 2
    return low * _log(ratio if ratio > 0 else 1.0) + high * _log(2.0 - ratio)


@inlined
def _mass(x, y):  # type: ignore[no-untyped-def]
    return np.float64(x) + np.float64(y)


@inlined
def _divergence_root(a, b, p):  # type: ignore[no-untyped-def]
    # A row without mass, which is no distribution, is infinitely far from all.
    return math.sqrt(max(a, 0.0) / p) if b > 1.5 else np.inf


@inlined
def _log(x):  # type: ignore[no-untyped-def]
    """Return the natural logarithm of a positive normal float64, by the method of fdlibm.

    The library's own is called for one number at a time, this is computed for a whole vector.
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits - np.int64(0x3FE6A09E667F3BCD)) >> np.int64(52)
    f = (
        np.int64(bits - (exponent << np.int64(52))).view(np.float64) - 1.0
    )  # from sqrt(1/2) - 1 to sqrt(2) - 1
    s = f / (2.0 + f)
    z = s * s
    series = 1.531383769920937332e-01 + z * 1.479819860511658591e-01
    series = 1.818357216161805012e-01 + z * series
    series = 2.222219843214978396e-01 + z * series
    series = 2.857142874366239149e-01 + z * series
    series = 3.999999999940941908e-01 + z * series
    series = z * (6.666666666666735130e-01 + z * series)
    square = 0.5 * f * f
    k = np.float64(exponent)
    tail = s * (square + series) + k * 1.90821492927058770002e-10
    return k * 6.93147180369123816490e-01 - ((square - tail) - f)


@inlined
def _exp(x):  # type: ignore[no-untyped-def]
    """Return e to the power of a float64, or of the nearest to it whose result is in the normal range."""
    x = min(max(x, -708.0), 709.0)
    k = np.floor(x * 1.4426950408889634 + 0.5)
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10  # |r| <= log(2) / 2
    series = 1 / 479001600 + r / 6227020800
    series = 1 / 39916800 + r * series
    series = 1 / 3628800 + r * series
    series = 1 / 362880 + r * series
    series = 1 / 40320 + r * series
    series = 1 / 5040 + r * series
    series = 1 / 720 + r * series
    series = 1 / 120 + r * series
    series = 1 / 24 + r * series
    series = 1 / 6 + r * series
    series = 1 + r * (1 + r * (0.5 + r * series))
    return series * np.int64((np.int64(k) + np.int64(1023)) << np.int64(52)).view(np.float64)


FOLDS = {
    "cityblock": fold(_difference, _sum, _nothing, _as_it_is),
    "chebyshev": fold(_difference, _largest, _nothing, _as_it_is),
    "braycurtis": fold(_difference, _sum, _length_of_sum, _ratio),
    "canberra": fold(_relative_difference, _sum, _nothing, _as_it_is),
    "hamming": fold(_unequal, _sum, _nothing, _share),
    "whole power": fold(_whole_power, _sum, _nothing, _root),
    "half power": fold(_half_power, _sum, _nothing, _root),
    "power": fold(_power, _sum, _nothing, _root),
    "jensenshannon": fold(_divergence, _sum, _mass, _divergence_root),
}
