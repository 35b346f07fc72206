"""Histograms: chi-squared, Hellinger, Wasserstein."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import wasserstein_distance
from sklearn import config_context
from sklearn.metrics.pairwise import additive_chi2_kernel

from protopick import FarthestFirstSelector, RandomSelector, describe
from protopick.dissimilarity import resolve
from protopick.dissimilarity.histograms import Histograms
from protopick.engine import columns_of

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
    with pytest.raises(
        ValueError, match=rf"prototypes_\[[01]\] holds -1.0, but metric='{name}' needs .*0 or more"
    ):
        RandomSelector(2, metric=name).fit_transform(np.array([[1.0, 2.0], [3.0, -1.0]]))


def test_rows_of_zeros():
    X = np.array([[0.0, 0.0], [1.0, 3.0]])
    np.testing.assert_array_equal(blocks(X, X, "chi2"), [[0, 4], [4, 0]])
    for name in ("hellinger", "wasserstein_1d"):
        with pytest.raises(ValueError, match="a row of zeros"):
            blocks(X, X, name)


class TestARowThatIsNoHistogram:
    """It is named by its number in X, however the objects are looked at."""

    @pytest.mark.parametrize("name", [*Histograms.names, "jensenshannon"])
    @pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
    @pytest.mark.parametrize("memory", [1024, 0.01])
    def test_is_named(self, name, format, memory):
        X = rows(4, 3000, np.float32)
        X[2345] = -1
        with (
            config_context(working_memory=memory),
            pytest.raises(ValueError, match=rf"X\[2345\] holds -1.0, but metric='{name}'"),
        ):
            FarthestFirstSelector(2, metric=name, n_jobs=2).fit(format(X))
        selector = FarthestFirstSelector(2, metric=name).fit(format(X[:2000]))
        with pytest.raises(ValueError, match=r"X\[2345\]"):
            selector.transform(format(X))

    @pytest.mark.parametrize("name", ["hellinger", "wasserstein_1d", "jensenshannon"])
    def test_without_any_counts(self, name):
        X = rows(4, 3000)
        X[2345] = 0
        with pytest.raises(ValueError, match=r"X\[2345\] is a row of zeros"):
            FarthestFirstSelector(2, metric=name).fit(X)

    def test_in_a_file(self, tmp_path):
        X = rows(4, 3000)
        X[2345, 1] = -1
        np.save(tmp_path / "X.npy", X)
        with config_context(working_memory=0.01), pytest.raises(ValueError, match=r"X\[2345\] holds -1.0"):
            FarthestFirstSelector(2, metric="chi2").fit(np.load(tmp_path / "X.npy", mmap_mode="r"))

    def test_on_dask(self):
        X = rows(4, 3000)
        X[2345, 1] = -1
        chunked = pytest.importorskip("dask.array").from_array(X, chunks=(700, 4))
        for metric in ("chi2", "hellinger"):
            with pytest.raises(ValueError, match=r"X\[2345\] holds -1.0"):
                FarthestFirstSelector(2, metric=metric).fit(chunked)

    def test_among_some_of_the_objects(self):
        X = rows(4, 3000)
        X[2345, 1] = -1
        columns = columns_of(X, resolve("chi2").fit(X))
        with pytest.raises(ValueError, match=r"X\[2345\]"):
            columns.part(np.arange(5, 3000)).over(np.arange(2, 2990)).table(np.arange(3))
        with pytest.raises(ValueError, match=r"X\[2345\]"):
            columns.part(np.arange(5, 3000)).over(np.arange(2, 20)).table(np.array([2340]))

    def test_in_a_sample(self):
        X = rows(4, 3000)
        X[:, 1] = np.where(np.arange(3000) == 2345, 1, -1)
        with pytest.raises(ValueError, match=r"X\[\d+\] holds -1.0") as caught:
            describe(X, "chi2", sample=50, random_state=0)
        drawn = np.sort(np.random.default_rng(0).choice(3000, 50, replace=False))
        assert str(caught.value).startswith(f"X[{drawn[0]}]")
