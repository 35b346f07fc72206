import numpy as np
import pytest

from protopick import KCentersSelector


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
