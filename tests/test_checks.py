import numpy as np
import pandas as pd
import polars as pl
import pytest

from protopick import SwapSelector, checks

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
