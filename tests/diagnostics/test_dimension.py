import numpy as np
import pytest

from protopick import intrinsic_dimension


@pytest.mark.parametrize("d", [1, 2, 4, 8])
def test_dimension_of_a_cube_in_a_larger_space(d):
    rng = np.random.default_rng(0)
    X = rng.random((2000, d)) @ np.linalg.qr(rng.normal(size=(20, 20)))[0][:d]
    assert abs(intrinsic_dimension(X) - d) < 0.35 * d


def test_dimension_from_a_matrix_and_from_a_function():
    numbers = np.random.default_rng(0).random(300)
    D = np.abs(np.subtract.outer(numbers, numbers))
    assert abs(intrinsic_dimension(D, "precomputed") - 1) < 0.3
    assert intrinsic_dimension(numbers.tolist(), lambda a, b: abs(a - b)) == intrinsic_dimension(
        D, "precomputed"
    )


def test_equal_objects_count_once():
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    assert intrinsic_dimension(np.repeat(X, 2, axis=0)) == pytest.approx(intrinsic_dimension(X))
    assert np.isnan(intrinsic_dimension(np.ones((50, 2))))


def test_random_state_is_what_it_is_for_selectors():
    X = np.random.default_rng(0).random((600, 3))
    by = [intrinsic_dimension(X, random_state=np.random.RandomState(seed)) for seed in (0, 0, 1)]
    assert by[0] == by[1] != by[2]
    for wrong in (-1, 0.5, [1, 2]):
        with pytest.raises(ValueError, match=r"random_state=.* is not allowed. Pass None, a whole number"):
            intrinsic_dimension(X, random_state=wrong)
