"""Numbers whose squares or sums a float cannot hold are refused, and never give infinite or wrong values."""

import numpy as np
import pytest
from scipy import sparse

from protopick import FarthestFirstSelector, Ragged
from protopick.dissimilarity import METRICS
from protopick.dissimilarity.boolean import Boolean

ROWS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.5, 1.0], [0.5, 0.75]])
NAMES = [
    name
    for name, kind in METRICS.items()
    if kind.takes in ("vectors", "series")
    and not issubclass(kind, Boolean)
    and name not in ("haversine", "spherical_hamming", "tanimoto")
]
SHARES, SCALED = {"hellinger", "jensenshannon", "wasserstein_1d"}, {"mahalanobis", "seuclidean"}
SUMS = {"braycurtis", "canberra", "chebyshev", "cityblock", "l1", "manhattan"}
EQUAL_OR_NOT = {"hamming", "matching"}
COMPARED = {2e20: EQUAL_OR_NOT | SHARES | SUMS | SCALED, 2e38: EQUAL_OR_NOT | SCALED}
COMPARED |= {1e200: EQUAL_OR_NOT | SHARES | SUMS, 1e308: EQUAL_OR_NOT}


def space(X, metric):
    selector = FarthestFirstSelector(X.shape[0], metric=metric, fixed=range(X.shape[0]))
    return selector.fit_transform(X).astype(float)


@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize(
    ("dtype", "scale"), [(np.float32, 2e20), (np.float32, 2e38), (np.float64, 1e200), (np.float64, 1e308)]
)
@pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_large_numbers_are_refused_or_compared_right(metric, dtype, scale, format):
    X = ROWS.astype(dtype)
    if METRICS[metric].takes == "series":
        X, format = np.stack([X, X[::-1]], axis=2), np.asarray
    large = format(X * dtype(scale))
    if metric not in COMPARED[scale]:
        with pytest.raises(ValueError, match=r"too (large|much) for float(32|64)"):
            space(large, metric)
        return
    found = space(large, metric)
    wanted = space(format(X), metric)
    np.testing.assert_allclose(found / found.max(), wanted / wanted.max(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("metric", ["dtw", "resampled_euclidean", "mdf"])
def test_series_that_come_later(metric):
    X = [np.eye(3), np.zeros((4, 3))]
    selector = FarthestFirstSelector(1, metric=metric).fit([x.astype(np.float32) for x in X])
    with pytest.raises(ValueError, match="too large for float32"):
        selector.transform([1e30 * x for x in X])
    with pytest.raises(ValueError, match="too large for float32"):
        selector.transform([1e60 * x for x in X])


def test_dtw_of_large_numbers_that_are_alike():
    X = Ragged(np.array([1e25, 2e25, 2e25, 1e25, 2e25], np.float32), [0, 2, 5])
    with pytest.raises(ValueError, match=r"as large as 2e\+25, whose squares are too large for float32"):
        space(X, "dtw")
    assert space(X[:1], "dtw").tolist() == [[0]]


def test_a_large_row_among_many_is_found_where_all_are_looked_at():
    X = np.random.default_rng(0).random((20_000, 3)).astype(np.float32)
    X[7] = 3e38
    for metric in ("cosine", "chi2", "hellinger", "jensenshannon", "wasserstein_1d"):
        with pytest.raises(ValueError, match=r"too (large|much) for float32"):
            FarthestFirstSelector(2, metric=metric, random_state=0).fit(X)


def test_powers_of_whole_numbers():
    X = np.array([[0, 0], [255, 255], [1, 2]], np.uint8)
    params = {"p": 150}
    with pytest.raises(ValueError, match="whose powers are too large for float64"):
        FarthestFirstSelector(1, metric="minkowski", metric_params=params).fit(X)
    FarthestFirstSelector(1, metric="minkowski", metric_params={"p": 20}).fit(X)


def test_positions_too_far_apart():
    selector = FarthestFirstSelector(1, metric="wasserstein_1d", metric_params={"positions": [0, 1e39]})
    with pytest.raises(ValueError, match=r"positions from 0 to 1e\+39, which are too far apart for float32"):
        selector.fit(np.eye(2, dtype=np.float32))
