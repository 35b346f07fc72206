"""Both criteria against their definitions, on random matrices, asymmetric and with ties."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.datasets import load_digits

from protopick import SwapSelector
from protopick.criteria import CRITERIA, Criterion, Data
from protopick.criteria.discriminant import Scatter
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from tests import oracles

matrices = st.integers(3, 25).flatmap(
    lambda n: hnp.arrays(np.float64, (n, n), elements=st.integers(1, 6).map(float))
)


def objective(D, name, y=None, weights=None):
    np.fill_diagonal(D, 0)
    columns = columns_of(D, resolve("precomputed").fit(D), candidates=np.arange(len(D)))
    return CRITERIA[name].bind(Data(columns, y, weights, np.random.default_rng(0)))


def population(data, n):
    k = data.draw(st.integers(1, n))
    rows = st.permutations(range(n)).map(lambda p: p[:k])
    return np.array(data.draw(st.lists(rows, min_size=1, max_size=5)))


@settings(deadline=None, max_examples=60)
@given(matrices, st.data())
def test_spanning_tree(D, data):
    values = objective(D, "spanning-tree")
    for _ in range(2):  # the second population finds pairs of the first
        individuals = population(data, len(D))
        for value, w in zip(values(individuals), individuals, strict=True):
            assert value == oracles.tree_weight(D, w)
            symmetric = (D + D.T)[np.ix_(w, w)] / 2
            np.testing.assert_allclose(value, minimum_spanning_tree(symmetric).sum())


@settings(deadline=None, max_examples=60)
@given(matrices, st.data())
def test_label_match(D, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(D), max_size=len(D))), np.int32)
    values = objective(D, "label-match", y)
    for _ in range(2):
        individuals = population(data, len(D))
        expected = [oracles.label_matches(D, y, w) for w in individuals]
        assert values(individuals).tolist() == expected


@pytest.mark.parametrize("name", ["label-match", "coverage", "radius", "spanning-tree"])
@settings(deadline=None, max_examples=60)
@given(D=matrices, seed=st.integers(0, 2**32), weighted=st.booleans(), far=st.booleans())
def test_the_order_is_that_of_sets_measured_anew(name, D, seed, weighted, far):
    rng, n = np.random.default_rng(seed), len(D)
    if far and name == "label-match":
        D[D == 6] = np.inf
    columns = columns_of(D, resolve("precomputed").fit(D), candidates=np.arange(n))
    data = Data(columns, rng.integers(0, 3, n), rng.integers(0, 4, n) if weighted else None)
    k, n_first = int(rng.integers(1, n + 1)), int(rng.integers(0, 2))
    criterion = CRITERIA[name]
    order = criterion.greedy_order(data, k, n_first)
    np.testing.assert_array_equal(order, Criterion.greedy_order(criterion, data, k, n_first))


@settings(deadline=None, max_examples=40)
@given(matrices, st.data())
def test_growing_set(D, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(D), max_size=len(D))), np.int32)
    picked = data.draw(st.permutations(range(len(D))))[: len(D) // 2]
    growing = objective(D, "label-match", y).growing()
    for prototype in picked:
        growing.add(prototype)
    left = np.setdiff1d(np.arange(len(D)), picked)
    assert growing.matches_with(left).tolist() == [oracles.label_matches(D, y, [*picked, c]) for c in left]
    sums = [D[:, [*picked, c]].min(axis=1).sum() for c in left]
    assert growing.dissimilarity_with(left).tolist() == sums


def test_discriminants_do_not_depend_on_what_is_found_together():
    X, y = load_digits(return_X_y=True)
    X, y = X[:1200, 20:24] // 4, y[:1200].astype(np.int32)  # many equal objects
    columns = columns_of(X, resolve("euclidean").fit(X))
    together, one_by_one = (Scatter(Data(columns, y, None, np.random.default_rng(0))) for _ in range(2))
    candidates = np.arange(40)
    together.find(candidates)
    for some in np.split(candidates, [1, 6, 7, 30]):
        one_by_one.find(some)
    for square in ("within", "between"):
        expected = getattr(together, square)(candidates, candidates)
        np.testing.assert_array_equal(getattr(one_by_one, square)(candidates, candidates), expected)
        np.testing.assert_array_equal(expected, expected.T)


def test_symmetric_pairs_are_computed_once():
    X = np.random.default_rng(0).normal(size=(50, 3))
    columns = columns_of(X, resolve("cityblock").fit(X))
    values = CRITERIA["spanning-tree"].bind(Data(columns))
    values(np.array([[0, 1, 2, 3], [0, 1, 2, 4]]))
    assert columns.counter.total == 6 + 3
    values(np.array([[0, 1, 2, 3], [0, 1, 2, 5]]))
    assert columns.counter.total == 9 + 3


@pytest.mark.parametrize("criterion", CRITERIA)
def test_what_a_search_held_is_free_at_once(criterion):
    X, y = load_digits(return_X_y=True)
    gc.collect()
    gc.disable()
    try:
        SwapSelector(3, criterion=criterion, max_candidates=20, random_state=0).fit(X[:200], y[:200])
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        held = {type(found).__module__ for found in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not [module for module in held if module.startswith("protopick.criteria")]
