import numpy as np
import pandas as pd
import polars as pl
import pytest

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    SwapSelector,
    checks,
    describe,
    forecast,
    pick,
)

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "y",
    [
        rng.integers(-3, 5, 100),
        rng.choice([5, 9, 70_000], 200_000),
        np.r_[np.zeros(100_000, int), 3, 1],
        np.array([2, 2, 7], np.uint8),
        np.array([-128, 127], np.int8),
        np.array([2**63 - 1, 2**63 - 3]),
        np.array([-(2**62), 2**62, 0]),
        np.array([True, False]),
        np.array(["b", "a", "b"]),
        np.array([3.0, 1.0]),
    ],
    ids=lambda y: f"{y.dtype}, {y[:3].tolist()}",
)
def test_class_numbers_follow_the_order_of_the_labels_and_have_no_gaps(y):
    codes = checks.class_numbers(y)
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(codes, np.unique(y, return_inverse=True)[1])


@pytest.mark.parametrize(
    ("y", "gap"),
    [
        (np.array([1.0, 2.0, np.nan, 2.0], object), "nan"),
        (np.array([1.0, 2.0, np.nan, 2.0]), "nan"),
        ([1, 2, None, 2], "None"),
        (["a", "b", float("nan"), "a"], "nan"),
        (("a", "b", None, "a"), "None"),
        (np.array(["a", "b", np.nan, "a"], object), "nan"),
        (pd.Series(["a", "b", None, "a"], dtype="string"), "<NA>"),
        (pd.Categorical(["a", "b", None, "a"]), "nan"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-01"]), "NaT"),
        (np.array([1, 2, pd.NaT, 2], object), "NaT"),
        (np.array([1, "a", pd.NA, 2], object), "<NA>"),
        (pl.Series(["a", "b", None, "a"]), "None"),
        ([None] * 2 + ["a", "b"], "None"),
    ],
    ids=repr,
)
def test_a_label_that_is_missing_is_named(y, gap):
    place = 0 if isinstance(y, list) and y[0] is None else 2
    with pytest.raises(ValueError, match=rf"^y\[{place}\] is {gap}\. Drop objects without a label\.$"):
        SwapSelector(1).fit(np.eye(4), y)


@pytest.mark.parametrize("y", [np.array(["a", None, "b", "a"], object), np.array([1, 1, np.nan, 2])])
def test_a_missing_label_on_dask_is_named(y):
    from_array = pytest.importorskip("dask.array").from_array
    place = 1 if y.dtype == object else 2
    with pytest.raises(ValueError, match=rf"y\[{place}\] is (None|nan)\. Drop"):
        SwapSelector(1).fit(from_array(np.eye(4), chunks=(1, 4)), from_array(y, chunks=1))


def test_labels_of_several_types_in_a_list_are_text():
    assert checks.labels(["a", 1], 2).tolist() == ["a", "1"]


TEXT = np.asarray(["red", "green", "red", "blue"] * 10, dtype=np.dtypes.StringDType())


@pytest.mark.parametrize(
    "selector",
    [SwapSelector(3, criterion="label-match"), ForwardSelector(3), AutoSelector(3), SwapSelector(3)],
    ids=repr,
)
def test_labels_that_are_strings_of_any_length(selector):
    X = rng.normal(size=(40, 2))
    selector.set_params(random_state=0).fit(X, TEXT)
    expected = TEXT[selector.prototype_indices_].tolist()
    assert selector.prototype_labels_.tolist() == expected
    assert describe(X, y=TEXT).n_classes == 3


def test_a_gap_among_strings_of_any_length_is_named():
    y = np.array(["a", None, "b"], np.dtypes.StringDType(na_object=None))
    with pytest.raises(ValueError, match=r"^y\[1\] is None\. Drop"):
        SwapSelector(1).fit(np.eye(3), y)


@pytest.mark.parametrize("y", [3, "abc", {1, 2}, np.array(7)], ids=repr)
def test_labels_that_are_no_collection_are_shown(y):
    with pytest.raises(ValueError, match=r"^y=.* is no collection of labels, but X has 3 objects\. Pass one"):
        SwapSelector(1).fit(np.eye(3), y)


@pytest.mark.parametrize("k", [3, "auto", np.int64(3)])
def test_a_number_to_pick_in_the_place_of_labels_is_told(k):
    with pytest.raises(ValueError, match=r"say so: pick\(X, k=.*\)\.$"):
        pick(np.eye(9), k)


LONG = [[0.5] * 20] * 1000


@pytest.mark.parametrize(
    "call",
    [
        lambda: forecast(FarthestFirstSelector(2), np.array(LONG)),
        lambda: forecast(LONG, 100),
        lambda: describe(np.eye(9), sample=LONG),
        lambda: FarthestFirstSelector(LONG).fit(np.eye(9)),
        lambda: FarthestFirstSelector(2, random_state=LONG).fit(np.eye(9)),
        lambda: FarthestFirstSelector(2, verbose=LONG).fit(np.eye(9)),
        lambda: FarthestFirstSelector(2, pivot_code=LONG).fit(np.eye(9)),
        lambda: SwapSelector(2).fit(np.eye(9), "word " * 1000),
    ],
)
def test_a_long_value_is_shown_in_part(call):
    with pytest.raises(
        (TypeError, ValueError), match=r"=.*\.\.\..* is (not allowed|no collection)"
    ) as raised:
        call()
    assert len(str(raised.value)) < 400


def test_a_value_is_shown_on_one_line_with_both_ends():
    assert checks.shown("short") == "'short'"
    assert checks.shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
    found = checks.shown("x" * 1000)
    assert (len(found), found[:5], found[-5:]) == (80, "'xxxx", "x...'")
