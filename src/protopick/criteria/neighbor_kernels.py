"""Who is nearest to whom in the dissimilarity space, and after each exchange: loops over objects.

Squared distances there are sums over prototypes, so an exchange takes the part of one prototype away and adds
that of another. For each object a few neighbours of its class and a few of others are listed, and what those
not listed are apart at least. Mostly the nearest after an exchange is on the list; where that is not certain,
all objects are looked at.

Squares are compared as the integers that their bits make: for numbers from 0 on the order is the same, and
the smallest of many integers is found in several lanes at once. One that rounding makes negative counts as 0.
"""

from __future__ import annotations

import numpy as np

from protopick.compiled import inlined, kernel

FAR = 1e30
"""The squared distance to who is not there: finite, so that parts can be taken away from it."""

STEEPNESS = 10.0

_FAR_BITS = np.array(FAR, np.float32).view(np.int32).item()


@inlined
def _least(bits):  # type: ignore[no-untyped-def]
    least = _FAR_BITS
    for i in range(len(bits)):
        least = min(least, bits[i])
    return least


@inlined
def _nearest_two(bits, first, last):  # type: ignore[no-untyped-def]
    """Return the nearest of the own class, and of the others."""
    return _least(bits[first:last]), min(_least(bits[:first]), _least(bits[last:]))


@inlined
def _counted(own, other, smooth):  # type: ignore[no-untyped-def]
    """Return what an object counts, from 0 to 1, by the squares to the nearest of its class and of others."""
    own, other = max(own, np.float32(0)), max(other, np.float32(0))
    if not smooth:
        return np.float32(own < other)
    own, other = np.sqrt(own), np.sqrt(other)
    t = np.float32(STEEPNESS) * (other - own) / max(other + own, np.float32(1e-30))
    return np.float32(0.5) + np.float32(0.5) * t / (np.float32(1) + abs(t))


@kernel(error_model="numpy")
def nearest(features, start, stop, first, last, near):  # type: ignore[no-untyped-def]
    """Write the squares to the nearest of the own class and of others."""
    m = features.shape[1]
    squares = np.empty(m, np.float32)
    for row in range(start, stop):
        squares[:] = 0
        for j in range(len(features)):
            column, here = features[j], features[j, row]
            for i in range(m):
                apart = column[i] - here
                squares[i] += apart * apart
        squares[row] = FAR  # left out
        near.view(np.int32)[row] = _nearest_two(squares.view(np.int32), first[row], last[row])


@kernel(error_model="numpy")
def total(near, weights, smooth):  # type: ignore[no-untyped-def]
    """Return what objects count, with the nearest that they have."""
    counted = 0.0
    for row in range(len(near)):
        counted += weights[row] * _counted(near[row, 0], near[row, 1], smooth)
    return counted


@kernel(error_model="numpy")
def list_neighbors(  # type: ignore[no-untyped-def]
    features, start, stop, first, last, near, squares, who, listed, parts, beyond, is_exact
):
    """List those that are nearest when the prototype that sets them apart most is taken away.

    Writes the ``squares`` (objects, objects); for each object ``who`` is on its list, first those of its
    class, the squares ``listed`` to them and the ``parts`` (objects, listed, k) of the prototypes in these;
    and what those not listed are apart at least, ``beyond`` (objects, 2, k) without each prototype. That is
    a rough bound here, not ``is_exact`` (objects, 2).
    """
    k, m = features.shape
    size = who.shape[1] // 2
    most = np.empty(m, np.float32)
    for row in range(start, stop):
        apart_by = squares[row]
        apart_by[:] = 0
        most[:] = 0
        for j in range(k):
            column, here = features[j], features[j, row]
            for i in range(m):
                apart = column[i] - here
                part = apart * apart
                apart_by[i] += part
                most[i] = part if part > most[i] else most[i]
        for i in range(m):
            most[i] = apart_by[i] - most[i]
        apart_by[row] = most[row] = FAR  # left out
        near.view(np.int32)[row] = _nearest_two(apart_by.view(np.int32), first[row], last[row])
        for side in range(2):
            them = who[row, side * size : (side + 1) * size]
            n, worst, limit = 0, 0, np.float32(0)
            for piece in range(1 + side):
                begin, end = first[row], last[row]
                if side == 1:
                    begin, end = (0, first[row]) if piece == 0 else (last[row], m)
                for i in range(begin, end):
                    if n < size:
                        them[n] = i
                        if most[i] >= limit:
                            worst, limit = n, most[i]
                        n += 1
                    elif most[i] < limit:
                        them[worst] = i
                        worst, limit = 0, most[them[0]]
                        for q in range(1, size):
                            if most[them[q]] > limit:
                                worst, limit = q, most[them[q]]
            them[n:] = row  # left out, so far away
            beyond[row, side, :] = limit if n == size else FAR
            is_exact[row, side] = n < size
        for q in range(2 * size):
            i = who[row, q]
            listed[row, q] = apart_by[i]
            for j in range(k):
                apart = features[j, i] - features[j, row]
                parts[row, q, j] = apart * apart


@kernel(error_model="numpy")
def exchanges(  # type: ignore[no-untyped-def]
    features, start, stop, first, last, weights, smooth, squares, who, listed, parts, beyond, is_exact,
    candidates, out,
):  # fmt: skip
    """Add what objects count to ``out``, shape (candidates, k), after each exchange.

    Where a rough bound is not enough, an exact one takes its place.
    """
    k, m = features.shape
    size = who.shape[1] // 2
    extended = np.empty(2 * size, np.float32)  # squares with a candidate
    near = np.empty((2, k), np.float32)  # the least of them without each prototype
    whole = np.empty(m, np.float32)
    unlisted = np.empty(m, np.float32)
    bits = whole.view(np.int32)
    for row in range(start, stop):
        low, high = first[row], last[row]
        them, known, apart_by = who[row], listed[row], squares[row]
        for b in range(len(candidates)):
            column = candidates[b]
            there = column[row]
            for q in range(2 * size):
                apart = column[them[q]] - there
                extended[q] = known[q] + apart * apart
            near[:] = FAR
            for q in range(2 * size):
                part, square, least = parts[row, q], extended[q], near[q // size]
                for j in range(k):
                    exchanged = square - part[j]
                    least[j] = exchanged if exchanged < least[j] else least[j]
            for side in range(2):
                for j in range(k):
                    if near[side, j] <= beyond[row, side, j]:
                        continue
                    if not is_exact[row, side]:
                        unlisted[:] = apart_by
                        for q in range(2 * size):
                            unlisted[them[q]] = FAR
                        for p in range(k):
                            other, here = features[p], features[p, row]
                            for i in range(m):
                                apart = other[i] - here
                                whole[i] = unlisted[i] - apart * apart
                            beyond.view(np.int32)[row, side, p] = _nearest_two(bits, low, high)[side]
                        is_exact[row, side] = True
                        if near[side, j] <= beyond[row, side, j]:
                            continue
                    other, here = features[j], features[j, row]
                    for i in range(m):
                        apart, without = column[i] - there, other[i] - here
                        whole[i] = apart_by[i] + apart * apart - without * without
                    near.view(np.int32)[side, j] = _nearest_two(bits, low, high)[side]
            for j in range(k):
                out[b, j] += weights[row] * _counted(near[0, j], near[1, j], smooth)
