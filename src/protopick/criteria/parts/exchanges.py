"""What a candidate would bring in the place of each prototype, from one look at its column.

Every object knows its nearest and second nearest prototype. A candidate takes the objects to which it
is nearer than their nearest; where it replaces that nearest, also those to which it is nearer than
the second nearest. So one pass over a column tells about all k exchanges. This is the idea of
FasterPAM, for any score of an object that depends on its nearest prototype.

References
----------
E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information Systems 101, 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick.compiled import inlined, kernel
from protopick.dissimilarity.tensors import fused
from protopick.engine.visits import sums_by
from protopick.objects.tensors import on_host

# In the kernels, `anywhere` is what an exchange brings at whatever position, `sums[p]` what it brings in
# addition at position p, and `ties[p]` what it brings at positions before p: an object that is as near to
# the candidate as to its prototype goes to the one with the lower position. Indices are unsigned, since
# numba looks whether a signed one counts from the end.

_STEP = 1024
_MOST_FUSED = 128


# A product with this number has a different pattern in its upper six bits for each power of two. The
# patterns are the numbers 0 to 63, so their order says which power each belongs to.
_PATTERNS = 0x03F79D71B4CB0A89
_PLACES = np.argsort([(_PATTERNS << place) % 2**64 >> 58 for place in range(64)]).astype(np.uint8)


@inlined
def _packed(marks, first):  # type: ignore[no-untyped-def]
    """Return 64 marks, bytes of zero or one that are read eight at a time, as the bits of one number."""
    bits = np.uint64(0)
    for i in range(8):
        eight = (marks[first + i] * np.uint64(0x0102040810204080)) >> np.uint64(56)
        bits |= eight << np.uint64(8 * i)
    return bits


@inlined
def _place_of(bit):  # type: ignore[no-untyped-def]
    """Return which bit of 64 is set."""
    return np.uintp(_PLACES[(bit * np.uint64(_PATTERNS)) >> np.uint64(58)])


@inlined
def _match(weight, value, asked, scale, limit):  # type: ignore[no-untyped-def]
    return np.int64(weight) * (value == asked)


@inlined
def _nearness(weight, value, asked, scale, limit):  # type: ignore[no-untyped-def]
    return -np.int64(weight) * np.int64(min(np.float64(value) * scale, limit))


@inlined
def _no_size(value):  # type: ignore[no-untyped-def]
    return 0.0


@inlined
def _size(value):  # type: ignore[no-untyped-def]
    return np.float64(value)


def _gains(score: Any, size: Any) -> Any:
    """Return a kernel for a score of (weight, value, what the candidate asks for, scale, limit).

    It returns the largest ``size`` of the values that made a difference.
    """

    @kernel
    def gains(  # type: ignore[no-untyped-def]
        keys, at, start, values, asked, scale, limit, weights, scores, second_scores,
        first, second, first_at, second_at, out
    ):  # fmt: skip
        n_candidates, k = out.shape
        sums = np.zeros(k, np.int64)
        ties = np.zeros(k, np.int64)
        near = np.zeros(_STEP, np.uint8)
        marks = near.view(np.uint64)
        largest = 0.0
        for b in range(n_candidates):
            sums[:] = 0
            ties[:] = 0
            anywhere = np.int64(0)
            for low in range(0, len(first), _STEP):
                high = min(low + _STEP, len(first))
                column = keys[at[b], start + low : start + high]
                nearest, others, nearest_at = first[low:high], second[low:high], first_at[low:high]
                value, weight = values[b % len(values), low:high], weights[low:high]
                own, other = scores[low:high], second_scores[low:high]
                near[len(column) :] = 0
                for i in range(len(column)):
                    near[i] = column[i] <= others[i]
                # Few rows are near. From one to the next it goes by bits, faster than by a look at each.
                for word in range(0, len(marks), 8):
                    left = _packed(marks, word)
                    while left != 0:
                        bit = left & (~left + np.uint64(1))
                        left ^= bit
                        i = np.uintp(8 * word) + _place_of(bit)
                        key, p = column[i], nearest_at[i]
                        mine, next_best = np.int64(own[i]), np.int64(other[i])
                        gained = score(weight[i], value[i], asked[b], scale, limit)
                        largest = max(largest, size(value[i]))
                        if key == nearest[i] or key == others[i]:
                            if key == nearest[i]:
                                ties[p] += gained - mine
                                sums[p] += gained - next_best
                            elif p < second_at[low + i]:
                                sums[p] += gained - next_best
                        else:
                            nearer = key < nearest[i]
                            anywhere += gained - mine if nearer else 0
                            sums[p] += (mine if nearer else gained) - next_best
            for j in range(k - 1, -1, -1):
                out[b, j] += anywhere + sums[j]
                anywhere += ties[j]
        return largest

    return gains


label_gains = _gains(_match, _no_size)
"""Add to ``out[b, j]`` the label matches that candidate b brings in the place of prototype j, beyond
those that remain without that prototype. ``values`` is one row of labels, ``asked`` the candidates'."""

