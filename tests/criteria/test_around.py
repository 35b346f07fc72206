"""Every exchange of one prototype, against the criterion's definition for the set that it makes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from protopick.criteria import CRITERIA, Criterion, Data
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from tests import oracles

every_criterion = pytest.mark.parametrize("name", CRITERIA)
MARGINS = ("linear-margin", "quadratic-margin")
ROUNDED = (*MARGINS, "neighbor-margin")  # to five digits


def tolerance(name):
    """How exact a value is: a discriminant of classes that are all but separate rests on its ridge."""
    if name in ROUNDED:
        return {"rtol": 0, "atol": 2e-5}
    return {"rtol": 1e-3, "atol": 1e-6} if name == "discriminant" else {"rtol": 1e-9, "atol": 1e-12}


def bound(name, D, y, weights=None, n_jobs=1, memory=None):
    columns = columns_of(
        D, resolve("precomputed").fit(D), candidates=np.arange(len(D)), n_jobs=n_jobs, memory=memory
    )
    whole = None if weights is None else np.array(weights, dtype=np.int64)
    return CRITERIA[name].bind(Data(columns, np.array(y, np.int32), whole, np.random.default_rng(0)))


@st.composite
def problems(draw, name):
    """A small matrix of whole numbers, labels, weights or none, a set, and some other candidates.

    For margins more objects and any numbers: covariance matrices that are singular but for their ridge say
    little in single precision.
    """
    if name in MARGINS:
        n = draw(st.integers(20, 40))
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        D, y = rng.random((n, n)), rng.integers(0, draw(st.integers(1, 3)), n).tolist()
    else:
        n = draw(st.integers(3, 10))
        D = draw(hnp.arrays(np.float64, (n, n), elements=st.integers(1, 4).map(float)))
        y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    np.fill_diagonal(D, 0)
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    order = draw(st.permutations(range(n)))
    k = draw(st.integers(1, min(4, n - 1)))
    return D, y, weights, np.array(order[:k]), np.array(order[k:])


def exchanged(prototypes, candidate, position):
    after = list(prototypes)
    after[position] = candidate
    return after


def definition(name, D, y, weights):
    weights = [1] * len(D) if weights is None else weights
    return lambda w: oracles.CRITERIA[name](D, y, list(w), weights)


def test_every_criterion_has_a_slow_version():
    assert set(oracles.CRITERIA) == set(CRITERIA)


@every_criterion
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_every_exchange_has_the_value_of_the_set_that_it_makes(name, data):
    D, y, weights, prototypes, others = data.draw(problems(name))
    value = definition(name, D, y, weights)
    objective = bound(name, D, y, weights)
    around = objective.around(prototypes)
    np.testing.assert_allclose(objective(prototypes[None])[0], around.value, **tolerance(name))
    np.testing.assert_allclose(around.value, value(prototypes), **tolerance(name))
    found = around.values(others)
    assert found.shape == (len(others), len(prototypes))
    expected = [[value(exchanged(prototypes, c, j)) for j in range(len(prototypes))] for c in others]
    np.testing.assert_allclose(found, expected, **tolerance(name))


@every_criterion
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_a_set_that_was_exchanged_is_as_one_made_anew(name, data):
    D, y, weights, prototypes, others = data.draw(problems(name))
    objective = bound(name, D, y, weights)
    around = objective.around(prototypes)
    inside, outside = prototypes.tolist(), others.tolist()
    for _ in range(data.draw(st.integers(1, 5))):
        position = data.draw(st.integers(0, len(inside) - 1))
        which = data.draw(st.integers(0, len(outside) - 1))
        if data.draw(st.booleans()):
            around.values(np.array(outside[: which + 1]))  # a search looks before it exchanges
        around.exchange(position, outside[which])
        inside[position], outside[which] = outside[which], inside[position]
    fresh = bound(name, D, y, weights).around(np.array(inside))
    np.testing.assert_allclose(around.value, fresh.value, **tolerance(name))
    np.testing.assert_allclose(around.value, definition(name, D, y, weights)(inside), **tolerance(name))
    found, expected = around.values(np.array(outside)), fresh.values(np.array(outside))
    np.testing.assert_allclose(found, expected, **tolerance(name))


@every_criterion
def test_threads_tiles_and_memory_make_no_difference(name, tiles_of):
    rng = np.random.default_rng(0)
    D = rng.integers(1, 50, size=(700, 700)).astype(float)
    np.fill_diagonal(D, 0)
    y, weights = rng.integers(0, 3, 700), rng.integers(0, 4, 700)
    candidates = rng.permutation(np.arange(10, 700))[:40]

    def values(**settings):
        around = bound(name, D, y, weights, **settings).around(np.arange(10))
        found = [around.values(candidates)]
        around.exchange(3, int(candidates[5]))
        return [*found, around.values(candidates[6:])]

    expected = values()
    tiles_of(96)
    for settings_ in ({"n_jobs": 2}, {"memory": 0}, {"n_jobs": 2, "memory": 700 * 8 * 25}):
        for found, same in zip(values(**settings_), expected, strict=True):
            np.testing.assert_array_equal(found, same)


@pytest.mark.parametrize("name", ["label-match", "coverage", "discriminant"])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_whole_weight_is_a_repetition(name, data):
    D, y, _, prototypes, others = data.draw(problems(name))
    repeats = data.draw(st.lists(st.integers(1, 3), min_size=len(D), max_size=len(D)))
    rows = np.repeat(np.arange(len(D)), repeats)
    labels = np.array(y, np.int32)
    repeated = columns_of(D[rows], resolve("precomputed").fit(D[rows]), candidates=np.arange(len(D)))
    objective = CRITERIA[name].bind(Data(repeated, labels, None, np.random.default_rng(0), rows))
    weighted = bound(name, D, y, repeats)
    if name == "discriminant":  # where the spread within classes is nothing, its scale is arbitrary
        spread = [[D[np.array(y) == c][:, p].std() > 1e-9 for c in set(y)] for p in range(len(D))]
        if not all(map(any, spread)):
            return
    np.testing.assert_allclose(weighted(prototypes[None]), objective(prototypes[None]), **tolerance(name))
    found, expected = (o.around(prototypes).values(others) for o in (weighted, objective))
    np.testing.assert_allclose(found, expected, **tolerance(name))


def test_a_weight_is_a_vote_of_the_object_and_not_another_neighbour():
    D = np.abs(np.subtract.outer([0.0, 1.0, 5.0, 6.5], [0.0, 1.0, 5.0, 6.5]))
    y = [0, 1, 1, 1]
    # In the space of prototype 0: the objects 0 and 1 have each other, of another class; 2 has 3.
    assert bound("neighbor-agreement", D, y, [1, 1, 1, 1])(np.array([[0]]))[0] == 0.5
    assert bound("neighbor-agreement", D, y, [5, 1, 1, 1])(np.array([[0]]))[0] == 2 / 8
    assert bound("neighbor-agreement", D, y, [1, 0, 2, 1])(np.array([[0]]))[0] == 3 / 4


@pytest.mark.parametrize("name", ["spanning-tree", "radius"])
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_weights_do_not_count_for_what_is_no_sum_over_objects(name, data):
    D, y, weights, prototypes, _ = data.draw(problems(name))
    assert bound(name, D, y, weights)(prototypes[None]) == bound(name, D, y)(prototypes[None])


def test_an_outlier_counts_in_full_however_far_it_is():
    n = 1000
    D = np.zeros((n, n))
    D[:, 0] = 1.0  # the present prototype is as far from all
    D[:, 1] = 0.01
    D[5, 1] = 1e6  # the candidate is near to all but one
    objective = bound("coverage", D, np.zeros(n))
    around = objective.around(np.array([0]))
    expected = oracles.coverage(D[:, :2], [1], [1] * n)
    assert around.values(np.array([1]))[0, 0] == pytest.approx(expected, rel=1e-6)
    assert objective(np.array([[1]]))[0] == pytest.approx(expected, rel=1e-6)


def test_coverage_of_small_dissimilarities_after_a_set_without_any():
    X = np.array([[0.0], [0.0], [0.4], [0.4]])
    D = np.abs(X - X.T)
    objective = bound("coverage", D, np.zeros(4))
    assert objective(np.array([[0, 2]]))[0] == 0
    assert objective(np.array([[0, 1]]))[0] == pytest.approx(-0.2)


@pytest.mark.parametrize("size", [3, 6, 7, 10, 49])
def test_a_column_that_is_constant_within_classes_counts_the_same_for_any_class_size(size):
    D = np.ones((3 * size, 3 * size))
    D[:, 0] = np.repeat([0.1, 0.3, 0.7], size)
    y = np.repeat([0, 1, 2], size)
    expected = oracles.discriminant(D, y, [0], [1] * len(D))
    assert bound("discriminant", D, y)(np.array([[0]]))[0] == pytest.approx(expected, rel=1e-6)


class TestSample:
    """Where objects are too many, a sample stands for them."""

    def test_a_sample_of_a_sample_keeps_its_labels(self):
        X = np.arange(400.0)[:, None]
        columns = columns_of(X, resolve("euclidean").fit(X))
        whole = Data(columns, np.arange(400, dtype=np.int32), None, np.random.default_rng(0))
        twice = whole.sample(100).sample(20)
        positions = twice.columns.table(np.array([0]))[:, 0]  # of the objects, by their distance to 0
        assert twice.row_labels.tolist() == positions.astype(int).tolist()

    def test_a_sample_by_weight_keeps_the_shares_of_the_weights(self):
        n, n_heavy = 4000, 20
        X = np.arange(float(n))[:, None]
        weights = np.ones(n, np.int64)
        weights[:n_heavy] = n // n_heavy  # half of all weight is on a few objects
        columns = columns_of(X, resolve("euclidean").fit(X))
        y = (np.arange(n) < n_heavy).astype(np.int32)
        sample = Data(columns, y, weights, np.random.default_rng(0)).sample(1500)
        found = np.ones(len(sample.row_labels)) if sample.weights is None else sample.weights
        assert found[sample.row_labels == 1].sum() / found.sum() == pytest.approx(0.5, abs=0.05)

    def test_the_size_of_all_is_kept(self):
        n = 4000
        X = np.random.default_rng(0).normal(size=(n, 2))
        y = (X[:, 0] > 0).astype(np.int32)
        columns = columns_of(X, resolve("euclidean").fit(X))
        data = Data(columns, y, None, np.random.default_rng(0))
        sets = np.array([[3, 5, 8, 13]])
        exact = CRITERIA["label-match"].bind(data)(sets)[0]
        sampled = CRITERIA["label-match"].bind(data.sample(1500))(sets)[0]
        assert sampled == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("name", ["label-match", "coverage"])
@pytest.mark.parametrize("n", [64, 1023, 1025, 2500])
def test_every_row_is_looked_at_whatever_their_number(name, n):
    rng = np.random.default_rng(n)
    X, y = rng.integers(0, 12, (n, 2)).astype(float), rng.integers(0, 3, n)
    columns = columns_of(X, resolve("cityblock").fit(X), n_jobs=1)
    objective = CRITERIA[name].bind(Data(columns, y.astype(np.int32)))
    prototypes, others = np.arange(5), np.arange(5, 40)
    found = objective.around(prototypes).values(others)
    sets = [exchanged(prototypes, c, position) for c in others for position in range(5)]
    np.testing.assert_allclose(found.ravel(), objective(np.array(sets)), rtol=1e-9)


@settings(deadline=None, max_examples=60)
@given(n=st.integers(8, 20), k=st.integers(2, 7), seed=st.integers(0, 2**32))
def test_a_tree_weighs_the_same_however_it_was_found(n, k, seed):
    """To the last digit, else a search could go round in circles of roundings."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (n, 2))
    D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    objective = bound("spanning-tree", D, [0] * n)
    around = objective.around(np.arange(k))
    assert around.value == objective(np.arange(k)[None])[0]
    values = around.values(np.arange(k, n))
    for b, candidate in enumerate(range(k, n)):
        for j in range(k):
            after = objective(np.array([exchanged(range(k), candidate, j)]))[0]
            assert values[b, j] == pytest.approx(after)
            assert values[b, j] == after or max(values[b, j], after) < around.value
    columns = columns_of(D, resolve("precomputed").fit(D), candidates=np.arange(n))
    tree, data = CRITERIA["spanning-tree"], Data(columns)
    n_first = int(rng.integers(0, 3))
    order = tree.greedy_order(data, n, n_first)
    np.testing.assert_array_equal(order, Criterion.greedy_order(tree, data, n, n_first))


