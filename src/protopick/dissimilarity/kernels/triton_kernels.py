"""Loops that a GPU runs faster than a chain of operations on tensors. The one file that knows Triton.

Triton comes with torch for NVIDIA and AMD cards. What is here is also done without it, by `tensors` and
by the criteria.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

_ROWS, _FEATURES = 8, 256
_MATCHED_ROWS = 1024
_EXCHANGED_ROWS = 256
_TOGETHER, _COMPARED = 4, 32
_MARGIN_NUMBERS = 2048
MOST_CLASSES = 64
"""Of how many classes margins are looked at here."""


def squares_to_one(rows: Any, col: Any) -> Any:
    """Return the squared differences of all rows to one, summed over the features."""
    out = rows.new_empty(len(rows))
    size = len(rows), rows.shape[1], rows.stride(0)
    _squares_to_one[(triton.cdiv(len(rows), _ROWS),)](rows, col, out, *size, _ROWS, _FEATURES)
    return out


def count_matches(keys: Any, columns: Any, start: int, stop: int, asked: Any, labels: Any) -> Any:
    """Return in how many rows the nearest column of each set asks for the label that the row has.

    ``columns`` and ``asked``, both of shape (sets, k), name rows of ``keys`` and their labels.
    """
    n_sets, k = columns.shape
    n_parts = triton.cdiv(stop - start, _MATCHED_ROWS)
    counts = labels.new_empty((n_sets, n_parts))
    place = keys.stride(0), start, stop - start
    _count_matches[(n_parts, n_sets)](keys, columns, asked, labels, counts, *place, k, _MATCHED_ROWS)
    return counts.sum(dim=1)


def two_nearest(keys: Any, at: Any, start: int, arrays: tuple[Any, Any, Any, Any]) -> None:
    """Write the keys of the two nearest of the columns ``at`` for each row, and their positions."""
    n_rows = len(arrays[0])
    place = keys.stride(0), start, n_rows, len(at)
    _two_nearest[(triton.cdiv(n_rows, _MATCHED_ROWS),)](keys, at, *arrays, *place, _MATCHED_ROWS)


def label_standing(own_labels: Any, labels: Any, near: tuple[Any, Any], scores: tuple[Any, Any]) -> Any:
    """Write whether each row matches its nearest prototype and its second nearest.

    Returns what each prototype's removal adds to the matches, and last how many there are.
    """
    k, n_rows = len(own_labels), len(labels)
    width, n_parts = triton.next_power_of_2(k + 1), triton.cdiv(n_rows, _EXCHANGED_ROWS)
    out = labels.new_empty((n_parts, width))
    _label_standing[(n_parts,)](own_labels, labels, *near, *scores, out, n_rows, k, width, _EXCHANGED_ROWS)
    return out.sum(dim=0)[: k + 1]


def exchange_gains(
    keys: Any,
    at: Any,
    start: int,
    gained: Any,
    scores: Any,
    second_scores: Any,
    near: tuple[Any, Any, Any, Any],
    k: int,
) -> Any:
    """Return what `criteria.exchanges.gains_on_tensors` puts together, shape (candidates, 2 k + 1).

    What a candidate brings in addition at each position, what it brings at all positions before each,
    and what it brings anywhere. ``gained`` has a row for each candidate; or it is the labels of the rows
    and those of the candidates, and the scores count matches.
    """
    n_candidates, n_rows = len(at), len(scores)
    width, n_parts = triton.next_power_of_2(k), triton.cdiv(n_rows, _EXCHANGED_ROWS)
    by_label = isinstance(gained, tuple)
    new, asked = gained if by_label else (gained, gained)
    dtype = keys.dtype if by_label else gained.dtype
    out = keys.new_empty((n_parts, n_candidates, 2 * k + 1), dtype=dtype)
    size = keys.stride(0), start, 0 if by_label else gained.stride(0), n_rows, k
    known = new, asked, scores, second_scores, *near
    grid = n_parts, n_candidates
    _exchange_gains[grid](keys, at, *known, out, *size, width, _EXCHANGED_ROWS, by_label)
    return out.sum(dim=0)


def largest_keys(keys: Any, at: Any, start: int, near: tuple[Any, Any, Any], k: int) -> Any:
    """Return what `criteria.exchanges.largest_keys` raises, shape (2, candidates, k)."""
    n_candidates, n_rows = len(at), len(near[0])
    width, n_parts = triton.next_power_of_2(k), triton.cdiv(n_rows, _EXCHANGED_ROWS)
    out = keys.new_empty((n_parts, 2, n_candidates, k))
    size = keys.stride(0), start, n_rows, k
    _largest_keys[(n_parts, n_candidates)](keys, at, *near, out, *size, width, _EXCHANGED_ROWS)
    return out.amax(dim=0)


def pair_squares(features: Any, far: float) -> Any:
    """Return the squared distances of all pairs of columns; ``far`` from each to itself."""
    k, n = features.shape
    out = features.new_empty((n, n))
    grid = triton.cdiv(n, _MATCHED_ROWS), n
    _pair_squares[grid](features, out, n, k, far, _MATCHED_ROWS, enable_fp_fusion=False)
    return out


def neighbors_after(
    features: Any, squares: Any, candidates: Any, first: Any, last: Any, steepness: float, far: float
) -> Any:
    """Return what columns count, from 0 to 1, when a candidate replaces a feature.

    By how much nearer the nearest of their class is than any other, or, where the ``steepness`` is 0, by
    whether it is. ``squares`` are those of `pair_squares`. Columns are ordered by class; that of a column
    begins at ``first`` and ends before ``last``. Shape (candidates, columns, features).
    """
    k, n = features.shape
    out = features.new_empty((len(candidates), n, k))
    known = features, squares, candidates, first, last
    size = n, k, len(candidates), steepness, far, triton.next_power_of_2(k), _TOGETHER, _COMPARED
    grid = n, triton.cdiv(len(candidates), _TOGETHER)
    _neighbors_after[grid](*known, out, *size, enable_fp_fusion=False)
    return out


def linear_margins(rows: Any, known: tuple[Any, ...], new: list[Any], steepness: float, never: float) -> Any:
    """Return what `criteria.margin_kernels.linear` adds up, shape (candidates, k).

    ``rows`` are the candidates; their classes and weights, what is known of the set, and coefficients of
    the candidates follow. All are dense. ``never`` is the score of a class that is not there.
    """
    return _margins(_linear_margins, rows, known, new, steepness, never)


def quadratic_margins(
    rows: Any, known: tuple[Any, ...], new: list[Any], steepness: float, never: float
) -> Any:
    """Return the same where each class has its own covariance matrix."""
    return _margins(_quadratic_margins, rows, known, new, steepness, never)


def _margins(
    loop: Any, rows: Any, known: tuple[Any, ...], new: list[Any], steepness: float, never: float
) -> Any:
    (n_candidates, n), n_classes, k = rows.shape, len(known[-1]), len(known[2])
    width = max(2, triton.next_power_of_2(n_classes))
    height = max(16, _MARGIN_NUMBERS // width)
    n_parts = triton.cdiv(n, height)
    out = rows.new_empty((n_parts, n_candidates, k))
    size = n, k, n_candidates, n_classes, steepness, never, width, height
    loop[(n_parts, n_candidates)](rows, *known, *new, out, *size)
    return out.double().sum(dim=0)


# Without fused operations those of pairs round as the loops on the host do.


@triton.jit
def _squares_to_one(  # type: ignore[no-untyped-def]
    rows, col, out, n_rows, n_features, stride, ROWS: tl.constexpr, FEATURES: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), tl.float32)
    for first in range(0, n_features, FEATURES):
        feature = first + tl.arange(0, FEATURES)
        known = feature < n_features
        x = tl.load(
            rows + row[:, None] * stride + feature[None, :],
            mask=(row < n_rows)[:, None] & known[None, :],
            other=0.0,
        )
        y = tl.load(col + feature, mask=known, other=0.0)
        difference = x - y[None, :]
        total += tl.sum(difference * difference, axis=1)
    tl.store(out + row, total, mask=row < n_rows)


@triton.jit
def _count_matches(  # type: ignore[no-untyped-def]
    keys, columns, asked, labels, counts, stride, start, n_rows, k, ROWS: tl.constexpr
):
    part, of = tl.program_id(0), tl.program_id(1)
    row = part * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    nearest = tl.full((ROWS,), float("inf"), tl.float32)
    label = tl.full((ROWS,), -1, tl.int32)
    for j in range(k):
        column = tl.load(columns + of * k + j).to(tl.int64)
        key = tl.load(keys + column * stride + start + row, mask=here, other=0.0)
        closer = (key < nearest) | (j == 0)
        nearest = tl.where(closer, key, nearest)
        label = tl.where(closer, tl.load(asked + of * k + j), label)
    own = tl.load(labels + row, mask=here, other=-2)
    tl.store(counts + of * tl.num_programs(0) + part, tl.sum((label == own).to(tl.int32), axis=0))


@triton.jit
def _two_nearest(  # type: ignore[no-untyped-def]
    keys, at, first, second, first_at, second_at, stride, start, n_rows, k, ROWS: tl.constexpr
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    nearest = tl.full((ROWS,), float("inf"), tl.float32)
    other = tl.full((ROWS,), float("inf"), tl.float32)
    position = tl.full((ROWS,), -1, tl.int32)
    other_position = tl.full((ROWS,), -1, tl.int32)
    for j in range(k):
        column = tl.load(at + j).to(tl.int64)
        key = tl.load(keys + column * stride + start + row, mask=here, other=0.0)
        closer = (key < nearest) | (j == 0)
        next_closer = (key < other) | (other_position < 0)
        other = tl.where(closer, nearest, tl.where(next_closer, key, other))
        other_position = tl.where(closer, position, tl.where(next_closer, j, other_position))
        nearest = tl.where(closer, key, nearest)
        position = tl.where(closer, j, position)
    tl.store(first + row, nearest, mask=here)
    tl.store(second + row, other, mask=here)
    tl.store(first_at + row, position, mask=here)
    tl.store(second_at + row, other_position, mask=here)


@triton.jit
def _label_standing(  # type: ignore[no-untyped-def]
    own_labels, labels, first_at, second_at, scores, second_scores, out, n_rows, k,
    WIDTH: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    part = tl.program_id(0)
    row = part * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    label = tl.load(labels + row, mask=here, other=-1)
    position = tl.load(first_at + row, mask=here, other=0)
    next_position = tl.maximum(tl.load(second_at + row, mask=here, other=0), 0)  # a single prototype: itself
    own = ((tl.load(own_labels + position) == label) & here).to(tl.int32)
    other = ((tl.load(own_labels + next_position) == label) & here).to(tl.int32)
    tl.store(scores + row, own.to(tl.int8), mask=here)
    tl.store(second_scores + row, other.to(tl.int8), mask=here)
    at = tl.arange(0, WIDTH)
    member = position[:, None] == at[None, :]
    removal = tl.sum(tl.where(member, (other - own)[:, None], 0), axis=0)
    tl.store(out + part * WIDTH + at, tl.where(at == k, tl.sum(own, axis=0), removal))


@triton.jit
def _exchange_gains(  # type: ignore[no-untyped-def]
    keys, columns, gained, asked, scores, second_scores, first, second, first_at, second_at, out,
    stride, start, gained_stride, n_rows, k, WIDTH: tl.constexpr, ROWS: tl.constexpr, BY_LABEL: tl.constexpr
):  # fmt: skip
    part, candidate = tl.program_id(0), tl.program_id(1).to(tl.int64)
    row = part * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    column = tl.load(columns + candidate).to(tl.int64)
    key = tl.load(keys + column * stride + start + row, mask=here, other=float("inf"))
    if BY_LABEL:
        new = (tl.load(gained + row, mask=here, other=0) == tl.load(asked + candidate)).to(tl.float32)
    else:
        new = tl.load(gained + candidate * gained_stride + row, mask=here, other=0)
    own = tl.load(scores + row, mask=here, other=0).to(new.dtype)
    other = tl.load(second_scores + row, mask=here, other=0).to(new.dtype)
    nearest = tl.load(first + row, mask=here, other=0)
    next_nearest = tl.load(second + row, mask=here, other=0)
    position = tl.load(first_at + row, mask=here, other=-1)
    next_position = tl.load(second_at + row, mask=here, other=-1)
    nearer, tied = key < nearest, key == nearest
    takes = (key < next_nearest) | tied | ((key == next_nearest) & (position < next_position))
    zero = new * 0
    more = tl.where(nearer, own - other, tl.where(takes, new - other, zero))
    ties = tl.where(tied, new - own, zero)
    at = tl.arange(0, WIDTH)
    member = position[:, None] == at[None, :]
    to = out + (part.to(tl.int64) * tl.num_programs(1) + candidate) * (2 * k + 1)
    tl.store(to + at, tl.sum(tl.where(member, more[:, None], 0), axis=0), mask=at < k)
    tl.store(to + k + at, tl.sum(tl.where(member, ties[:, None], 0), axis=0), mask=at < k)
    tl.store(to + 2 * k, tl.sum(tl.where(nearer, new - own, zero), axis=0))


@triton.jit
def _largest_keys(  # type: ignore[no-untyped-def]
    keys, columns, first, second, first_at, out, stride, start, n_rows, k,
    WIDTH: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    part, candidate = tl.program_id(0), tl.program_id(1).to(tl.int64)
    row = part * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    column = tl.load(columns + candidate).to(tl.int64)
    key = tl.load(keys + column * stride + start + row, mask=here, other=0.0)
    apart = tl.minimum(key, tl.load(first + row, mask=here, other=0.0))
    replaced = tl.minimum(key, tl.load(second + row, mask=here, other=0.0))
    at = tl.arange(0, WIDTH)
    member = tl.load(first_at + row, mask=here, other=-1)[:, None] == at[None, :]
    to = out + (part.to(tl.int64) * 2 * tl.num_programs(1) + candidate) * k + at
    tl.store(to, tl.max(tl.where(member, apart[:, None], -float("inf")), axis=0), mask=at < k)
    to += tl.num_programs(1) * k
    tl.store(to, tl.max(tl.where(member, replaced[:, None], -float("inf")), axis=0), mask=at < k)


@triton.jit
def _pair_squares(features, out, n, k, far, COLS: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(1)
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    here = col < n
    total = tl.zeros((COLS,), tl.float32)
    for j in range(k):
        apart = tl.load(features + j * n + col, mask=here, other=0.0) - tl.load(features + j * n + row)
        total += apart * apart
    tl.store(out + row * n + col, tl.where(col == row, far, total), mask=here)


@triton.jit
def _neighbors_after(  # type: ignore[no-untyped-def]
    features, squares, candidates, first, last, out, n, k, n_candidates, steepness, far,
    WIDTH: tl.constexpr, TOGETHER: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0)
    candidate = tl.program_id(1) * TOGETHER + tl.arange(0, TOGETHER)
    columns = candidates + tl.minimum(candidate, n_candidates - 1).to(tl.int64) * n
    low, high = tl.load(first + row).to(tl.int32), tl.load(last + row).to(tl.int32)
    at = tl.arange(0, WIDTH)
    of = squares + row * n
    same = _least_after(features, of, columns, row, low, high, n, k, at, far, TOGETHER, WIDTH, COLS)
    before = _least_after(features, of, columns, row, 0, low, n, k, at, far, TOGETHER, WIDTH, COLS)
    beyond = _least_after(features, of, columns, row, high, n, n, k, at, far, TOGETHER, WIDTH, COLS)
    other = tl.minimum(before, beyond)
    to = out + (candidate[:, None] * n + row).to(tl.int64) * k + at[None, :]
    inside = (candidate < n_candidates)[:, None] & (at < k)[None, :]
    if steepness == 0:
        counted = (same < other).to(tl.float32)
    else:
        own, others = tl.sqrt_rn(same), tl.sqrt_rn(other)
        t = tl.div_rn(steepness * (others - own), tl.maximum(others + own, 1e-30))
        counted = 0.5 + tl.div_rn(0.5 * t, 1 + tl.abs(t))
    tl.store(to, counted, mask=inside)


@triton.jit
def _least_after(  # type: ignore[no-untyped-def]
    features, squares, columns, row, low, high, n, k, at, far,
    TOGETHER: tl.constexpr, WIDTH: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """Return the least square of a row to the columns from ``low`` on, after each exchange."""
    least = tl.zeros((TOGETHER, WIDTH, COLS), tl.float32) + far
    own = tl.load(features + at * n + row, mask=at < k, other=0.0)
    here = tl.load(columns + row)
    for start in range(low, high, COLS):
        col = start + tl.arange(0, COLS)
        known = col < high
        apart = tl.load(columns[:, None] + col[None, :], mask=known[None, :], other=0.0) - here[:, None]
        square = tl.load(squares + col, mask=known, other=far)
        theirs = features + at[:, None] * n + col[None, :]
        part = tl.load(theirs, mask=(at < k)[:, None] & known[None, :], other=0.0) - own[:, None]
        rest = square[None, :] - part * part
        least = tl.minimum(least, rest[None, :, :] + (apart * apart)[:, None, :])
    return tl.maximum(tl.min(least, axis=2), 0.0)


@triton.jit
def _linear_margins(  # type: ignore[no-untyped-def]
    rows, codes, weights, features, solved, scores, slopes, precisions, means, gains, levels, out,
    n, k, n_candidates, n_classes, steepness, never, WIDTH: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    candidate, row = tl.program_id(1), tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here, label = row < n, tl.arange(0, WIDTH)
    there = (label < n_classes)[:, None] & here[None, :]
    residual = tl.load(rows + candidate * n + row, mask=here, other=0.0)
    for j in range(k):
        feature = tl.load(features + j * n + row, mask=here, other=0.0)
        residual -= tl.load(slopes + candidate * k + j) * feature
    residual *= tl.load(precisions + candidate)
    at = label * n_candidates + candidate
    mean = tl.load(means + at, mask=label < n_classes, other=0.0)
    base = tl.load(scores + label[:, None] * n + row[None, :], mask=there, other=0.0)
    base += mean[:, None] * residual[None, :]
    own = tl.load(codes + row, mask=here, other=-1)[None, :] == label[:, None]
    weight = tl.load(weights + row, mask=here, other=0.0)
    for j in range(k):
        pulled = tl.load(solved + j * n + row, mask=here, other=0.0)
        part = pulled - tl.load(slopes + candidate * k + j) * residual
        gain = tl.load(gains + at * k + j, mask=label < n_classes, other=0.0)
        level = tl.load(levels + at * k + j, mask=label < n_classes, other=0.0)
        score = base + gain[:, None] * part[None, :] + level[:, None]
        _store_margin(out + (tl.program_id(0) * n_candidates + candidate) * k + j, score, own, there,
                      weight, steepness, never)  # fmt: skip


@triton.jit
def _quadratic_margins(  # type: ignore[no-untyped-def]
    rows, codes, weights, features, solved, scores, slopes, offsets, precisions, shrinks, levels, out,
    n, k, n_candidates, n_classes, steepness, never, WIDTH: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    candidate, row = tl.program_id(1), tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here, label = row < n, tl.arange(0, WIDTH)
    known = label < n_classes
    there = known[:, None] & here[None, :]
    at = label * n_candidates + candidate
    column = tl.load(rows + candidate * n + row, mask=here, other=0.0)
    residual = column[None, :] - tl.load(offsets + at, mask=known, other=0.0)[:, None]
    for j in range(k):
        feature = tl.load(features + j * n + row, mask=here, other=0.0)
        residual -= tl.load(slopes + at * k + j, mask=known, other=0.0)[:, None] * feature[None, :]
    scaled = residual * tl.load(precisions + at, mask=known, other=0.0)[:, None]
    base = tl.load(scores + label[:, None] * n + row[None, :], mask=there, other=0.0)
    base -= 0.5 * residual * scaled
    own = tl.load(codes + row, mask=here, other=-1)[None, :] == label[:, None]
    weight = tl.load(weights + row, mask=here, other=0.0)
    for j in range(k):
        pulled = tl.load(solved + (label[:, None] * k + j) * n + row[None, :], mask=there, other=0.0)
        part = pulled - tl.load(slopes + at * k + j, mask=known, other=0.0)[:, None] * scaled
        shrink = tl.load(shrinks + at * k + j, mask=known, other=0.0)
        level = tl.load(levels + at * k + j, mask=known, other=0.0)
        score = base + shrink[:, None] * part * part + level[:, None]
        _store_margin(out + (tl.program_id(0) * n_candidates + candidate) * k + j, score, own, there,
                      weight, steepness, never)  # fmt: skip


@triton.jit
def _store_margin(to, score, own, there, weight, steepness, never):  # type: ignore[no-untyped-def]
    """Write what the margins of some rows count, from scores of shape (classes, rows)."""
    right = tl.sum(tl.where(own, score, 0.0), axis=0)
    wrong = tl.max(tl.where(own | (there == 0), never, score), axis=0)
    t = steepness * (right - wrong)
    tl.store(to, tl.sum(weight * t / (1 + tl.abs(t)), axis=0))
