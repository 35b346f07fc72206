"""Which objects and labels are taken for those of fit."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from protopick import KCentersSelector, Ragged, RandomSelector, SwapSelector, weighted_sum
from protopick.report.fitted import read

VECTORS = list(np.random.default_rng(0).random((20, 3)))
ONE_COLUMN = {
    "arrays": VECTORS,
    "arrays of several lengths": [np.arange(float(i)) for i in range(20)],
    "arrays with gaps": [np.array([i, np.nan]) for i in range(20)],
    "lists of arrays": [[np.arange(i), np.zeros(2)] for i in range(20)],
    "lists": [[i, None, "x"] for i in range(20)],
    "lists with gaps": [[float(i), float("nan")] for i in range(20)],
    "sets": [{i, "x"} for i in range(20)],
    "dictionaries": [{"at": float("nan"), "values": np.arange(i)} for i in range(20)],
    "frames": [pd.DataFrame({"a": range(i)}) for i in range(20)],
    "gaps": [None, float("nan"), pd.NA, "x"] * 5,
}


def with_names(column):
    return pd.DataFrame({"name": list("abcd") * 5, "other": pd.Series(column, dtype=object)})


def by_name(X):
    return SwapSelector(3, metric=weighted_sum({"name": ("levenshtein", 1)}), random_state=0).fit(X)


@pytest.mark.parametrize("kind", ONE_COLUMN)
def test_a_column_may_hold_anything(kind):
    X = with_names(ONE_COLUMN[kind])
    assert read(by_name(X), X).n == 20
    assert read(by_name(X), pickle.loads(pickle.dumps(X))).n == 20


@pytest.mark.parametrize("kind", [kind for kind in ONE_COLUMN if kind not in ("frames", "gaps")])
def test_other_values_in_a_column_are_refused(kind):
    X = with_names(ONE_COLUMN[kind])
    other = with_names(ONE_COLUMN[kind][::-1])
    with pytest.raises(ValueError, match="not those that SwapSelector was fitted to"):
        read(by_name(X), other)


@pytest.mark.parametrize("metric", ["dtw", "euclidean"])
def test_a_column_of_arrays_may_be_compared(metric):
    X = with_names(VECTORS)
    selector = RandomSelector(3, metric=weighted_sum({"other": (metric, 1)}), random_state=0).fit(X)
    assert read(selector, X).n == 20


def test_a_column_of_lists_may_be_of_polars():
    X = pl.DataFrame({"name": list("abcd") * 5, "other": [[float(i), float("nan")] for i in range(20)]})
    assert read(by_name(X), X).n == 20


class Known:
    """Equals itself only."""

    def __init__(self, value):
        self.value = value


def test_objects_that_equal_themselves_only_are_taken_for_the_same():
    X = with_names([Known(i) for i in range(20)])
    assert read(by_name(X), pickle.loads(pickle.dumps(X))).n == 20


@pytest.mark.parametrize(
    ("metric", "X", "other"),
    [
        ("dtw", [np.arange(3.0), np.arange(5.0)], [np.arange(3.0), np.zeros(5)]),
        ("mdf", Ragged(np.eye(4, 3), [0, 2, 4]), Ragged(np.ones((4, 3)), [0, 2, 4])),
        ("jaccard", [{"a"}, {"b"}], [{"a"}, {"c"}]),
        ("levenshtein", np.array(["a", "b"]), ["a", "c"]),
    ],
)
def test_other_objects_of_any_kind_are_refused(metric, X, other):
    selector = RandomSelector(2, metric=metric, random_state=0).fit(X)
    assert read(selector, X).n == 2
    with pytest.raises(ValueError, match="not those that RandomSelector was fitted to"):
        read(selector, other)


X = np.arange(6.0)[:, None]


@pytest.mark.parametrize(
    "y",
    [
        list("aaabbb"),
        [1, 1, 1, 2, 2, 2],
        np.array([1.5, 1.5, 1.5, 2, 2, 2]).astype(str),
        np.array(["2024-01-01", "2024-02-01"], "datetime64[ns]").repeat(3),
        [b"a", b"a", b"a", b"b", b"b", b"b"],
        [True, True, True, False, False, False],
    ],
)
def test_other_labels_than_those_fitted_are_refused(y):
    selector = KCentersSelector(2, random_state=0).fit(X, y)
    assert read(selector, X, y).classes == read(selector, X, pd.Series(y)).classes
    with pytest.raises(ValueError, match=r"y has the label .* KCentersSelector was fitted to had .* same y"):
        read(selector, X, y[::-1])


def test_labels_may_be_given_later():
    assert read(KCentersSelector(2, random_state=0).fit(X), X, list("aaabbb")).classes == ["a", "b"]
