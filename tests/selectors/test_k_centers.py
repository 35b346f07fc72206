import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone

from protopick import KCentersSelector, forecast


def test_value_is_minus_the_covering_radius():
    X = np.random.default_rng(0).normal(size=(400, 3))
    picked = KCentersSelector(6, random_state=0).fit(X)
    assert picked.criterion_value_ == pytest.approx(-picked.transform(X).min(axis=1).max())


def test_stopping_early_still_reports_its_own_radius():
    X = np.random.default_rng(0).normal(size=(400, 3))
    picked = KCentersSelector(6, max_iter=1, random_state=0).fit(X)
    assert picked.criterion_value_ == pytest.approx(-picked.transform(X).min(axis=1).max())
    assert picked.n_iter_ == 1


def test_more_starts_are_never_worse():
    X = np.random.default_rng(0).normal(size=(400, 3))
    one, ten = (KCentersSelector(6, n_init=n, random_state=0).fit(X).criterion_value_ for n in (1, 10))
    assert ten >= one


def test_far_fewer_dissimilarities_than_all_pairs():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    picked = KCentersSelector(4, random_state=0).fit(X)
    assert picked.n_dissimilarities_ < picked.n_iter_ * 4000**2 / 4 / 10


class Counted:
    """A costly function that notes the pairs it was asked for."""

    def __init__(self):
        self.asked = []

    def metric(self, a, b):
        self.asked.append((a, b))
        return float(np.abs(X[a] - X[b]).sum())


X = np.random.default_rng(0).integers(0, 9, size=(120, 4))


@pytest.mark.parametrize("k", [2, 4, 12])
def test_no_pair_of_a_function_is_computed_twice(k):
    costly = Counted()
    selector = KCentersSelector(k, metric=costly.metric, n_init=3, fixed=[7], random_state=0, n_jobs=1)
    foreseen = forecast(selector, len(X), [0, 1, 2])
    costly.asked.clear()
    picked = selector.fit(list(range(len(X))))
    assert len(set(costly.asked)) == len(costly.asked) == picked.n_dissimilarities_
    assert picked.n_dissimilarities_ <= foreseen.n_dissimilarities <= len(X) ** 2


def test_what_is_remembered_changes_nothing():
    D = np.abs(X[:, None] - X).sum(axis=2).astype(float)
    for k in (2, 5, 12):
        expected = KCentersSelector(k, metric="precomputed", random_state=k).fit(D).prototype_indices_
        for n_jobs, memory in ((1, 1024), (2, 1024), (1, 0.01)):
            with config_context(working_memory=memory):
                of_function = KCentersSelector(
                    k, metric=lambda a, b: float(np.abs(a - b).sum()), random_state=k, n_jobs=n_jobs
                ).fit(list(X))
            np.testing.assert_array_equal(of_function.prototype_indices_, expected)


def test_memory_does_not_change_the_centres_of_series():
    some = np.random.default_rng(9).integers(0, 9, size=(40, 6)) / np.float32(10)  # near ties
    for seed in range(20):
        selector = KCentersSelector(6, metric="dtw", random_state=seed)
        expected = clone(selector).fit(some).prototype_indices_
        with config_context(working_memory=0.001):
            np.testing.assert_array_equal(clone(selector).fit(some).prototype_indices_, expected)


def test_pairs_for_which_there_is_no_memory_are_computed_again():
    costly = Counted()
    with config_context(working_memory=0.01):
        KCentersSelector(4, metric=costly.metric, random_state=0, n_jobs=1).fit(list(range(len(X))))
    assert len(set(costly.asked)) < len(costly.asked)
