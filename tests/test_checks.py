import numpy as np
import pytest

from protopick import checks

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "y",
    [
        rng.integers(-3, 5, 100),
        rng.choice([5, 9, 70_000], 200_000),
        np.r_[np.zeros(100_000, int), 3, 1],
        np.array([2, 2, 7], np.uint8),
        np.array([-128, 127], np.int8),
        np.array([2**63 - 1, 2**63 - 3]),
        np.array([-(2**62), 2**62, 0]),
        np.array([True, False]),
        np.array(["b", "a", "b"]),
        np.array([3.0, 1.0]),
    ],
    ids=lambda y: f"{y.dtype}, {y[:3].tolist()}",
)
def test_class_numbers_follow_the_order_of_the_labels_and_have_no_gaps(y):
    codes = checks.class_numbers(y)
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(codes, np.unique(y, return_inverse=True)[1])
