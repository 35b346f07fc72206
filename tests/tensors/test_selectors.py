"""On tensors, every selector picks what it picks on arrays, and says the same of it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    describe,
    load,
    pick,
    save,
)
from protopick.criteria import CRITERIA

SELECTORS = [
    RandomSelector(5),
    RandomSelector(5, stratified=True),
    FarthestFirstSelector(5),
    FarthestFirstSelector(5, subsample=40, fixed=[3]),
    FarthestFirstSelector(5, n_pivots=16),
    KCentersSelector(5),
    ForwardSelector(4, fixed=[7]),
    GeneticSelector(5),
    GeneticSelector(5, clustered=False, candidates=np.arange(10, 60)),
    GeneticSelector(5, criterion="label-match", evaluation="racing"),
    GeneticSelector(5, criterion="label-match", polish=True),
    GeneticSelector(5, criterion="label-match", per_class=1),
    GeneticSelector(5, criterion="label-match", n_pivots=16),
    GeneticSelector(5, criterion="label-match", n_pivots=16, pivot_code="binary"),
    GeneticSelector("auto"),
    SwapSelector(1),
    SwapSelector(5, init="farthest-first", improvement="best"),
    AutoSelector(3),
    *(GeneticSelector(5, criterion=name, n_generations=5) for name in CRITERIA),
    *(SwapSelector(5, criterion=name) for name in CRITERIA),
]


def same(selector, X, y, put, sample_weight=None):
    """Fit on an array and on a tensor, and compare."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    on_host = clone(selector).set_params(random_state=0).fit(X, y, **weights)
    on_device = clone(selector).set_params(random_state=0).fit(put(X), y, **weights)
    assert on_device.prototype_indices_.tolist() == on_host.prototype_indices_.tolist()
    assert on_device.order_.tolist() == on_host.order_.tolist()
    if on_host.criterion_value_ is not None:
        assert on_device.criterion_value_ == pytest.approx(on_host.criterion_value_, rel=1e-4)
        assert on_device.history_ == pytest.approx(on_host.history_, rel=1e-4)
    return on_host, on_device


@pytest.mark.parametrize("wide", [False, True], ids=["4 features", "40 features"])
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_ties_and_equal_objects(selector, wide, integer_data, put):
    X, y = integer_data
    X = np.tile(X, 10) + 100 if wide else X
    on_host, on_device = same(selector, X.astype(np.float32), y, put)
    assert on_device.n_dissimilarities_ == on_host.n_dissimilarities_


@pytest.mark.parametrize("criterion", ["label-match", "coverage", "discriminant", "neighbor-agreement"])
def test_weights(criterion, integer_data, put):
    X, y = integer_data
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    same(SwapSelector(5, criterion=criterion), X, y, put, sample_weight=weights)
    same(GeneticSelector(5, criterion=criterion, n_generations=5), X, y, put, sample_weight=weights / 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["linear-margin", "quadratic-margin", "neighbor-margin"])
def test_margins(criterion, weighted, put):
    X, y = load_digits(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 4, len(X)) if weighted else None
    same(SwapSelector(8, criterion=criterion, max_candidates=100), X, y, put, sample_weight=weights)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int64", "float16"])
def test_digits(dtype, put):
    X, y = load_digits(return_X_y=True)
    X = X.astype(dtype)
    on_host, on_device = same(GeneticSelector(10, criterion="label-match", n_generations=5), X, y, put)
    features = on_device.transform(put(X))
    assert features.device == put(X).device
    np.testing.assert_allclose(features.cpu(), on_host.transform(X), rtol=1e-4, atol=1e-3)


def test_computation_follows_the_data(integer_data, put):
    X, y = integer_data
    on_device = SwapSelector(5, random_state=0).fit(put(X), put(y))
    assert on_device.prototypes_.device == put(X).device
    assert on_device.prototype_labels_.tolist() == y[on_device.prototype_indices_].tolist()
    on_host = SwapSelector(5, random_state=0).fit(X, y)
    expected = on_host.transform(X)
    assert isinstance(on_device.transform(X), np.ndarray)
    np.testing.assert_allclose(on_device.transform(X), expected)
    np.testing.assert_allclose(on_host.transform(put(X)).cpu(), expected)


def test_it_is_saved_without_its_device(integer_data, put, tmp_path):
    X, y = integer_data
    selector = SwapSelector(5, random_state=0).fit(put(X), y)
    save(selector, tmp_path / "model.protopick")
    loaded = load(tmp_path / "model.protopick")
    assert isinstance(loaded.prototypes_, np.ndarray)
    np.testing.assert_allclose(loaded.transform(put(X)).cpu(), selector.transform(X))


def test_pick_and_describe(integer_data, put):
    X, y = integer_data
    assert pick(put(X), y, 4, method="swap", random_state=0).tolist() == (
        pick(X, y, 4, method="swap", random_state=0).tolist()
    )
    on_host, on_device = (describe(of, y=y, random_state=0) for of in (X, put(X)))
    assert on_device.levina_bickel_dimension == pytest.approx(on_host.levina_bickel_dimension)
    assert on_device.nearest_neighbor_error == on_host.nearest_neighbor_error


def test_the_report_is_written(integer_data, put, tmp_path):
    pytest.importorskip("plotly")
    X, y = integer_data
    selector = SwapSelector(5, random_state=0).fit(put(X), y)
    page = selector.report(put(X), y, tmp_path / "report.html")
    assert "5 of 90" in page.read_text("utf-8")


def test_arrays_of_cupy_stay_there(integer_data):
    cupy = pytest.importorskip("cupy")
    X, y = integer_data
    selector = SwapSelector(5, random_state=0).fit(cupy.asarray(X), cupy.asarray(y))
    expected = SwapSelector(5, random_state=0).fit(X, y)
    assert selector.prototype_indices_.tolist() == expected.prototype_indices_.tolist()
    assert isinstance(selector.prototypes_, cupy.ndarray)
    assert isinstance(selector.transform(cupy.asarray(X)), cupy.ndarray)
