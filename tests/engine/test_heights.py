"""Tiles are as high as memory allows, and no higher."""

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from protopick.dissimilarity import resolve
from protopick.engine import QUANTUM, columns_of
from protopick.engine.heights import Pace, within

bytes_of_a_row = st.integers(0, 10**7)


@given(
    memory=st.integers(0, 10**9),
    wish=st.builds(Pace, st.integers(1, 10**5), st.integers(1, 64), st.integers(0, 65)),
    read=bytes_of_a_row,
    made=bytes_of_a_row,
)
def test_less_is_in_work_at_a_time_where_memory_is_short(memory, wish, read, made):
    height, at_once, ahead = within(memory, wish, read, made)
    assert 0 < height <= wish.height
    assert 0 < at_once <= wish.at_once
    assert 0 <= ahead <= wish.ahead
    assert height == wish.height or height % QUANTUM == 0
    least = height <= QUANTUM and (at_once, ahead) == (1, 0)
    assert least or height * (at_once * (read + made) + ahead * read) <= memory


def test_what_fits_stays_as_it_is():
    wish = Pace(768, 8, 9)
    assert within(1 << 28, wish, 4000, 4000) == wish
    assert within(0, wish, 0, 0) == wish


def test_rows_that_are_encoded_for_every_tile_take_little():
    X = np.random.default_rng(0).integers(0, 200, (2000, 4000), dtype=np.uint8)  # 8 MB, encoded 32 MB
    measure = resolve("cityblock").fit(X)
    expected = columns_of(X, measure).table(np.arange(10))
    tracemalloc.start()
    try:
        found = columns_of(X, measure, memory=16 << 20).table(np.arange(10))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(found, expected)
    assert peak < 16 << 20
