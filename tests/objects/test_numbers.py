"""Rows of numbers: what is none is named by its place and type, and gaps are never silently taken."""

import ctypes
from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse

from protopick import FarthestFirstSelector, SwapSelector

FLAGS = {"a": [True, None, True], "b": [True, True, False]}
PAIRS = [[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]]


@pytest.mark.parametrize(
    "frame", [pl.DataFrame(FLAGS), pa.table(FLAGS), pd.DataFrame(FLAGS, dtype="boolean")]
)
@pytest.mark.parametrize("metric", ["jaccard", "euclidean", "hamming", "cosine"])
def test_a_gap_among_flags_is_refused(frame, metric):
    with pytest.raises(ValueError, match=r"NaN|no value"):
        SwapSelector(2, metric=metric).fit(frame)


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table, pd.DataFrame])
def test_flags_without_a_gap_are_numbers(frame):
    flags = frame({"a": [True, False, True], "b": [True, True, False]})
    found = FarthestFirstSelector(3, metric="jaccard", fixed=[0, 1, 2]).fit_transform(flags)
    np.testing.assert_array_equal(found, [[0, 0.5, 0.5], [0.5, 0, 1], [0.5, 1, 0]])


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1.0, 2.0], None], r"X\[1\] is missing \(None\)"),
        ([[1.0, 2.0], {1}], r"X\[1\] is \{1\} of type set"),
        ([{1}, {2}], r"X\[0\] is \{1\} of type set"),
        ([[1.0, 2.0], [1.0, "x"]], r"X\[1\] holds 'x' of type str at place 1"),
        ([[1.0, 2.0], [1.0, None]], r"X\[1\] has no value at place 1"),
        (np.array([[1, 2], [3, None]], object), r"X\[1\] has no value at place 1"),
        (np.array([[1, 2], [pd.NA, 3]], object), r"X\[1\] has no value at place 0"),
        (np.array([[1, "a"], [2, 3]], object), r"X\[0\] holds 'a' of type str at place 1"),
        (np.array([[1, 2], [2, 1j]], object), r"X\[1\] holds 1j of type complex at place 1"),
        (pd.DataFrame({"n": [1.0, 2.0], "s": ["1", "x"]}), r"Column 's' of X holds '1' of type str in row 0"),
        (pl.DataFrame({"n": [1.0, 2.0], "s": ["a", "x"]}), r"Column 's' of X holds 'a' of type str in row 0"),
    ],
)
def test_what_is_no_number_is_named(X, said):
    with pytest.raises((TypeError, ValueError), match=said):
        SwapSelector(1).fit(X)


@pytest.mark.parametrize("column", [pd.Series, pl.Series, pa.array])
def test_a_column_of_rows(column):
    selector = FarthestFirstSelector(2, fixed=[2, 0]).fit(column(PAIRS))
    assert type(selector.prototypes_) is type(column(PAIRS))
    np.testing.assert_allclose(selector.transform(PAIRS)[0], [np.hypot(8, 7), 0])
    with pytest.raises(ValueError, match=r"ragged \(X\[0\] has length 2, X\[1\] has length 3\)"):
        SwapSelector(1).fit(column([[1.0, 2.0], [1.0, 2.0, 3.0]]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_rows_in_the_only_column_of_a_table(frame):
    X = frame({"x": PAIRS})
    selector = FarthestFirstSelector(2, fixed=[2, 0]).fit(X)
    assert type(selector.prototypes_) is type(X)
    np.testing.assert_array_equal(selector.transform(X), selector.transform(PAIRS))


def test_sets_are_refused_by_what_was_fitted_to_rows():
    selector = FarthestFirstSelector(1, metric="jaccard").fit(np.eye(3) > 0)
    with pytest.raises(TypeError, match="X holds sets, but metric was fitted to rows"):
        selector.transform([{1}, {2}])


def test_a_mask_is_not_overlooked():
    with pytest.raises(ValueError, match="masked array"):
        SwapSelector(1).fit(np.ma.array(np.eye(3), mask=np.eye(3)))


def test_squares_beyond_single_precision(tmp_path):
    X = (np.random.default_rng(0).normal(size=(20_000, 3)) * 1e30).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    chunked = pytest.importorskip("dask.array").from_array(X, chunks=(7000, 3))
    for rows in (X, np.load(tmp_path / "X.npy", mmap_mode="r"), chunked):
        with (
            pytest.raises(ValueError, match="too large for float32"),
            sklearn.config_context(working_memory=0.1),
        ):
            SwapSelector(2).fit(rows)
    assert len(SwapSelector(2).fit(X[:20].astype(np.float64)).prototype_indices_) == 2


@pytest.mark.parametrize("criterion", ["coverage", "radius", "spanning-tree"])
def test_squares_beyond_single_precision_of_a_row_that_no_sample_has(criterion):
    X = np.random.default_rng(0).normal(size=(20_000, 3)).astype(np.float32)
    X[1] = 1e30
    selector = SwapSelector(2, criterion=criterion, max_candidates=20, random_state=0)
    if criterion == "coverage":
        with pytest.raises(ValueError, match="A dissimilarity is inf, which cannot be summed"):
            selector.fit(X)
    else:
        assert len(selector.fit(X).prototype_indices_) == 2


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]"])
def test_series_of_columns_that_may_have_gaps(dtype):
    frame = pd.DataFrame({"a": [1, 2], "b": [2, 3]}, dtype=dtype)
    assert SwapSelector(1, metric="dtw").fit(frame).transform(frame).min() == 0


def test_labels_that_are_missing():
    with pytest.raises(ValueError, match=r"y\[1\] is None"):
        SwapSelector(1).fit(np.eye(3), np.array(["a", None, "b"], object))


class TestGowerColumnsOfAnotherKind:
    people = pd.DataFrame({"zip": ["10", "20", "30"], "age": [1.0, 2.0, 3.0], "ok": [True, False, True]})

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("age", pd.to_datetime(["2020-01-01"] * 3)),
            ("age", [True, False, True]),
            ("age", ["1", "2", "3"]),
            ("zip", [10, 20, 30]),
            ("ok", ["True", "False", "True"]),
        ],
    )
    def test_are_refused(self, name, values):
        selector = FarthestFirstSelector(1, metric="gower").fit(self.people)
        with pytest.raises(ValueError, match=f"Column '{name}' of X was fitted"):
            selector.transform(self.people.assign(**{name: values}))

    def test_new_categories_and_gaps_are_not(self):
        selector = FarthestFirstSelector(1, metric="gower", fixed=[0]).fit(self.people)
        other = self.people.assign(zip=["10", "new", None], age=[1.0, np.nan, 9.0])
        found = selector.transform(other)[:, 0]
        np.testing.assert_allclose(found, [0, 1, 2])


