"""Gower's dissimilarity of numbers and times: rounded by their range, not by their size."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick import RandomSelector, load, save

START = 1_700_000_000_000_000_000
STEPS = [0, 100, 200]
TIMES = np.array([START, START + 100, START + 200]).astype("datetime64[ns]")


def in_polars(times):
    return pl.Series(times.astype(int)).cast(pl.Datetime("ns")).to_frame("t")


DISTINCT = {
    "int64": np.array([[START + step] for step in STEPS]),
    "int64 below 0": np.array([[-START + step] for step in STEPS]),
    "uint64": np.array([[2**63 + step] for step in STEPS], np.uint64),
    "int64 from end to end": np.array([[-(2**63)], [0], [2**63 - 1]]),
    "rows": [[2**62 + step] for step in STEPS],
    "rows beyond int64": [[2**70 + step] for step in STEPS],
    "decimals": [[10**18 + Decimal(step) / 1000] for step in STEPS],
    "nullable": pd.DataFrame({"v": pd.array([START, START + 100, START + 200], dtype="UInt64")}),
    "polars Int128": pl.DataFrame({"v": pl.Series([START + step for step in STEPS], dtype=pl.Int128)}),
    "spans of pandas": pd.DataFrame({"v": pd.to_timedelta(STEPS, unit="ns")}),
    "times of pandas": pd.DataFrame({"v": TIMES}),
    "times of pandas with a zone": pd.DataFrame({"v": TIMES}).apply(lambda v: v.dt.tz_localize("UTC")),
    "times of pandas as objects": pd.DataFrame({"v": pd.Series(pd.Series(TIMES), dtype=object)}),
    "spans of pandas as objects": pd.DataFrame({"v": pd.to_timedelta(STEPS, unit="ns")}, dtype=object),
    "times of polars": in_polars(TIMES).rename({"t": "v"}),
    "times of Arrow": pa.table({"v": pa.array(TIMES)}),
    "times of NumPy": TIMES[:, None],
    "times of NumPy in rows": [[one] for one in TIMES],
}


@pytest.mark.parametrize("kind", DISTINCT)
def test_close_numbers_of_any_size_differ_by_their_share_of_the_range(kind):
    X = DISTINCT[kind]
    selector = RandomSelector(3, metric="gower", fixed=[0, 1, 2]).fit(X)
    np.testing.assert_allclose(selector.transform(X), [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]], atol=1e-15)


whole = st.integers(-(2**64), 2**64) | st.integers(START, START + 1000)


@given(numbers=st.lists(whole, min_size=2, max_size=6), new=whole)
@settings(deadline=None)
def test_shares_are_those_of_exact_numbers(numbers, new):
    spread = max(numbers) - min(numbers)
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit([[one] for one in numbers])
    found = selector.transform([[one] for one in [*numbers, new]]).ravel()
    shares = [float(Fraction(abs(one - numbers[0]), spread or 1)) for one in [*numbers, new]]
    wanted = np.array(shares) if spread else (np.array(shares) > 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


GAPS = {
    "pandas": pd.DataFrame({"t": pd.Series(TIMES).where([True, True, False]), "x": 0}),
    "polars": in_polars(TIMES).with_columns(
        t=pl.when(pl.col("t") < pl.col("t").max()).then(pl.col("t")), x=pl.lit(0)
    ),
    "pandas' objects": pd.DataFrame({"t": pd.Series([*pd.Series(TIMES[:2]), None], dtype=object), "x": 0}),
}


@pytest.mark.parametrize("fitted", GAPS)
@pytest.mark.parametrize("new", GAPS)
def test_a_gap_does_not_round_the_times_beside_it(fitted, new):
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(GAPS[fitted])
    np.testing.assert_array_equal(selector.transform(GAPS[new]).ravel(), [0, 0.5, 0])


def in_unit(unit):
    return pd.DataFrame({"t": np.array(["2030-01-01", "2020-01-02", "3000-01-01"], f"datetime64[{unit}]")})


NEW = {
    **{unit: in_unit(unit) for unit in ("us", "ms", "s")},
    "polars": pl.DataFrame({"t": [datetime(2030, 1, 1), datetime(2020, 1, 2), datetime(3000, 1, 1)]}),
    "dates": pd.DataFrame({"t": [date(2030, 1, 1), date(2020, 1, 2), date(3000, 1, 1)]}),
}


@pytest.mark.parametrize("kind", NEW)
def test_new_times_may_be_in_another_unit_and_out_of_range(kind):
    days = pd.DataFrame({"t": pd.to_datetime(["2020-01-01", "2020-01-11"]).as_unit("ns")})
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(days)
    since = [(day - date(2020, 1, 1)).days for day in (date(2030, 1, 1), date(2020, 1, 2), date(3000, 1, 1))]
    np.testing.assert_allclose(selector.transform(NEW[kind]).ravel(), np.array(since) / 10, rtol=1e-15)


def test_new_numbers_may_be_of_another_type():
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(np.array([[START], [START + 200]]))
    for new in (np.array([[START + 100]], np.uint64), [[START + 100]], [[Decimal(START + 100)]]):
        assert selector.transform(new).item() == 0.5
    assert selector.transform(np.array([[float(START - 1024)]])).item() == 5.12
    of_floats = RandomSelector(1, metric="gower", fixed=[0]).fit(np.array([[0.5], [2.5]]))
    for new in (np.array([[2]]), np.array([[2]], np.int8), [[Decimal("2")]]):
        assert of_floats.transform(new).item() == 0.75


def test_years_that_nanoseconds_cannot_hold():
    days = [date(1, 1, 1), date(5000, 1, 1), date(9999, 12, 31)]
    share = (days[1] - days[0]) / (days[2] - days[0])
    for column in (days, [np.datetime64("0001-01-01T00:00:00.000000000", "us"), *days[1:]]):
        selector = RandomSelector(1, metric="gower", fixed=[0]).fit(pd.DataFrame({"t": column}, dtype=object))
        np.testing.assert_allclose(selector.transform(pd.DataFrame({"t": days})).ravel(), [0, share, 1])
    mixed = [[date(1, 1, 1)], [TIMES[0]], [date(9999, 12, 31)]]
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(mixed)
    np.testing.assert_allclose(selector.transform(mixed)[2], [1])
    assert 0.2 < selector.transform(mixed)[1].item() < 0.21


@pytest.mark.parametrize("kind", ["int64", "uint64", "rows", "times of pandas", "spans of pandas as objects"])
def test_a_saved_model_keeps_them_apart(kind, tmp_path):
    X = DISTINCT[kind]
    loaded = load(save(RandomSelector(1, metric="gower", fixed=[0]).fit(X), tmp_path / "model"))
    np.testing.assert_allclose(loaded.transform(X).ravel(), [0, 0.5, 1], atol=1e-15)


def test_a_very_small_range():
    X = np.array([[0.0], [5e-324], [5e-324]])
    selector = RandomSelector(3, metric="gower", fixed=[0, 1, 2]).fit(X)
    np.testing.assert_array_equal(selector.transform(X), [[0, 1, 1], [1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    "X", [np.array([[-1e308], [1e308], [0.0]]), [[-(10**308)], [10**308], [0]]], ids=["floats", "integers"]
)
def test_a_range_that_floats_cannot_hold_is_refused(X):
    with pytest.raises(ValueError, match=r"Column 0 of X has a range that is too large for float64. Divide"):
        RandomSelector(1, metric="gower").fit(X)


@pytest.mark.parametrize(("bits", "digits"), [(64, 307), (32, 37)])
def test_new_numbers_that_are_too_far_are_refused(bits, digits):
    dtype = f"float{bits}"
    selector = RandomSelector(1, metric="gower").fit(np.array([[0.0, 1.0], [0.01, 3.0]], dtype))
    with pytest.raises(
        ValueError, match=rf"Column 0 of X holds 3e\+{digits} in row 1, too far from .*float{bits}"
    ):
        selector.transform(np.array([[0.0, 1.0], [f"3e{digits}", 2.0]], dtype))


@pytest.mark.parametrize("factor", [1e-300, 1e-50, 1e40, 1e307])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_the_ratios_of_weights_matter(factor, dtype):
    X = np.array([[0, 1], [1, 2], [0.5, 7]], dtype)

    def space(weights):
        params = {"weights": weights}
        return RandomSelector(1, metric="gower", metric_params=params, fixed=[0]).fit_transform(X)

    np.testing.assert_allclose(space([2 * factor, 3 * factor]), space([2, 3]), rtol=1e-6)
