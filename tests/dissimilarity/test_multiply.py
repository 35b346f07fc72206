"""The matrix product: right, and the same to the last bit wherever a value stands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.dissimilarity.vectors import Panels, products

both = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def product(rows, cols):
    parts = [G[: len(cols[some]), : len(rows)].copy() for some, G in products(rows, Panels(cols))]
    return np.vstack(parts)


@both
@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(1, 60),
    n_cols=st.integers(1, 230),
    n_features=st.integers(1, 300),
    seed=st.integers(0, 99),
)
def test_whole_numbers_are_exact(dtype, n_rows, n_cols, n_features, seed):
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(-9, 9, (n_rows, n_features)), rng.integers(-9, 9, (n_cols, n_features))
    np.testing.assert_array_equal(product(rows.astype(dtype), cols.astype(dtype)), cols @ rows.T)


@both
@pytest.mark.parametrize("n_features", [33, 384, 385, 784])
def test_a_value_is_the_same_wherever_it_stands(dtype, n_features):
    rng = np.random.default_rng(n_features)
    row, col = rng.normal(size=(2, n_features)).astype(dtype)
    alone = product(row[None], col[None])
    assert alone == pytest.approx(float(row.astype(float) @ col), abs=1e-3)
    for n_rows, n_cols in [(1, 7), (5, 8), (8, 24), (9, 25), (770, 40), (2000, 301)]:
        everywhere = product(np.repeat(row[None], n_rows, axis=0), np.repeat(col[None], n_cols, axis=0))
        np.testing.assert_array_equal(everywhere, np.broadcast_to(alone, (n_cols, n_rows)))


@both
def test_the_order_of_sums_is_that_of_the_documentation(dtype):
    # 1 + 2^-p + 2^-p: the two small ones are lost one by one, but not where they are summed first.
    tiny = np.finfo(dtype).eps / 2
    features = np.zeros(400, dtype)
    ones = np.ones_like(features)
    features[[0, 1, 2]] = 1, tiny, tiny
    assert product(features[None], ones[None]) == 1
    features[[1, 2, 260, 261]] = 0, 0, tiny, tiny
    assert product(features[None], ones[None]) == 1 + 2 * tiny