DAYS = pd.to_datetime(["2020-01-01", "2020-01-03", None])


@pytest.mark.parametrize(
    "X",
    [pd.DataFrame({"day": DAYS}), pl.DataFrame({"day": DAYS}), pa.table({"day": DAYS})],
    ids=["pandas", "polars", "Arrow"],
)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "nan_euclidean", "jaccard"])
def test_times_are_no_numbers(X, metric):
    with pytest.raises(TypeError, match=r"Column 'day' of X holds times.*metric='gower'"):
        FarthestFirstSelector(1, metric=metric).fit(X)
    with pytest.raises(TypeError, match=r"X holds times \(datetime64"):
        FarthestFirstSelector(1, metric=metric).fit(DAYS.to_numpy()[:, None])


@pytest.mark.parametrize(
    ("X", "place"),
    [
        (np.array([[1.0, 2.0], [3.0, np.nan]]), r"NaN, first at X\[1, 1\]"),
        (pd.DataFrame({"a": [1.0, None], "b": [1, 2]}), "NaN, first at row 1, column 'a'"),
        (pl.DataFrame({"a": [1.0, 2.0], "b": [1, None]}), "NaN, first at row 1, column 'b'"),
        (np.array([[1.0, 2.0], [np.inf, np.nan]]), r"infinity, first at X\[1, 0\]"),
        (sparse.csr_array([[0, 2.0], [np.nan, np.inf]]), r"NaN, first at X\[1, 0\]"),
        (sparse.coo_array(([np.nan, np.inf], ([2, 1], [0, 1])), (3, 2)), r"infinity, first at X\[1, 1\]"),
    ],
)
def test_the_first_gap_is_named(X, place):
    with pytest.raises(ValueError, match=place):
        FarthestFirstSelector(1).fit(X)


class Graph:
    """Like networkx's: it has a length, and yields its nodes, which are numbers."""

    def __len__(self):
        return 3

    def __iter__(self):
        return iter(range(3))

    def __getitem__(self, node):
        return node


@pytest.mark.parametrize("metric", ["euclidean", "jaccard", "gower", "dtw", "cosine"])
def test_graphs_are_no_rows(metric):
    with pytest.raises(TypeError, match=r"X\[0\] is .*Graph"):
        FarthestFirstSelector(1, metric=metric).fit([Graph(), Graph()])


def test_any_sequence_of_numbers_is_a_row():
    rows = [range(3), deque([1, 2, 4]), (1, 2, 3), (ctypes.c_double * 3)(1, 2, 5)]
    for metric in ("euclidean", "gower", "dtw"):
        space = FarthestFirstSelector(1, metric=metric, fixed=[0]).fit_transform(rows)
        assert (space > 0).ravel().tolist() == [False, True, True, True]


def test_text_among_objects_is_no_number_of_a_series():
    for X in (np.array([["1", "2"], ["3", "4"]], object), [["1", "2"], ["3", "4"]]):
        with pytest.raises(TypeError, match=r"X\[0\] holds '1' of type str"):
            FarthestFirstSelector(1, metric="dtw").fit(X)
