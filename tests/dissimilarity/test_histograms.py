"""Histograms: chi-squared, Hellinger, Wasserstein."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import wasserstein_distance
from sklearn.metrics.pairwise import additive_chi2_kernel

from protopick import RandomSelector
from protopick.dissimilarity import resolve
from protopick.dissimilarity.histograms import Histograms

from .test_elementwise import blocks


def rows(d, n=40, dtype=np.float64):
    X = np.random.default_rng(0).integers(0, 5, (n, d)).astype(dtype)
    X[:, 0] += 1
    X[3] = X[7]
    return X


def shares(X):
    return X / X.sum(axis=1, keepdims=True)


def hellinger(X):
    roots = np.sqrt(shares(X))
    return np.linalg.norm(roots[:, None] - roots[None], axis=2) / np.sqrt(2)


def wasserstein(X, positions=None):
    positions = np.arange(X.shape[1]) if positions is None else positions
    return [[wasserstein_distance(positions, positions, x, y) for y in X] for x in X]


ORACLES = {"chi2": lambda X: -additive_chi2_kernel(X), "hellinger": hellinger, "wasserstein_1d": wasserstein}
every_name = pytest.mark.parametrize("name", Histograms.names)


@every_name
@pytest.mark.parametrize("d", [1, 6, 70])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_equals_its_definition(name, d, dtype, format):
    X = rows(d, dtype=dtype)
    found = blocks(format(X), format(X), name)
    digits = {"rtol": 1e-9, "atol": 1e-7} if found.dtype == np.float64 else {"rtol": 1e-4, "atol": 4e-4}
    np.testing.assert_allclose(found, ORACLES[name](X.astype(float)), **digits)
    np.testing.assert_array_equal(found, found.T)
    assert found[3, 7] == 0


def test_bins_may_lie_anywhere():
    X, positions = rows(5), [0.0, 0.5, 3.0, 3.0, 10.0]
    found = blocks(X, X, "wasserstein_1d", {"positions": positions})
    np.testing.assert_allclose(found, wasserstein(X, positions), rtol=1e-9, atol=1e-12)
    for wrong in ([0, 1], [0, 2, 1, 3, 4], [0, 1, 2, 3, np.nan]):
        with pytest.raises(ValueError, match="positions"):
            resolve("wasserstein_1d", {"positions": wrong}).fit(X)


@every_name
@pytest.mark.parametrize("d", [6, 70])
def test_a_value_does_not_depend_on_its_company(name, d):
    X = rows(d, 90, np.float32) / 3
    whole = blocks(X, X, name)
    np.testing.assert_array_equal(blocks(X[5:6], X[9:30], name), whole[5:6, 9:30])
    np.testing.assert_array_equal(blocks(X[9:80], X[5:6], name), whole[9:80, 5:6])


@every_name
def test_negative_numbers_are_refused(name):
    with pytest.raises(ValueError, match=rf"'{name}' needs .*negative"):
        RandomSelector(2, metric=name).fit_transform(np.array([[1.0, 2.0], [3.0, -1.0]]))


def test_rows_of_zeros():
    X = np.array([[0.0, 0.0], [1.0, 3.0]])
    np.testing.assert_array_equal(blocks(X, X, "chi2"), [[0, 4], [4, 0]])
    for name in ("hellinger", "wasserstein_1d"):
        with pytest.raises(ValueError, match="a row of zeros"):
            blocks(X, X, name)
