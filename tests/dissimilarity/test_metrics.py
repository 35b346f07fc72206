"""Every metric gives what scikit-learn and SciPy give, on dense and sparse rows, tile by tile."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import distance
from sklearn.metrics import pairwise_distances

from protopick import RandomSelector, describe, intrinsic_dimension
from protopick.dissimilarity import METRICS, resolve
from protopick.engine import columns_of

OWN_TESTS = {"spherical_hamming", "chi2", "hellinger", "wasserstein_1d", "tanimoto"}
NAMES = sorted(
    name for name, kind in METRICS.items() if kind.takes.startswith("vectors") and name not in OWN_TESTS
)
PARAMS = {"minkowski": {"p": 3}}
BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


def data(name, d=6, n=57):
    rng = np.random.default_rng(1)
    if name in BOOLEAN:
        return rng.integers(0, 2, size=(n, d)).astype(bool)
    if name == "haversine":
        return rng.uniform(-1, 1, size=(n, 2))
    X = rng.integers(0, 5, size=(n, d)).astype(float) + (rng.random((n, d)) if name == "jensenshannon" else 0)
    X[:, 0] += 1
    return X


def columns_by(X, name, **settings):
    return columns_of(X, resolve(name, PARAMS.get(name)).fit(X), **settings)


def expected(X, name):
    if name == "jensenshannon" or name in BOOLEAN:
        return distance.cdist(X, X, name, **PARAMS.get(name, {}))
    return pairwise_distances(X, metric=name, **PARAMS.get(name, {}))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("as_sparse", [False, True], ids=["dense", "CSR"])
def test_same_as_scikit_learn_and_scipy(name, as_sparse):
    X = data(name)
    columns = columns_by(sparse.csr_array(X) if as_sparse else X, name)
    rows, cols = np.arange(40), np.arange(30, 57)
    block = columns.block(rows, cols)
    np.testing.assert_allclose(block, expected(X, name)[np.ix_(rows, cols)], rtol=1e-7, atol=1e-9)
    assert columns.counter.total == block.size


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("as_sparse", [False, True], ids=["dense", "CSR"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("d", [6, 90])
def test_every_type_of_numbers(name, as_sparse, dtype, d):
    X = data(name, d)
    d = X.shape[1]
    X = X.astype(dtype) if dtype is not bool or name in BOOLEAN else X > 2
    X[:, 0], X[:, 1] = 1, 0  # no row without a nonzero, none constant
    X[5] = X[40]
    params = {
        "mahalanobis": {"VI": np.eye(d) + 0.3},
        "seuclidean": {"V": np.linspace(1, 2, d)},
        **PARAMS,
    }.get(name, {})
    these = sparse.csr_array(X) if as_sparse else X
    block = columns_of(these, resolve(name, params).fit(these)).block(np.arange(57), np.arange(20))
    reference = X.astype(bool if name in BOOLEAN else float)
    compare = distance.cdist if name in BOOLEAN or name == "jensenshannon" else pairwise_distances
    wanted = compare(reference, reference[:20], metric=name, **params)
    assert block.dtype == (np.float64 if dtype in (np.int64, np.float64) else np.float32)
    digits = {"rtol": 1e-5, "atol": 3e-4} if block.dtype == np.float32 else {"rtol": 1e-7, "atol": 1e-7}
    np.testing.assert_allclose(block, wanted, **digits)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("as_sparse", [False, True], ids=["dense", "CSR"])
def test_what_is_fitted_to_one_format_takes_the_other(name, as_sparse):
    X = data(name)
    formats = X, sparse.csr_array(X)
    selector = RandomSelector(3, metric=name, metric_params=PARAMS.get(name), random_state=0)
    selector.fit(formats[as_sparse])
    dense, csr = (selector.transform(these) for these in formats)
    np.testing.assert_array_equal(dense, csr)


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_works_in_a_selector(name):
    X = data(name)
    selector = RandomSelector(4, metric=name, metric_params=PARAMS.get(name), random_state=0).fit(X)
    wanted = expected(X, name)[:, selector.prototype_indices_]
    np.testing.assert_allclose(selector.transform(X), wanted, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(NAMES) - BOOLEAN))
def test_float32_is_compared_as_float32(name):
    X = data(name).astype(np.float32)
    block = columns_by(X, name).block(np.arange(20), np.arange(20))
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, expected(X.astype(float), name)[:20, :20], rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [3, 32, 33, 200])
@pytest.mark.parametrize("offset", [0, 1e4], ids=["centred", "far from zero"])
def test_euclidean_is_accurate_far_from_zero_and_close_together(dtype, d, offset):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(300, d)) + offset).astype(dtype)
    X[150:] = X[:150] + rng.normal(size=(150, d)).astype(dtype) * dtype(1e-3)
    X[7] = X[6]
    exact = distance.cdist(X.astype(float), X.astype(float))
    columns = columns_by(X, "euclidean")
    block = columns.block(np.arange(300), np.arange(300))
    np.testing.assert_allclose(block, exact, rtol=1e-3 if dtype == np.float32 else 1e-7)
    assert block[6, 7] == 0
    assert (np.diag(block) == 0).all()


@pytest.mark.parametrize("name", sorted({*NAMES} - {"haversine", "nan_euclidean"}))
@pytest.mark.parametrize("kind", ["short", "long", "sparse", "less sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_value_does_not_depend_on_its_company(name, kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.random(size=(3000, 7 if kind == "short" else 70)).astype(dtype) * 3
    if name in BOOLEAN:
        X = (X > 1).astype(dtype)
    if "sparse" in kind:
        X[rng.random(X.shape) < (0.99 if kind == "sparse" else 0.8)] = 0
        X[:, 0] = 1
        X = sparse.csr_array(X)
    columns = columns_by(X, name, n_jobs=1)
    whole = columns.block(np.arange(3000), np.arange(40))
    by_tiles = columns_by(X, name, n_jobs=2, memory=0)  # nothing is encoded beforehand
    scanned = by_tiles.scan(np.arange(40), lambda tile: tile.columns())
    np.testing.assert_array_equal(by_tiles.dissimilarity.restore(np.hstack(scanned)).T, whole)
    for rows, cols in [
        (slice(0, 1), slice(0, 1)),
        (slice(5, 1100), slice(3, 5)),
        (slice(2990, 3000), slice(0, 40)),
    ]:
        part = columns.block(np.arange(3000)[rows], np.arange(40)[cols])
        np.testing.assert_array_equal(part, whole[rows, cols])
    np.testing.assert_array_equal(whole[:40], whole[:40].T)


def test_zero_rows_have_cosine_dissimilarity_one():
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(columns_by(X, "cosine").block(np.arange(2), np.arange(2)), [[1, 1], [1, 0]])


def test_nan_euclidean_refuses_rows_that_share_nothing():
    X = np.array([[1.0, np.nan], [np.nan, 3.0], [4.0, 5.0]])
    with pytest.raises(ValueError, match="nan_euclidean"):
        RandomSelector(2, metric="nan_euclidean", fixed=[0, 1]).fit_transform(X)


def test_nan_euclidean_takes_missing_values():
    X = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    selector = RandomSelector(2, metric="nan_euclidean", random_state=0).fit(X)
    assert np.isfinite(selector.transform(X)).all()


def test_mahalanobis_survives_constant_features():
    X = np.column_stack([np.arange(10.0), np.ones(10)])
    for name in ("mahalanobis", "seuclidean"):
        assert np.isfinite(columns_by(X, name).block(np.arange(10), np.arange(10))).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("d", [3, 784])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["cosine", "correlation"])
def test_equal_rows_are_not_told_apart_by_rounding(name, dtype, d, form):
    X = np.random.default_rng(0).random((90, d)).astype(dtype)
    columns = columns_by(form(np.vstack([X, X])), name)
    block = columns.block(np.arange(180), np.arange(180))
    assert (block[np.arange(90), np.arange(90, 180)] == 0).all()
    assert not np.signbit(block).any()
    assert ((block == 0).sum(axis=1) == 2).all() or d == 3


@pytest.mark.parametrize("name", ["cosine", "correlation", "euclidean"])
def test_duplicates_are_counted_and_change_no_dimension(name):
    X = np.random.default_rng(0).random((200, 10))
    twice = np.vstack([X, X])
    assert describe(twice, name).n_duplicates == 200
    assert intrinsic_dimension(twice, name) == pytest.approx(intrinsic_dimension(X, name))
