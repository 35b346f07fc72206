import numpy as np
import pytest

from protopick.criteria import CRITERIA, Data
from protopick.criteria.parts.weights import LARGEST_TOTAL, as_whole_numbers
from protopick.dissimilarity import resolve
from protopick.engine import columns_of


@pytest.mark.parametrize("largest", [1e9, 3e9, 1e10, 6e10])
def test_whole_numbers_stay_as_they_are(largest):
    given = np.array([1.0, 2.0, 3.0, 0.0, largest])
    whole, unit = as_whole_numbers(given)
    assert (whole.tolist(), unit) == (given.tolist(), 1.0)


def test_one_heavy_object_leaves_the_others_their_weight():
    whole, _ = as_whole_numbers(np.concatenate([np.ones(1_000_000), [1e10]]))
    assert whole[:-1].min() == whole[:-1].max() == 1


@pytest.mark.parametrize("given", [[0.25, 0.5, 1.5], [1e-3, 2.0, 7.0], [1.0, 2.0, 2.0 * LARGEST_TOTAL]])
def test_others_keep_their_shares(given):
    whole, unit = as_whole_numbers(np.array(given))
    np.testing.assert_allclose(whole * unit, given, atol=sum(given) / 2**31)
    assert whole.sum() <= LARGEST_TOTAL


@pytest.mark.parametrize("heaviest", [1, LARGEST_TOTAL // 2])
def test_coverage_of_any_total(heaviest):
    rng = np.random.default_rng(0)
    D = rng.random((60, 60))
    weights = rng.integers(1, 100, 60)
    weights[7] = heaviest
    columns = columns_of(D, resolve("precomputed").fit(D), candidates=np.arange(60))
    objective = CRITERIA["coverage"].bind(Data(columns, weights=weights))
    around = objective.around(np.array([3, 5, 9]))
    expected = -np.average(D[:, [3, 5, 9]].min(axis=1), weights=weights)
    assert around.value == pytest.approx(expected, rel=1e-5)
    exchanged = -np.average(D[:, [3, 20, 9]].min(axis=1), weights=weights)
    assert around.values(np.array([20]))[0, 1] == pytest.approx(exchanged, rel=1e-5)