nearness_gains = _gains(_nearness, _size)
"""Likewise for minus the dissimilarities ``values``, in fixed point; ``asked`` says nothing. Returns the
largest of these that made a difference."""


@kernel
def label_standing(own_labels, labels, weights, first_at, second_at, scores, second_scores):  # type: ignore[no-untyped-def]
    """Write what each object counts with its nearest and with its second nearest prototype, and return
    the total and what each prototype's removal adds to it."""
    removal = np.zeros(len(own_labels), np.int64)
    total = np.int64(0)
    for i in range(len(labels)):  # a loop of its own, which has no sums in memory and vectorises
        scores[i] = weights[i] * (labels[i] == own_labels[first_at[i]])
        # With a single prototype there is no second; position -1 is the first, and the score cancels out.
        second_scores[i] = weights[i] * (labels[i] == own_labels[second_at[i]])
    for i in range(len(labels)):
        total += scores[i]
        removal[first_at[i]] += second_scores[i] - scores[i]
    return total, removal


@kernel
def standing(scores, second_scores, first_at, k):  # type: ignore[no-untyped-def]
    """Return the total score, and what each prototype's removal adds to it."""
    removal = np.zeros(k, np.int64)
    total = np.int64(0)
    for i in range(len(scores)):
        total += np.int64(scores[i])
        removal[first_at[i]] += np.int64(second_scores[i]) - np.int64(scores[i])
    return total, removal


@kernel
def largest_keys(keys, at, start, first, second, first_at, apart, replaced):  # type: ignore[no-untyped-def]
    """Raise ``apart[b, p]`` to the largest key, with candidate b, of an object of prototype p, and
    ``replaced[b, p]`` to the same where the candidate has replaced p."""
    for b in range(len(at)):
        column = keys[at[b], start : start + len(first)]
        for i in range(len(first)):
            p = first_at[i]
            apart[b, p] = max(apart[b, p], min(column[i], first[i]))
            replaced[b, p] = max(replaced[b, p], min(column[i], second[i]))


def gains_on_tensors(
    tile: Any, gained: Any, scores: Any, second_scores: Any, near: tuple[Any, Any, Any, Any], k: int
) -> np.ndarray:
    """Return what candidates bring in the place of each prototype, shape (candidates, k).

    Like the kernels above. ``gained`` is what each object scores with each candidate, shape (candidates,
    rows), as floats whose sums are exact, or exact enough; or a pair, the labels of the objects and those
    of the candidates, where scores are matches.
    """
    loops = fused_for(tile, k)
    if loops is not None:
        place = tile.keys, tile.rows(), tile.start
        found = on_host(loops.exchange_gains(*place, gained, scores, second_scores, near, k))
        more, before, anywhere = found[:, :k], found[:, k : 2 * k], found[:, 2 * k :]
        return np.asarray(anywhere + more + before[:, ::-1].cumsum(axis=1)[:, ::-1] - before)
    if isinstance(gained, tuple):
        gained = (gained[0] == gained[1][:, None]).float()
    scores, second_scores = scores.to(gained.dtype), second_scores.to(gained.dtype)
    first, second, first_at, second_at = near
    columns = tile.columns()
    nearer, takes, tied = columns < first, columns < second, columns == first
    at_second = columns == second
    ties = bool((tied | at_second).any())
    if ties:
        takes |= tied | (at_second & (first_at < second_at))
    instead = gained - scores
    anywhere = (instead * nearer).sum(dim=1)  # (candidates,)
    more = (gained - second_scores).where(~nearer, scores - second_scores) * takes
    gains = anywhere[:, None] + sums_by(first_at, more, k)
    if ties:  # won at the positions before that of the object's prototype
        before = sums_by(first_at, instead * tied, k)
        gains += before.flip(1).cumsum(1).flip(1) - before
    return np.asarray(on_host(gains))


def fused_for(tile: Any, k: int) -> Any:
    """Return loops that look at all of k prototypes at once, None where there are none."""
    return fused(tile.keys) if k <= _MOST_FUSED else None
