"""Jaccard and the like: SciPy's values, and 0 where it has none, from packed bits or a sparse product."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial import distance
from sklearn.exceptions import DataConversionWarning

from protopick import RandomSelector
from protopick.dissimilarity.boolean import Boolean, SharedFeatures

WEIGHTED = [*Boolean.names, *SharedFeatures.names]
NAMES = [*WEIGHTED, "hamming"]
every_name = pytest.mark.parametrize("name", NAMES)
every_format = pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])


def blocks(A, B, name, params=None):
    metric = Boolean(name, params or {}).fit(A)
    out = np.full((B.shape[0], A.shape[0]), np.nan, metric.dtype)
    metric.block(metric.encode(A), metric.encode(B), out, np.arange(B.shape[0]), 0)
    return out.T


def scipys(A, B, name, **params):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(distance.cdist(A, B, name, **params))  # two empty sets are equal


def sets(d, n=300):
    rng = np.random.default_rng(d)
    X = rng.random((n, d)) < rng.random((n, 1))
    X[0], X[1], X[2] = False, True, X[3]
    return X


@every_name
@every_format
@pytest.mark.parametrize("d", [1, 8, 63, 64, 65, 200])
def test_exactly_as_scipy(name, format, d):
    X = sets(d)
    numbers = X.astype(np.int64)  # compared in float64, as SciPy does
    block = blocks(format(numbers), format(numbers[:37]), name)
    np.testing.assert_array_equal(block, scipys(X, X[:37], name))


@every_name
@given(
    X=hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 70))),
    as_sparse=st.booleans(),
)
@settings(deadline=None)
def test_any_sets(name, X, as_sparse):
    block = blocks(sparse.csr_array(X) if as_sparse else X, X, name)
    np.testing.assert_array_equal(block, scipys(X, X, name).astype(np.float32))


@every_format
@pytest.mark.parametrize("name", WEIGHTED)
def test_only_zero_or_not_matters_which_is_said_where_there_are_other_numbers(name, format):
    X = sets(20)
    numbers = X * np.random.default_rng(0).normal(size=X.shape)
    with pytest.warns(DataConversionWarning, match=f"{name}' looks only at whether a number is 0.*X != 0"):
        block = blocks(format(numbers), format(numbers), name)
    np.testing.assert_array_equal(block, scipys(X, X, name))


@every_format
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights(name, format):
    X = sets(20)
    w = np.random.default_rng(0).random(20)
    wanted = scipys(X, X, name, w=w)
    with np.errstate(invalid="ignore"):
        block = blocks(format(X), format(X), name, {"w": w})
    np.testing.assert_allclose(block, wanted, rtol=1e-6)


def test_rows_are_packed():
    X = sets(130)
    metric = Boolean("jaccard").fit(X)
    words = metric.encode(X)
    assert words.nbytes == metric.encoded_bytes(X) == 300 * 3 * 8


def test_hamming_of_booleans_takes_zeros_and_ones_only():
    X = sets(20)
    selector = RandomSelector(3, metric="hamming", random_state=0).fit(X)
    np.testing.assert_array_equal(selector.transform(X.astype(int)), selector.transform(X))
    with pytest.raises(ValueError, match=r"hamming.*other than 0 and 1.*fit to numbers"):
        selector.transform(X * 2)
