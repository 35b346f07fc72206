"""Who is nearest to whom in the dissimilarity space, and after each exchange: loops over objects.

Squared distances there are sums over prototypes, so an exchange takes the part of one prototype away, then
adds that of another. For each object a few neighbours of its class and a few of others are listed, and what
those not listed are apart at least. Mostly the nearest after an exchange is on the list; where that is not
certain, all objects are looked at.

Squares are compared as the integers that their bits make: for numbers from 0 on the order is the same, and
the smallest of many integers is found in several lanes at once. One that rounding makes negative counts as 0.
"""

from __future__ import annotations

import numpy as np

from protopick.compiled import inlined, kernel

FAR = 1e30
"""The squared distance to who is not there: finite, so that parts can be taken away from it."""

STEEPNESS = 10.0

ROWS = 64
"""How many objects make a block. Loops go along those of a block, so several are looked at at once."""

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
def _limit(bits, size):  # type: ignore[no-untyped-def]
    """Return a number below which there are at most ``size``, mostly nearly as many, and how many."""
    low, high, n_below = _least(bits), np.int32(_FAR_BITS), np.int32(0)
    for i in range(len(bits)):
        n_below += bits[i] < high
    if n_below <= size:
        return high, n_below
    n_below = np.int32(0)
    while high - low > 1 and n_below < size - 1:
        middle, n = np.int32((low + high) // 2), np.int32(0)
        for i in range(len(bits)):
            n += bits[i] < middle
        if n <= size:
            low, n_below = middle, n
        else:
            high = middle
    return low, n_below


@inlined
def _counted(own, other, smooth):  # type: ignore[no-untyped-def]
    """Return what an object counts, from 0 to 1, by the squares to the nearest of its class and of others."""
    nothing, one, half = np.float32(0), np.float32(1), np.float32(0.5)
    own, other = own if own > nothing else nothing, other if other > nothing else nothing
    if not smooth:
        return one if own < other else nothing
    own, other = np.sqrt(own), np.sqrt(other)
    both = other + own
    t = np.float32(STEEPNESS) * (other - own) / (both if both > nothing else one)
    return half + half * t / (one + abs(t))


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
    features, start, stop, first, last, near, squares, who, rest, beyond, is_exact
):
    """List those that are nearest when the prototype that sets them apart most is taken away.

    For the objects of a block it writes the ``squares`` to all objects; ``who`` is on their lists, first
    those of the class; the squares to them without each prototype, ``rest``; and what those not listed are
    apart at least, ``beyond``, without each prototype. That is a rough bound here, not ``is_exact``.
    """
    k, m = features.shape
    size = len(who) // 2
    most = np.empty(m, np.float32)
    for r in range(stop - start):
        row, all_squares = start + r, squares[r]
        all_squares[:] = 0
        most[:] = 0
        for j in range(k):
            column, here = features[j], features[j, row]
            for i in range(m):
                apart = column[i] - here
                part = apart * apart
                all_squares[i] += part
                most[i] = part if part > most[i] else most[i]
        for i in range(m):
            most[i] = abs(all_squares[i] - most[i])  # what rounding makes negative is nearly nothing
        all_squares[row] = most[row] = FAR  # left out
        near.view(np.int32)[row] = _nearest_two(all_squares.view(np.int32), first[row], last[row])
        for side in range(2):
            them, begin, end = who[side * size : (side + 1) * size, r], 0, m
            if side == 0:
                begin, end = first[row], last[row]
            else:
                most[first[row] : last[row]] = FAR
            some = most.view(np.int32)[begin:end]
            limit, n_below = _limit(some, size)
            n, n_equal = 0, 0 if limit == _FAR_BITS else size - n_below
            for i in range(len(some)):
                if some[i] <= limit and (some[i] < limit or n_equal > 0):
                    n_equal -= some[i] == limit
                    them[n] = begin + i
                    n += 1
            them[n:] = row  # left out, so far away
            beyond.view(np.int32)[side, :, r] = limit
            is_exact[side, r] = limit == _FAR_BITS
    listed = np.empty(stop - start, np.float32)
    for q in range(2 * size):
        them = who[q]
        for r in range(stop - start):
            listed[r] = squares[r, them[r]]
        for j in range(k):
            column, left = features[j], rest[q, j]
            for r in range(stop - start):
                apart = column[them[r]] - column[start + r]
                left[r] = listed[r] - apart * apart


@kernel(error_model="numpy")
def exchanges(  # type: ignore[no-untyped-def]
    features, start, stop, first, last, weights, smooth, squares, who, rest, beyond, is_exact, candidates, out
):  # fmt: skip
    """Add what the objects of a block count to ``out``, shape (candidates, k), after each exchange.

    Where a rough bound is not enough, an exact one takes its place.
    """
    k, m = features.shape
    size, n = len(who) // 2, stop - start
    added = np.empty(n, np.float32)  # by a candidate
    near = np.empty((2, k, n), np.float32)  # the least squares with it and without each prototype
    counted = np.empty(n, np.float32)
    whole = np.empty(m, np.float32)
    unlisted = np.empty(m, np.float32)
    bits = whole.view(np.int32)
    for b in range(len(candidates)):
        column = candidates[b]
        near[:] = FAR
        for q in range(2 * size):
            them, side = who[q], q // size
            for r in range(n):
                apart = column[them[r]] - column[start + r]
                added[r] = apart * apart
            for j in range(k):
                left, least = rest[q, j], near[side, j]
                for r in range(n):
                    exchanged = left[r] + added[r]
                    least[r] = exchanged if exchanged < least[r] else least[r]
        for side in range(2):
            for j in range(k):
                least, limit, n_open = near[side, j], beyond[side, j], 0
                for r in range(n):
                    n_open += least[r] > limit[r]
                if n_open == 0:
                    continue
                for r in range(n):
                    if least[r] <= limit[r]:
                        continue
                    row, all_squares = start + r, squares[r]
                    low, high = first[row], last[row]
                    if not is_exact[side, r]:
                        unlisted[:] = all_squares
                        for q in range(2 * size):
                            unlisted[who[q, r]] = FAR
                        for p in range(k):
                            other, here = features[p], features[p, row]
                            for i in range(m):
                                apart = other[i] - here
                                whole[i] = unlisted[i] - apart * apart
                            beyond.view(np.int32)[side, p, r] = _nearest_two(bits, low, high)[side]
                        is_exact[side, r] = True
                        if least[r] <= limit[r]:
                            continue
                    other, here, there = features[j], features[j, row], column[row]
                    for i in range(m):
                        apart, without = column[i] - there, other[i] - here
                        whole[i] = all_squares[i] - without * without + apart * apart
                    least.view(np.int32)[r] = _nearest_two(bits, low, high)[side]
        for j in range(k):
            own, other = near[0, j], near[1, j]
            for r in range(n):
                counted[r] = _counted(own[r], other[r], smooth)
            for r in range(n):
                out[b, j] += weights[start + r] * counted[r]
