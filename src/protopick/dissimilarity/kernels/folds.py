"""Loops that fold the features of two vectors into one number, written once for all dissimilarities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from protopick.compiled import inlined, kernel

SHORT = 16
"""Up to so many features, comparing several rows at once beats several features at once."""

_ROWS_AT_ONCE = 64
_ROWS_TURNED = 256


class Fold(NamedTuple):
    """Kernels of one dissimilarity."""

    of_short: Callable[..., None]
    """Dense rows, a vector register holding one feature of several rows."""

    of_long: Callable[..., None]
    """Dense rows, a vector register holding several features of one row."""

    of_sparse: Callable[..., None]
    """CSR rows in canonical format."""


class Formula(NamedTuple):
    """A dissimilarity of two vectors, feature by feature.

    With a number ``p`` that all parts may use, the dissimilarity of x and y is ``finish(a, b, p)``,
    where a combines ``term(x[f], y[f], p)`` over all features f and b is the sum of
    ``other(x[f], y[f])``. Features in which both are 0 must change neither.
    """

    term: Callable[..., Any]
    combine: Callable[..., Any]
    other: Callable[..., Any]
    finish: Callable[..., Any]


def fold(*parts: Callable[..., Any]) -> Fold:
    """Make the kernels of one dissimilarity out of the parts of its `Formula`.

    The order in which a pair is summed depends on nothing but the number of features.
    """
    formula = Formula(*parts)
    return Fold(_of_short(formula), _of_long(formula), _of_sparse(formula))


def _of_short(formula: Formula) -> Callable[..., None]:
    term, combine, other, finish = formula
    has_other = other is not _nothing  # known when the loop is compiled, which then leaves it out

    @kernel(error_model="numpy")
    def of_short(rows, cols, p, out, at, start):  # type: ignore[no-untyped-def]
        n_rows, n_features = rows.shape
        zero = rows.dtype.type(0)
        a = np.empty(_ROWS_TURNED, np.array([combine(zero, term(zero, zero, p))]).dtype)
        b = np.empty(_ROWS_TURNED, np.array([zero + other(zero, zero)]).dtype)
        n_padded = (n_features + 3) // 4 * 4
        turned = np.zeros((n_padded, _ROWS_TURNED), rows.dtype)
        col = np.zeros(n_padded, rows.dtype)
        for first in range(0, n_rows, _ROWS_TURNED):
            size = min(_ROWS_TURNED, n_rows - first)
            for i in range(size):
                for f in range(n_features):
                    turned[f, i] = rows[first + i, f]
            for j in range(cols.shape[0]):
                col[:n_features] = cols[j]
                a[:] = 0
                b[:] = 0
                for f in range(0, n_padded, 4):
                    x0, x1, x2, x3 = turned[f], turned[f + 1], turned[f + 2], turned[f + 3]
                    y0, y1, y2, y3 = col[f], col[f + 1], col[f + 2], col[f + 3]
                    for i in range(size):
                        s = combine(combine(a[i], term(x0[i], y0, p)), term(x1[i], y1, p))
                        a[i] = combine(combine(s, term(x2[i], y2, p)), term(x3[i], y3, p))
                        if has_other:
                            t = b[i] + other(x0[i], y0) + other(x1[i], y1)
                            b[i] = t + other(x2[i], y2) + other(x3[i], y3)
                target = out[at[j], start + first : start + first + size]
                for i in range(size):
                    target[i] = finish(a[i], b[i], p)

    return of_short


def _of_long(formula: Formula) -> Callable[..., None]:
    term, combine, other, finish = formula

    @kernel(fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
    def of_long(rows, cols, p, out, at, start):  # type: ignore[no-untyped-def]
        n_rows, n_features = rows.shape
        last = cols.shape[0] - 1
        zero = rows.dtype.type(0)
        a = np.empty((4, _ROWS_AT_ONCE), np.array([combine(zero, term(zero, zero, p))]).dtype)
        b = np.empty((4, _ROWS_AT_ONCE), np.array([zero + other(zero, zero)]).dtype)
        for first in range(0, n_rows, _ROWS_AT_ONCE):
            size = min(_ROWS_AT_ONCE, n_rows - first)
            # Four columns share the loads of a row. Where fewer are left, the last is computed again
            # instead of by other code, which might sum in another order.
            for j in range(0, last + 1, 4):
                y0, y1 = cols[j], cols[min(j + 1, last)]
                y2, y3 = cols[min(j + 2, last)], cols[min(j + 3, last)]
                for i in range(size):
                    row = rows[first + i]
                    a0 = a1 = a2 = a3 = zero
                    b0 = b1 = b2 = b3 = zero
                    for f in range(n_features):
                        x = row[f]
                        a0, b0 = combine(a0, term(x, y0[f], p)), b0 + other(x, y0[f])
                        a1, b1 = combine(a1, term(x, y1[f], p)), b1 + other(x, y1[f])
                        a2, b2 = combine(a2, term(x, y2[f], p)), b2 + other(x, y2[f])
                        a3, b3 = combine(a3, term(x, y3[f], p)), b3 + other(x, y3[f])
                    a[0, i], a[1, i], a[2, i], a[3, i] = a0, a1, a2, a3
                    b[0, i], b[1, i], b[2, i], b[3, i] = b0, b1, b2, b3
                for some in range(min(4, last + 1 - j)):
                    target = out[at[j + some], start + first : start + first + size]
                    totals, others = a[some], b[some]
                    for i in range(size):
                        target[i] = finish(totals[i], others[i], p)

    return of_long


def _of_sparse(formula: Formula) -> Callable[..., None]:
    term, combine, other, finish = formula

    @kernel(error_model="numpy")
    def of_sparse(  # type: ignore[no-untyped-def]
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

    return of_sparse


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
    return a / b if b > 0 else (np.inf if a > 0 else 0.0)


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


# Powers leave the range of float32 too easily: they are taken in float64.


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
def _power(x, y, p):  # type: ignore[no-untyped-def]
    return abs(np.float64(x) - np.float64(y)) ** p


@inlined
def _root(a, b, p):  # type: ignore[no-untyped-def]
    return a ** (1 / p)


@inlined
def _divergence(x, y, p):  # type: ignore[no-untyped-def]
    low, high = np.float64(min(x, y)), np.float64(max(x, y))  # so that d(x, y) and d(y, x) are rounded alike
    mean = 0.5 * (low + high)
    own = low * math.log(low / mean) if low > 0 else 0.0
    return own + (high * math.log(high / mean) if high > 0 else 0.0)


@inlined
def _divergence_root(a, b, p):  # type: ignore[no-untyped-def]
    return math.sqrt(max(a, 0.0) / p)


@inlined
def _square_if_known(x, y, p):  # type: ignore[no-untyped-def]
    difference = x - y
    return difference * difference if difference == difference else type(x)(0)


@inlined
def _both_known(x, y):  # type: ignore[no-untyped-def]
    return type(x)(x == x and y == y)


@inlined
def _scaled_root(a, b, p):  # type: ignore[no-untyped-def]
    return math.sqrt(a * p / b) if b > 0 else np.nan


@inlined
def _squared_difference(x, y, p):  # type: ignore[no-untyped-def]
    return (x - y) * (x - y)


@inlined
def _relative_square(x, y, p):  # type: ignore[no-untyped-def]
    size = x + y
    return (x - y) * (x - y) / (size + type(x)(size == 0))


@inlined
def _product(x, y, p):  # type: ignore[no-untyped-def]
    return x * y


@inlined
def _one_minus(a, b, p):  # type: ignore[no-untyped-def]
    return min(1 - a, 2) if 1 - a > p else 0  # up to p it is rounding


FOLDS = {
    "sqeuclidean": fold(_squared_difference, _sum, _nothing, _as_it_is),
    "cosine": fold(_product, _sum, _nothing, _one_minus),  # of rows of length 1
    "cityblock": fold(_difference, _sum, _nothing, _as_it_is),
    "chebyshev": fold(_difference, _largest, _nothing, _as_it_is),
    "braycurtis": fold(_difference, _sum, _length_of_sum, _ratio),
    "canberra": fold(_relative_difference, _sum, _nothing, _as_it_is),
    "hamming": fold(_unequal, _sum, _nothing, _share),
    "whole power": fold(_whole_power, _sum, _nothing, _root),
    "power": fold(_power, _sum, _nothing, _root),
    "nan_euclidean": fold(_square_if_known, _sum, _both_known, _scaled_root),
    "chi2": fold(_relative_square, _sum, _nothing, _as_it_is),  # of numbers of 0 or more
    "jensenshannon": fold(_divergence, _sum, _nothing, _divergence_root),
}
