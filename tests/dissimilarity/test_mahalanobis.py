"""Mahalanobis and standardised Euclidean distance: a linear map, then Euclidean distance."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import distance

from protopick.dissimilarity import resolve
from protopick.dissimilarity.mahalanobis import Mahalanobis
from protopick.engine import columns_of

every_format = pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
every_width = pytest.mark.parametrize("d", [5, 60])


def block(X, name, **params):
    columns = columns_of(X, resolve(name, params).fit(X))
    everything = np.arange(X.shape[0])
    return columns.block(everything, everything)


def correlated(d, n=200, offset=0.0):
    rng = np.random.default_rng(d)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + offset


@every_format
@every_width
def test_what_is_not_given_is_learned(format, d):
    X = correlated(d)
    V, VI = X.var(axis=0, ddof=1), np.linalg.inv(np.cov(X.T))
    wanted = distance.cdist(X, X, "seuclidean", V=V)
    np.testing.assert_allclose(block(format(X), "seuclidean"), wanted, rtol=1e-7, atol=1e-7)
    wanted = distance.cdist(X, X, "mahalanobis", VI=VI)
    np.testing.assert_allclose(block(format(X), "mahalanobis"), wanted, rtol=1e-7, atol=1e-7)


@every_width
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_zero(d, dtype):
    X = correlated(d, offset=1000.0).astype(dtype)
    params = {
        "seuclidean": {"V": X.astype(float).var(axis=0)},
        "mahalanobis": {"VI": np.linalg.inv(np.cov(X.astype(float).T))},
    }
    for name, given in params.items():
        wanted = distance.cdist(X.astype(float), X.astype(float), name, **given)
        rtol = 1e-3 if dtype == np.float32 else 1e-7
        np.testing.assert_allclose(block(X, name, **given), wanted, rtol=rtol, atol=1e-9)


@every_format
@every_width
def test_equal_rows_are_at_zero(format, d):
    X = correlated(d, offset=10.0)
    X[3] = X[8]
    for name in Mahalanobis.names:
        distances = block(format(X), name)
        assert distances[3, 8] == 0
        assert (np.diag(distances) == 0).all()


@every_width
def test_an_inverse_that_is_singular_or_not_symmetric(d):
    X = correlated(d)
    rng = np.random.default_rng(0)
    F = rng.normal(size=(d, 2))
    skew = rng.normal(size=(d, d))
    VI = F @ F.T + (skew - skew.T)
    assert isinstance(resolve("mahalanobis", {"VI": VI}).fit(X), Mahalanobis)
    wanted = np.linalg.norm((X[:, None] - X[None]) @ F, axis=2)
    np.testing.assert_allclose(block(X, "mahalanobis", VI=VI), wanted, rtol=1e-7, atol=1e-6)


def test_an_inverse_with_negative_eigenvalues_is_refused():
    with pytest.raises(ValueError, match=r"VI with the negative eigenvalue -0.001, .*3 x 3"):
        resolve("mahalanobis", {"VI": np.diag([1.0, 1.0, -1e-3])}).fit(correlated(3))


def test_constant_and_repeated_features_add_nothing():
    X = correlated(4)
    more = np.column_stack([X, np.full(len(X), 7.0), X[:, 0]])
    np.testing.assert_allclose(block(more, "mahalanobis"), block(X, "mahalanobis"), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(block(np.ones((5, 3)), "mahalanobis"), np.zeros((5, 5)))


def test_wrong_parameters_are_refused():
    X = correlated(5)
    with pytest.raises(ValueError, match=r"VI of shape \(4, 4\).*5 x 5"):
        resolve("mahalanobis", {"VI": np.eye(4)}).fit(X)
    with pytest.raises(ValueError, match=r"VI that holds no numbers.*5 x 5 finite numbers"):
        resolve("mahalanobis", {"VI": "a"}).fit(X)
    for V, found in (
        (np.ones(4), r"of shape \(4,\)"),
        (np.zeros(5), "whose smallest value is 0"),
        ([np.nan] * 5, "with NaN"),
    ):
        with pytest.raises(ValueError, match=rf"V {found}.*5 features, all above 0"):
            resolve("seuclidean", {"V": V}).fit(X)
