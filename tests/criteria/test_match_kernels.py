import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.criteria.match_kernels import matches


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 700),
    st.integers(1, 9),
    st.integers(1, 5),
    st.sampled_from([2, 30, 10**6]),
    st.integers(0, 2**32),
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_of_the_nearest_prototypes_gives_the_label(dtype, n_rows, k, n_sets, largest, seed):
    rng = np.random.default_rng(seed)
    start, n_columns = int(rng.integers(0, 40)), k + int(rng.integers(0, 5))
    keys = rng.integers(0, largest, (n_columns, start + n_rows + 3)).astype(dtype)
    keys[rng.random(keys.shape) < 0.1] = np.inf
    where = np.array([rng.choice(n_columns, k, replace=False) for _ in range(n_sets)])
    labels = rng.integers(0, 3, n_rows).astype(np.int32)
    prototype_labels = rng.integers(0, 3, where.shape).astype(np.int32)
    nearest = keys[where][:, :, start : start + n_rows].argmin(axis=1)
    expected = np.take_along_axis(prototype_labels, nearest, axis=1) == labels

    matching = np.full((n_sets, n_rows), 7, np.uint8)
    counts = matches(keys, where, start, prototype_labels, labels, matching)
    np.testing.assert_array_equal(matching, expected)
    np.testing.assert_array_equal(counts, expected.sum(axis=1))
