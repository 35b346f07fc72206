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


def exchange_gains(
    columns: Any, gained: Any, scores: Any, second_scores: Any, near: tuple[Any, Any, Any, Any], k: int
) -> Any:
    """Do what `criteria.exchanges.gains_on_tensors` does."""
    n_candidates, n_rows = columns.shape
    width, n_parts = triton.next_power_of_2(k), triton.cdiv(n_rows, _EXCHANGED_ROWS)
    anywhere = gained.new_empty((n_parts, n_candidates))
    more, ties = (gained.new_empty((n_parts, n_candidates, width)) for _ in range(2))
    size = columns.stride(0), gained.stride(0), n_rows, width, _EXCHANGED_ROWS
    known = gained, scores, second_scores, *near
    _exchange_gains[(n_parts, n_candidates)](columns, *known, anywhere, more, ties, *size)
    more, before = more.sum(dim=0)[:, :k], ties.sum(dim=0)[:, :k]
    return anywhere.sum(dim=0)[:, None] + more + before.flip(1).cumsum(1).flip(1) - before


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
def _exchange_gains(  # type: ignore[no-untyped-def]
    columns, gained, scores, second_scores, first, second, first_at, second_at, anywhere, more, ties,
    stride, gained_stride, n_rows, WIDTH: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    part, candidate = tl.program_id(0), tl.program_id(1).to(tl.int64)
    row = part * ROWS + tl.arange(0, ROWS)
    here = row < n_rows
    key = tl.load(columns + candidate * stride + row, mask=here, other=float("inf"))
    new = tl.load(gained + candidate * gained_stride + row, mask=here, other=0)
    own = tl.load(scores + row, mask=here, other=0)
    other = tl.load(second_scores + row, mask=here, other=0)
    nearest = tl.load(first + row, mask=here, other=0)
    next_nearest = tl.load(second + row, mask=here, other=0)
    position = tl.load(first_at + row, mask=here, other=-1)
    next_position = tl.load(second_at + row, mask=here, other=-1)
    nearer, tied = key < nearest, key == nearest
    takes = (key < next_nearest) | tied | ((key == next_nearest) & (position < next_position))
    zero = new * 0
    here_more = tl.where(nearer, own - other, tl.where(takes, new - other, zero))
    here_ties = tl.where(tied, new - own, zero)
    at = tl.arange(0, WIDTH)
    member = position[:, None] == at[None, :]
    place = part.to(tl.int64) * tl.num_programs(1) + candidate
    tl.store(anywhere + place, tl.sum(tl.where(nearer, new - own, zero), axis=0))
    tl.store(more + place * WIDTH + at, tl.sum(tl.where(member, here_more[:, None], 0), axis=0))
    tl.store(ties + place * WIDTH + at, tl.sum(tl.where(member, here_ties[:, None], 0), axis=0))