def test_sets_of_one_coverage_do_not_disturb_each_other():
    numbers = np.concatenate([np.linspace(0, 0.01, 20), [1e6, 2e6]])
    D = np.abs(np.subtract.outer(numbers, numbers))
    D[:, :3] = np.minimum(D[:, :3], 0.01)  # columns of small values only
    objective = bound("coverage", D, [0] * len(D))
    value = definition("coverage", D, [0] * len(D), None)
    small = objective.around(np.array([0, 1]))
    large = objective.around(np.array([20, 21]))  # which needs another scale
    assert small.value == pytest.approx(value([0, 1]), rel=1e-6)
    assert large.value == pytest.approx(value([20, 21]), rel=1e-6)
    expected = [[value([2, 1]), value([0, 2])]]
    np.testing.assert_allclose(small.values(np.array([2])), expected, rtol=1e-4)


@pytest.mark.parametrize("unit", [1e-305, 1e-150, 1.0, 1e150, 1e306])
def test_coverage_of_very_small_and_very_large_numbers(unit):
    D = np.random.default_rng(0).integers(1, 100, (30, 30)).astype(float)
    around = bound("coverage", D * unit, [0] * 30).around(np.arange(3))
    expected = bound("coverage", D, [0] * 30).around(np.arange(3))
    rtol = 1e-9 if unit > 1e-300 else 1e-3  # no scale of float64 leaves more bits to such numbers
    np.testing.assert_allclose(around.value / unit, expected.value, rtol=rtol)
    others = np.arange(3, 30)
    np.testing.assert_allclose(around.values(others) / unit, expected.values(others), rtol=rtol)
