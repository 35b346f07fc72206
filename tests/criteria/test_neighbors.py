"""Neighbours in the dissimilarity space: lists of those near by must not hide who is nearer."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from protopick import SwapSelector, nearest_neighbor
from protopick.criteria import CRITERIA, Data
from protopick.criteria.parts import neighbor_space
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from tests import oracles

both = pytest.mark.parametrize("name", ["neighbor-agreement", "neighbor-margin"])


def bound(name, X, y, weights=None):
    columns = columns_of(X, resolve("cityblock").fit(X))
    return CRITERIA[name].bind(Data(columns, np.asarray(y, np.int32), weights, np.random.default_rng(0)))


@both
@pytest.mark.parametrize("k", [1, 2, 5, 17])
@pytest.mark.parametrize("n_classes", [1, 2, 9])
@pytest.mark.parametrize("kind", ["whole", "equal", "real", "far"])
def test_more_objects_than_are_listed(name, k, n_classes, kind):
    rng = np.random.default_rng(k)
    n = 150
    X = {
        "whole": lambda: rng.integers(0, 4, (n, 3)),
        "real": lambda: rng.normal(size=(n, 6)),
        "equal": lambda: np.repeat(rng.normal(size=(n // 50, 2)), 50, axis=0),
        "far": lambda: rng.normal(size=(n, 2)) * np.where(rng.random((n, 1)) < 0.1, 30, 1),
    }[kind]().astype(float)
    tolerance = 2e-5 if kind in ("whole", "equal") else 2e-3  # in single precision, near ties may turn
    y, weights = rng.integers(0, n_classes, n), rng.integers(0, 3, n)
    objective = bound(name, X, y, weights)
    order = rng.permutation(n)
    start, new = order[:k], order[k : k + 30]
    around = objective.around(start)
    for position in (0, k - 1):
        found = around.values(new)
        sets = np.repeat(start[None], len(new) * k, axis=0)
        sets[np.arange(len(sets)), np.tile(np.arange(k), len(new))] = np.repeat(new, k)
        np.testing.assert_allclose(found.ravel(), objective(sets), rtol=0, atol=tolerance)
        around.exchange(position, int(new[0]))
        start[position], new = new[0], new[1:]
    D = np.abs(X[:, None] - X).sum(axis=2)
    expected = oracles.CRITERIA[name](D, y.tolist(), start.tolist(), weights.tolist())
    assert around.value == pytest.approx(expected, abs=tolerance)


def test_margins_find_better_neighbours_than_counts():
    X, y = load_digits(return_X_y=True)

    def error(criterion):
        selector = SwapSelector(10, criterion=criterion, max_candidates=300, random_state=0)
        selector.fit(X[::2], y[::2])
        fitted = nearest_neighbor().fit(selector.transform(X[::2]), y[::2])
        return 1 - fitted.score(selector.transform(X[1::2]), y[1::2])

    assert error("neighbor-margin") < error("neighbor-agreement")


@both
def test_short_lists_give_the_same(name, monkeypatch):
    X, y = load_digits(return_X_y=True)
    expected = bound(name, X, y).around(np.arange(6)).values(np.arange(20, 60))
    monkeypatch.setattr(neighbor_space, "_LIST_BYTES", 0)
    np.testing.assert_array_equal(bound(name, X, y).around(np.arange(6)).values(np.arange(20, 60)), expected)


@both
def test_an_object_alone_in_its_class_has_no_neighbour_there(name):
    X, y = np.array([[0.0], [1.0], [3.0]]), [0, 1, 1]
    value = bound(name, X, y)(np.array([[0]]))[0]
    lost = 0 if name == "neighbor-agreement" else (1 - 10 / 11) / 2
    one, two = 0.0 if name == "neighbor-agreement" else None, 1.0 if name == "neighbor-agreement" else None
    if name == "neighbor-margin":  # distances to the own class and to the other: (2, 1) and (2, 3)
        one, two = ((1 + t / (1 + abs(t))) / 2 for t in (-10 / 3, 2.0))
    assert value == pytest.approx((lost + one + two) / 3, abs=1e-5)
