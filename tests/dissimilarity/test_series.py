"""DTW and resampled series: the textbook's values, ragged or not, and the same in any company."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from dtaidistance import dtw, dtw_ndim
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    Ragged,
    RandomSelector,
)
from protopick.dissimilarity import resolve
from protopick.objects import checked

whole = st.integers(-3, 3).map(float)
lists_of_series = st.lists(st.lists(whole, min_size=1, max_size=9), min_size=1, max_size=6)


def block(A, B, name, params=None):
    metric = resolve(name, params)
    A, B = (checked(X, takes=metric.takes, allows_nan=False) for X in (A, B))
    metric = metric.fit(A)
    out = np.full((len(B), len(A)), np.nan, metric.dtype)
    metric.block(metric.encode(A), metric.encode(B), out, np.arange(len(B)), 0)
    return metric.restore(out).T


def textbook(a, b, window=None):
    """The table of dynamic programming, cell by cell."""
    a, b = (np.asarray(s, float).reshape(len(s), -1) for s in (a, b))
    longer, shift = max(len(a), len(b)), len(b) - len(a)
    steps = longer if window is None else int(window * longer + 1e-9) if isinstance(window, float) else window
    best = np.full((len(a) + 1, len(b) + 1), np.inf)
    best[0, 0] = 0
    for i in range(len(a)):
        for j in range(len(b)):
            if min(0, shift) - steps <= j - i <= max(0, shift) + steps:
                cost = ((a[i] - b[j]) ** 2).sum()
                best[i + 1, j + 1] = cost + min(best[i, j], best[i, j + 1], best[i + 1, j])
    return np.sqrt(best[-1, -1])


@given(A=lists_of_series, B=lists_of_series, window=st.sampled_from([None, 0, 1, 3, 0.0, 0.1, 0.5]))
@settings(deadline=None)
def test_dtw_by_the_textbook(A, B, window):
    wanted = [[textbook(a, b, window) for b in B] for a in A]
    np.testing.assert_array_equal(block(A, B, "dtw", {"window": window}), wanted)


@given(A=st.lists(st.lists(st.tuples(whole, whole), min_size=1, max_size=6), min_size=1, max_size=5))
@settings(deadline=None)
def test_dtw_of_several_channels(A):
    wanted = [[textbook(a, b, 2) for b in A] for a in A]
    np.testing.assert_array_equal(block(A, A, "dtw", {"window": 2}), wanted)


def walks(n, low=5, high=60, channels=1, dtype=np.float64):
    rng = np.random.default_rng(0)
    return [
        np.cumsum(rng.normal(size=(s, channels)), axis=0).astype(dtype) for s in rng.integers(low, high, n)
    ]


@pytest.mark.parametrize("window", [10**9, 2**63 - 1, 2**70])
def test_a_window_longer_than_every_series_is_no_limit(window):
    rng = np.random.default_rng(0)
    A = [rng.normal(size=3 + i) for i in range(40)]
    np.testing.assert_array_equal(block(A, A, "dtw", {"window": window}), block(A, A, "dtw"))


@pytest.mark.parametrize("window", [None, 7])
def test_dtw_same_as_dtaidistance(window):
    A = [a[:, 0] for a in walks(50)]
    wanted = dtw.distance_matrix_fast(A, window=None if window is None else window + 1)
    np.testing.assert_allclose(block(A, A, "dtw", {"window": window}), wanted, rtol=1e-12)
    A = walks(20, channels=3)
    wanted = [
        [dtw_ndim.distance_fast(a, b, window=None if window is None else window + 1) for b in A] for a in A
    ]
    np.testing.assert_allclose(block(A, A, "dtw", {"window": window}), wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize(
    ("name", "params"), [("dtw", {"window": 0.1}), ("dtw", {}), ("resampled_euclidean", {"n_points": 40})]
)
def test_a_value_does_not_depend_on_its_company(name, params, channels, dtype):
    A = walks(90, 20, 40, channels, dtype)
    together = block(A, A, name, params)
    assert together.dtype == dtype
    np.testing.assert_array_equal(together, together.T)
    assert (np.diag(together) == 0).all()
    np.testing.assert_array_equal(block(A[:1], A, name, params), together[:1])
    np.testing.assert_array_equal(block(A[3:80], A[7:9], name, params), together[3:80, 7:9])


def test_neighbours_of_another_length_do_not_change_the_last_bit():
    A, B = walks(40, 30, 31), walks(40, 25, 60)
    np.testing.assert_array_equal(
        block(A + B, A, "dtw", {"window": 0.2})[:40], block(A, A, "dtw", {"window": 0.2})
    )


def test_resampling_by_interpolation():
    A = [a[:, 0] for a in walks(12)]
    even = np.array([np.interp(np.linspace(0, 1, 25), np.linspace(0, 1, len(a)), a) for a in A])
    wanted = np.linalg.norm(even[:, None] - even[None], axis=2)
    np.testing.assert_allclose(
        block(A, A, "resampled_euclidean", {"n_points": 25}), wanted, rtol=1e-9, atol=1e-12
    )
    same = np.array([a[:5] for a in A])
    wanted = np.linalg.norm(same[:, None] - same[None], axis=2)
    np.testing.assert_allclose(block(same, same, "resampled_euclidean"), wanted, rtol=1e-12)
    assert block([[1.0], [1.0, 1.0, 1.0]], [[3.0, 3.0]], "resampled_euclidean", {"n_points": 4}).tolist() == [
        [4.0],
        [4.0],
    ]


def test_all_ways_to_pass_series_are_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12))
    wanted = FarthestFirstSelector(4, metric="dtw", random_state=0).fit(X)
    objects = np.empty(30, object)
    objects[:] = list(X)
    for other in (
        X[:, :, None],
        list(X),
        X.tolist(),
        tuple(X),
        objects,
        Ragged(X.ravel(), np.arange(31) * 12),
    ):
        selector = FarthestFirstSelector(4, metric="dtw", random_state=0).fit(other)
        np.testing.assert_array_equal(selector.prototype_indices_, wanted.prototype_indices_)
        np.testing.assert_array_equal(selector.transform(other), wanted.transform(X))
        assert type(selector.prototypes_) is type(other)


@pytest.mark.parametrize(
    ("X", "word"),
    [
        ([[1.0, 2.0], [1.0, np.nan]], r"X\[1\] contains NaN or infinity at its point 1"),
        ([[1.0, 2.0], [1.0, None]], r"X\[1\] has a missing value"),
        ([[1.0, 2.0], np.ma.array([1.0, 2.0], mask=[0, 1])], r"X\[1\] has a missing value"),
        ([[1.0, 2.0], nx.path_graph(3)], r"X\[1\] is of type Graph"),
        ([[1.0, 2.0], "text"], r"X\[1\] is of type str"),
        ([[1.0, 2.0], []], r"X\[1\] has no points"),
        ([[1.0, 2.0], None], r"X\[1\] is missing \(None\)"),
        (np.array([[1, 2], ["a", 2]], object), r"X\[1\] holds 'a' of type str"),
        (pd.DataFrame([[1, 2], [None, 3]], dtype="Int64"), r"X\[1\] has a missing value"),
        (pd.DataFrame({"x": [[1.0], [2.0], None]}), r"X\[2\] is missing \(None\)"),
        (pl.DataFrame({"x": [[1.0], [2.0], None]}), r"X\[2\] is missing \(None\)"),
        (pa.table({"x": [[1.0], [2.0], None]}), r"X\[2\] is missing \(None\)"),
        ([np.ones((3, 2)), np.ones((3, 1))], r"X\[1\] has 1 numbers a point, but X\[0\] has 2"),
        (np.array([[1.0, 2.0], [np.inf, 1.0]]), r"X\[1\] contains NaN or infinity at its point 0"),
    ],
)
def test_what_is_no_series_is_named_with_its_position(X, word):
    with pytest.raises((TypeError, ValueError), match=word):
        RandomSelector(1, metric="dtw").fit(X)


@pytest.mark.parametrize(
    "X",
    [
        [[1.0, 2.0], [1.0]],
        [pd.Series([1.0, 2.0]), pd.Series([1.0])],
        Ragged([1.0, 2.0, 3.0], [0, 1, 3]),
        pd.DataFrame({"x": [[1.0, 2.0], [1.0]]}),
        pl.DataFrame({"x": [[1.0, 2.0], [1.0]]}),
        pa.table({"x": [[1.0, 2.0], [1.0]]}),
    ],
    ids=["list", "list of Series", "Ragged", "pandas", "polars", "Arrow"],
)
def test_ragged_input_to_a_metric_of_vectors_says_so(X):
    with pytest.raises(ValueError, match=r"X is ragged.*equal length.*'dtw'"):
        RandomSelector(1).fit(X)


def test_other_channels_than_fitted_are_refused():
    fitted = RandomSelector(2, metric="dtw").fit(np.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match="fitted to points of 2 numbers, but X has points of 1"):
        fitted.transform(np.zeros((3, 4)))


@pytest.mark.parametrize("window", [-1, 1.5, -0.1, "wide", True])
def test_a_window_that_is_none(window):
    with pytest.raises(ValueError, match="window="):
        resolve("dtw", {"window": window})


@pytest.mark.parametrize("n_points", [0, 1, 2.5])
def test_a_number_of_points_that_is_none(n_points):
    with pytest.raises(ValueError, match="n_points="):
        resolve("resampled_euclidean", {"n_points": n_points})


SELECTORS = [
    RandomSelector(5),
    FarthestFirstSelector(5),
    KCentersSelector(5, n_pivots=16),
    ForwardSelector(5, candidates=range(0, 150, 5)),
    GeneticSelector(5, n_generations=3),
    GeneticSelector(5, criterion="label-match", n_pivots=16),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("name", ["ts_GunPoint", "ts_ECG5000", "ts_PLAID"])
def test_real_series(real_data, name, selector):
    data = real_data(f"{name}.npz")
    X = Ragged(data["points"], data["offsets"]) if "points" in data else data["X"]
    some = np.sort(np.random.default_rng(0).permutation(len(X))[:200])
    X, y = X[some], data["y"][some]
    selector.set_params(metric="dtw", metric_params={"window": 0.1}, random_state=0).fit(X, y)
    assert len(set(selector.prototype_indices_.tolist())) == 5
    space = selector.transform(X[:20])
    wanted = [[textbook(a[:, None], p[:, None], 0.1) for p in selector.prototypes_[:2]] for a in X[:2]]
    np.testing.assert_allclose(space[:2, :2], wanted, rtol=1e-4, atol=1e-3)
