import numpy as np
import pytest

from protopick import FarthestFirstSelector


def test_duplicates_are_picked_only_when_nothing_else_is_left():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    assert FarthestFirstSelector(4, fixed=[1]).fit(X).prototype_indices_.tolist() == [1, 3, 0, 2]


def test_counts_k_minus_one_columns():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    assert FarthestFirstSelector(7, random_state=0).fit(X).n_dissimilarities_ == 6 * 1000


@pytest.mark.parametrize(("subsample", "size"), [(50, 50), (0.1, 100), ("auto", 70)])
def test_subsample(subsample, size):
    X = np.random.default_rng(0).normal(size=(1000, 4))
    picked = FarthestFirstSelector(10, subsample=subsample, random_state=0).fit(X)
    assert picked.n_dissimilarities_ == 9 * size  # 3 k log k = 69.08


def test_value_is_the_smallest_gap():
    X = np.random.default_rng(0).normal(size=(300, 4))
    picked = FarthestFirstSelector(8, random_state=0).fit(X)
    D = picked.transform(picked.prototypes_)
    assert picked.criterion_value_ == pytest.approx(D[~np.eye(8, dtype=bool)].min())
    assert all(np.diff(picked.history_) <= 0)
