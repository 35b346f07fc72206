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
def _squared(x):  # type: ignore[no-untyped-def]
    return x * x


@inlined
def _smaller(x, y):  # type: ignore[no-untyped-def]
    return x if x < y else y


@inlined
def _larger(x, y):  # type: ignore[no-untyped-def]
    return x if x > y else y


@inlined
def _n_own(who):  # type: ignore[no-untyped-def]
    """Return how many of a list are of the class: a third, since others are more."""
    return len(who) // 12 * 4


@inlined
def _least(bits):  # type: ignore[no-untyped-def]
    least = np.int32(_FAR_BITS)
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
    largest = low
    for i in range(len(bits)):
        n_below += bits[i] < high
        largest = max(largest, bits[i] if bits[i] < high else low)
    if n_below <= size:
        return high, n_below
    high, n_below = np.int32(largest + 1), np.int32(0)
    while high - low > 1 and n_below < size - size // 8:
        middle, n = np.int32((low + high) // 2), np.int32(0)
        for i in range(len(bits)):
            n += bits[i] < middle
        if n <= size:
            low, n_below = middle, n
        else:
            high = middle
    return low, n_below


@inlined
def _list_least(bits, begin, them, found):  # type: ignore[no-untyped-def]
    """Write the places of the least numbers, counted from ``begin``.

    Returns a number that those not listed do not fall below, and how many are listed; ``found`` is room.
    """
    limit, n_below = _limit(bits, len(them))
    n_found, n, n_equal = 0, 0, 0 if limit == _FAR_BITS else len(them) - n_below
    for i in range(len(bits)):  # without a branch, which would often be foreseen wrongly
        found[n_found] = i
        n_found += bits[i] <= limit
    for i in found[:n_found]:
        if bits[i] < limit or n_equal > 0:
            n_equal -= bits[i] == limit
            them[n] = begin + i
            n += 1
    return limit, n


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


@inlined
def _weighted_sum(values, weights):  # type: ignore[no-untyped-def]
    """Return a sum in four parts, which do not wait for each other."""
    a = b = c = d = 0.0
    whole = len(values) // 4 * 4
    for r in range(0, whole, 4):
        a += weights[r] * values[r]
        b += weights[r + 1] * values[r + 1]
        c += weights[r + 2] * values[r + 2]
        d += weights[r + 3] * values[r + 3]
    for r in range(whole, len(values)):
        a += weights[r] * values[r]
    return (a + b) + (c + d)


@inlined
def _least_after(squares, ends, taken, here, added, there):  # type: ignore[no-untyped-def]
    """Return the least square when the part of one prototype is taken away and that of another added.

    It looks from ``ends[0]`` to ``ends[1]`` and from ``ends[2]`` to ``ends[3]``.
    """
    found = np.int32(_FAR_BITS)
    for begin, end in ((ends[0], ends[1]), (ends[2], ends[3])):
        some, away, more = squares[begin:end], taken[begin:end], added[begin:end]
        for i in range(len(some)):
            square = some[i] - _squared(away[i] - here) + _squared(more[i] - there)
            found = min(found, np.float32(square).view(np.int32))
    return found


@inlined
def _bound(features, row, them, ends, unlisted, nothing, beyond):  # type: ignore[no-untyped-def]
    """Write what those not listed are apart at least, without each prototype. ``unlisted`` begins as all."""
    for i in them:
        unlisted[i] = FAR
    for p in range(len(features)):
        taken = features[p], features[p, row]
        beyond[p] = np.int32(_least_after(unlisted, ends, *taken, nothing, nothing[0])).view(np.float32)


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
    ``features`` has rows of zeros at the end, up to a multiple of four.
    """
    k, m = rest.shape[1], features.shape[1]
    n_own = _n_own(who)
    most = np.empty(m, np.float32)
    found = np.empty(m, np.int32)
    for r in range(stop - start):
        row, all_squares = start + r, squares[r]
        all_squares[:] = 0
        most[:] = 0
        for j in range(0, len(features), 4):
            one, own_one = features[j], features[j, row]
            two, own_two = features[j + 1], features[j + 1, row]
            three, own_three = features[j + 2], features[j + 2, row]
            four, own_four = features[j + 3], features[j + 3, row]
            for i in range(m):
                a, b = _squared(one[i] - own_one), _squared(two[i] - own_two)
                c, d = _squared(three[i] - own_three), _squared(four[i] - own_four)
                all_squares[i] = all_squares[i] + a + b + c + d  # in this order, as everywhere
                most[i] = _larger(_larger(most[i], _larger(a, b)), _larger(c, d))
        for i in range(m):
            most[i] = abs(all_squares[i] - most[i])  # what rounding makes negative is nearly nothing
        all_squares[row] = most[row] = FAR  # left out
        near.view(np.int32)[row] = _nearest_two(all_squares.view(np.int32), first[row], last[row])
        for side in range(2):
            them, begin, end = who[n_own:, r], 0, m
            if side == 0:
                them, begin, end = who[:n_own, r], first[row], last[row]
            else:
                most[first[row] : last[row]] = FAR
            some = most.view(np.int32)[begin:end]
            limit, n = _list_least(some, begin, them, found)
            them[n:] = row  # left out, so far away
            beyond.view(np.int32)[side, :, r] = limit
            is_exact[side, r] = limit == _FAR_BITS
    listed = np.empty(stop - start, np.float32)
    for q in range(len(who)):
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
    n_own, n = _n_own(who), stop - start
    added = np.empty((4, n), np.float32)  # by a candidate, to the squares of four on the list
    near = np.empty((2, k, n), np.float32)  # the least squares with it and without each prototype
    counted = np.empty(n, np.float32)
    unlisted = np.empty(m, np.float32)
    nothing = np.zeros(m, np.float32)
    for candidate in range(len(candidates)):
        column = candidates[candidate]
        near[:] = FAR
        for q in range(0, len(who), 4):  # four at a time, so that the least is read and written less often
            for p in range(4):
                them = who[q + p]
                for r in range(n):
                    added[p, r] = _squared(column[them[r]] - column[start + r])
            for j in range(k):
                a, b, c, d = rest[q, j], rest[q + 1, j], rest[q + 2, j], rest[q + 3, j]
                least = near[0 if q < n_own else 1, j]
                for r in range(n):
                    one = _smaller(a[r] + added[0, r], b[r] + added[1, r])
                    other = _smaller(c[r] + added[2, r], d[r] + added[3, r])
                    least[r] = _smaller(_smaller(least[r], one), other)
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
                    # Those of the class lie together, the others before and behind them.
                    ends = (first[row], last[row], m, m) if side == 0 else (0, first[row], last[row], m)
                    if not is_exact[side, r]:
                        unlisted[:] = all_squares
                        _bound(features, row, who[:, r], ends, unlisted, nothing, beyond[side, :, r])
                        is_exact[side, r] = True
                        if least[r] <= limit[r]:
                            continue
                    exchanged = features[j], features[j, row], column, column[row]
                    least.view(np.int32)[r] = _least_after(all_squares, ends, *exchanged)
        for j in range(k):
            own, other = near[0, j], near[1, j]
            for r in range(n):
                counted[r] = _counted(own[r], other[r], smooth)
            out[candidate, j] += _weighted_sum(counted, weights[start:stop])
