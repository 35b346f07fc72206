"""Margins of normal densities: what makes them other than the sums of the other criteria."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from protopick import SwapSelector, ldc, qdc
from protopick.criteria import CRITERIA, Data, margins
from protopick.criteria.parts import places
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from tests import oracles

both = pytest.mark.parametrize("name", ["linear-margin", "quadratic-margin"])


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture
def some_digits(digits):
    X, y = digits
    return X[:300], y[:300]


def bound(name, X, y, weights=None):
    columns = columns_of(X, resolve("euclidean").fit(X))
    return CRITERIA[name].bind(Data(columns, np.asarray(y, np.int32), weights, np.random.default_rng(0)))


@both
def test_a_set_that_tells_more_is_worth_more(name, digits):
    X, y = digits
    picked = SwapSelector(10, criterion=name, max_candidates=200, random_state=0).fit(X[::2], y[::2])
    drawn = SwapSelector(10, criterion=name, max_candidates=0, random_state=0).fit(X[::2], y[::2])
    classifier = ldc() if name == "linear-margin" else qdc()

    def error(selector):
        fitted = classifier.fit(selector.transform(X[::2]), y[::2])
        return 1 - fitted.score(selector.transform(X[1::2]), y[1::2])

    assert picked.criterion_value_ > drawn.criterion_value_
    assert error(picked) < 0.7 * error(drawn)


@both
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_the_scale_of_dissimilarities_says_nothing(name, scale, some_digits):
    X, y = some_digits
    selector = SwapSelector(5, criterion=name, max_candidates=40, random_state=0).fit(X * scale, y)
    plain = SwapSelector(5, criterion=name, max_candidates=40, random_state=0).fit(X, y)
    assert selector.prototype_indices_.tolist() == plain.prototype_indices_.tolist()
    assert selector.criterion_value_ == pytest.approx(plain.criterion_value_, abs=2e-5)


@both
def test_equal_objects_and_columns_without_spread(name):
    X = np.repeat(np.arange(6.0), 5)[:, None]
    X[:5] = 2.0
    y = np.repeat([0, 1, 2], 10)
    objective = bound(name, X, y)
    around = objective.around(np.array([0, 1]))  # two equal columns
    found = around.values(np.arange(2, 30))
    assert np.isfinite(found).all()
    assert ((found >= 0) & (found <= 1)).all()
    same = bound(name, np.ones((30, 1)), y).around(np.array([0, 1])).values(np.arange(2, 30))
    assert (same == same[0, 0]).all()


@both
def test_a_single_class_is_always_told(name):
    X = np.random.default_rng(0).normal(size=(40, 3))
    objective = bound(name, X, np.zeros(40))
    assert objective(np.array([[0, 1]]))[0] == 1
    assert (objective.around(np.array([0, 1])).values(np.arange(2, 9)) == 1).all()


@both
def test_a_class_without_weight_is_never_taken(name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.repeat([0, 1, 2], 20)
    weights = np.where(y == 2, 0, 3)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    expected = oracles.CRITERIA[name](D, y.tolist(), [4, 30, 50], weights.tolist())
    found = bound(name, X, y, weights)(np.array([[4, 30, 50]]))[0]
    assert found == pytest.approx(expected, abs=2e-5)


@both
def test_a_heavy_object_leaves_the_others_what_they_are(name, some_digits):
    X, y = some_digits
    weights = np.ones(len(X), np.int64)
    weights[0] = 200
    rows = np.repeat(np.arange(len(X)), weights)
    candidates = np.arange(8)[None]
    weighted, repeated = (
        bound(name, X, y, weights)(candidates),
        bound(name, X[rows], y[rows])(np.searchsorted(rows, candidates)),
    )
    np.testing.assert_allclose(weighted, repeated, atol=0.03)


@both
def test_only_the_ratio_of_weights_matters(name, some_digits):
    X, y = some_digits
    weights = np.random.default_rng(0).integers(1, 5, len(X))
    candidates = np.arange(8)[None]
    assert bound(name, X, y, weights)(candidates) == bound(name, X, y, 16 * weights)(candidates)


@both
def test_what_is_known_of_candidates_may_be_forgotten(name, monkeypatch, some_digits):
    X, y = some_digits
    start, new = np.arange(6), np.arange(20, 44)
    expected = bound(name, X, y).around(start).values(new)
    monkeypatch.setattr(places, "_FEWEST", 10)
    monkeypatch.setattr(places, "_MOST", 10)
    around = bound(name, X, y).around(start)
    parts = [around.values(some, lambda room: new[:room]) for some in np.split(new, 6)]
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    many = bound(name, X, y)(np.stack([start, new[:6], new[6:12]]))  # more than are held
    assert many[0] == bound(name, X, y).around(start).value


@both
def test_of_many_classes_the_sample_is_smaller(name, monkeypatch):
    monkeypatch.setattr(margins, "SAMPLE", 200)
    monkeypatch.setattr(margins, "_SCORES", 600)
    monkeypatch.setattr(margins, "_LEAST", 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    for n_classes, expected in ((2, 200), (6, 100), (60, 20)):
        objective = bound(name, X, rng.integers(0, n_classes, 500))
        assert objective._sample.total == expected
        assert np.isfinite(objective.around(np.arange(3)).values(np.arange(3, 9))).all()
