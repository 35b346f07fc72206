"""Gower's dissimilarity: by the definition, with gaps, on every kind of table."""

import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from protopick import FarthestFirstSelector, GeneticSelector, RandomSelector, nearest_neighbor
from protopick.dissimilarity import resolve
from protopick.objects import checked


def block(A, B, params=None):
    metric = resolve("gower", params)
    A, B = (checked(X, takes=metric.takes, allows_nan=False) for X in (A, B))
    metric = metric.fit(A)
    out = np.full((len(B), len(A)), np.nan, metric.dtype)
    metric.block(metric.encode(A), metric.encode(B), out, np.arange(len(B)), 0)
    return out.T


def definition(rows, categorical, weights):
    """Gower's sum over the columns that both rows know, pair by pair."""
    columns = list(zip(*rows, strict=True))
    spans = []
    for f, column in enumerate(columns):
        known = [v for v in column if v is not None]
        spans.append(None if f in categorical or not known else max(known) - min(known))
    D = np.empty((len(rows), len(rows)))
    for i, x in enumerate(rows):
        for j, y in enumerate(rows):
            total = known = 0.0
            for p, q, span, w in zip(x, y, spans, weights, strict=True):
                if p is None or q is None:
                    continue
                known += w
                total += w * (abs(p - q) / span if span else float(p != q))
            D[i, j] = total / known if known else 1.0
    return D


cells = st.one_of(st.none(), st.integers(0, 4).map(float))
tables = st.integers(1, 8).flatmap(
    lambda d: st.lists(
        st.lists(cells, min_size=d, max_size=d).filter(lambda row: any(v is not None for v in row)),
        min_size=1,
        max_size=7,
    )
)


@given(rows=tables, data=st.data())
@settings(deadline=None)
def test_by_the_definition(rows, data):
    d = len(rows[0])
    categorical = data.draw(st.sets(st.integers(0, d - 1)))
    weights = data.draw(st.lists(st.integers(1, 3), min_size=d, max_size=d))
    found = block(rows, rows, {"categorical": categorical, "weights": weights})
    np.testing.assert_allclose(found, definition(rows, categorical, weights), rtol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()
    for dtype in (np.float32, np.float64):
        array = np.array(rows, dtype)
        again = block(array, array, {"categorical": sorted(categorical), "weights": weights})
        assert again.dtype == dtype
        np.testing.assert_allclose(again, found, rtol=1e-5)
        np.testing.assert_array_equal(
            block(array, array[:1], {"categorical": categorical, "weights": weights}), again[:, :1]
        )


AGES = [30, 41, 25, 60, 33, None, 47, 52]
EYES = ["blue", "brown", "blue", None, "green", "brown", "green", "blue"]
SINCE = [date(2020, 1, 1 + i) for i in range(8)]
SMOKES = [True, False, None, True, False, False, True, True]
ROWS = [[a, e, s.toordinal(), m] for a, e, s, m in zip(AGES, EYES, SINCE, SMOKES, strict=True)]
WANTED = definition(ROWS, {1, 3}, [1, 1, 1, 1])
COLUMNS = {"age": AGES, "eyes": EYES, "since": SINCE, "smokes": SMOKES}


def in_pandas(**changes):
    frame = pd.DataFrame(COLUMNS)
    return frame.astype({"since": "datetime64[ns]"} | changes)


FRAMES = {
    "pandas": in_pandas,
    "pandas categories": lambda: in_pandas(eyes="category"),
    "pandas nullable": lambda: in_pandas(age="Int64", smokes="boolean", eyes="string"),
    "pandas by Arrow": lambda: in_pandas(
        age="int64[pyarrow]", smokes="bool[pyarrow]", eyes="string[pyarrow]"
    ),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("eyes").cast(pl.Categorical)),
    "Arrow": lambda: pa.table(COLUMNS),
    "a batch of Arrow's": lambda: pa.RecordBatch.from_pydict(COLUMNS),
    "list of rows": lambda: ROWS,
    "object array": lambda: np.array(ROWS, object),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_table(kind):
    X = FRAMES[kind]()
    np.testing.assert_allclose(block(X, X), WANTED, rtol=1e-12)
    selector = FarthestFirstSelector(3, metric="gower", random_state=0).fit(X)
    selector = pickle.loads(pickle.dumps(selector))
    if not kind.startswith("list"):
        assert type(selector.prototypes_) is type(X)
    np.testing.assert_allclose(selector.transform(X), WANTED[:, selector.prototype_indices_], rtol=1e-12)
    assert selector.n_features_in_ == 4
    if "array" not in kind and "list" not in kind:
        assert selector.feature_names_in_.tolist() == list(COLUMNS)


@pytest.mark.parametrize("kind", ["pandas", "polars", "object array"])
def test_pipeline_and_grid_search(kind):
    X = FRAMES[kind]()
    X = (
        pd.concat([X] * 4)
        if kind == "pandas"
        else pl.concat([X] * 4)
        if kind == "polars"
        else np.concatenate([X] * 4)
    )
    y = np.arange(32) % 2
    selector = GeneticSelector(2, criterion="label-match", metric="gower", random_state=0)
    pipeline = make_pipeline(selector.set_output(transform="pandas"), nearest_neighbor())
    grid = GridSearchCV(pipeline, {"geneticselector__n_prototypes": [2, 3]}, cv=2).fit(X, y)
    assert len(grid.predict(X)) == 32


def test_new_categories_and_numbers_out_of_range():
    fitted = RandomSelector(2, metric="gower", fixed=[0, 1]).fit(
        pd.DataFrame({"a": [0.0, 2.0], "b": ["x", "y"]})
    )
    space = fitted.transform(pd.DataFrame({"a": [4.0, 1.0], "b": ["z", None]}))
    np.testing.assert_allclose(space, [[1.5, 1.0], [0.5, 0.5]])


def test_a_constant_column_counts_by_match():
    fitted = RandomSelector(1, metric="gower", fixed=[0]).fit(np.array([[1.0, 7.0], [2.0, 7.0]]))
    np.testing.assert_allclose(fitted.transform(np.array([[1.0, 7.0], [1.0, 8.0]])), [[0.0], [0.5]])


def test_rows_that_share_nothing_are_at_one_and_blank_rows_are_refused():
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [0.0, 0.0]])
    assert block(X, X)[0, 1] == 1
    with pytest.raises(ValueError, match=r"no known value in row 1.*Drop"):
        RandomSelector(1, metric="gower").fit(np.array([[1.0], [np.nan]]))
    many = np.ones((70_000, 1))
    many[66_666] = np.nan
    with pytest.raises(ValueError, match="no known value in row 66666"):
        RandomSelector(1, metric="gower").fit(np.array([[1.0], [2.0]])).transform(many)


EAST = timezone(timedelta(hours=2))
VALUES = {
    "numbers": ([1, 2.5, None, 9], [0, 0.1875, np.nan, 1]),
    "decimals": ([Decimal(1), Decimal("2.5"), None, Decimal(9)], [0, 0.1875, np.nan, 1]),
    "dates": ([date(2020, 1, 1), date(2020, 1, 2), None, date(2020, 1, 11)], [0, 0.1, np.nan, 1]),
    "spans": ([timedelta(1), timedelta(3), None, timedelta(11)], [0, 0.2, np.nan, 1]),
    "times with a zone": (
        [
            datetime(2020, 1, 1, tzinfo=EAST),
            datetime(2020, 1, 2, tzinfo=EAST),
            None,
            datetime(2020, 1, 11, tzinfo=EAST),
        ],
        [0, 0.1, np.nan, 1],
    ),
    "times of the day": ([time(8), time(9, 30), None, time(14)], [0, 0.25, np.nan, 1]),
    "text": (["a", "b", None, "b"], [0, 1, np.nan, 1]),
    "flags": ([True, False, None, False], [0, 1, np.nan, 1]),
}


OBJECTS = {  # that pandas alone holds as they are
    "times of NumPy": [np.datetime64("2020-01-01"), np.datetime64("2020-01-02"), None, date(2020, 1, 11)],
    "spans of NumPy": [np.timedelta64(1, "D"), np.timedelta64(2, "D"), None, timedelta(11)],
    "periods": [pd.Period("2020-01-01"), pd.Period("2020-01-02"), None, pd.Period("2020-01-11")],
}
CONTAINERS = {
    "rows": lambda values: [[value, 0] for value in values],
    "array": lambda values: np.array([[value, 0] for value in values], object),
    "pandas": lambda values: pd.DataFrame({"v": pd.Series(values, dtype=object), "w": 0}),
    "pandas by Arrow": lambda values: pd.DataFrame(
        {"v": pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type)), "w": 0}
    ),
    "polars": lambda values: pl.DataFrame({"v": values, "w": [0] * len(values)}, strict=False),
    "Arrow": lambda values: pa.table({"v": values, "w": [0] * len(values)}),
}


def assert_differences(X, expected):
    """The first row differs from the others by this in one column, and in the other by nothing."""
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(X)
    half = np.array(expected) / 2
    np.testing.assert_allclose(selector.transform(X).ravel(), np.nan_to_num(half), rtol=1e-6)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("container", CONTAINERS)
def test_values_count_as_what_they_are_whatever_holds_them(kind, container):
    assert_differences(CONTAINERS[container](VALUES[kind][0]), VALUES[kind][1])


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("container", ["rows", "array", "pandas"])
def test_times_of_numpy_and_periods_count_as_times(kind, container):
    assert_differences(CONTAINERS[container](OBJECTS[kind]), [0, 0.1, np.nan, 1])


def test_a_column_of_periods():
    days = pd.PeriodIndex(["2020-01-01", "2020-01-02", None, "2020-01-11"], freq="D")
    assert_differences(pd.DataFrame({"v": days, "w": 0}), [0, 0.1, np.nan, 1])


IDS = [1234567890123456789, 1234567890123456790, 5, 1234567890123456789]


def in_rows(ids):
    return [[None if one is None else np.int64(one), 0] for one in ids]


@pytest.mark.parametrize("last", [7, None])
@pytest.mark.parametrize(
    "make",
    [
        CONTAINERS["rows"],
        in_rows,
        CONTAINERS["pandas"],
        lambda ids: pd.DataFrame({"v": pd.array(ids, dtype="Int64"), "w": 0}),
        CONTAINERS["pandas by Arrow"],
        CONTAINERS["polars"],
        lambda ids: pl.DataFrame({"v": pl.Series(ids, dtype=pl.Decimal(20, 0)), "w": [0] * len(ids)}),
        CONTAINERS["Arrow"],
    ],
    ids=["rows", "NumPy's", "objects", "pandas", "pandas by Arrow", "polars", "decimals", "Arrow"],
)
def test_large_categories_are_compared_exactly(make, last):
    X = make([*IDS, last])
    found = block(X, X, {"categorical": [True, False]})
    wanted = [[0, 0.5, 0.5, 0], [0.5, 0, 0.5, 0.5], [0.5, 0.5, 0, 0.5], [0, 0.5, 0.5, 0]]
    np.testing.assert_array_equal(found[:4, :4], wanted)


def test_a_large_category_does_not_depend_on_gaps_in_other_rows():
    whole = pd.DataFrame({"id": pd.array(IDS, dtype="Int64"), "x": [1, 2, 3, 4]})
    gap = whole.copy()
    gap.loc[2, "id"] = pd.NA
    for X in (whole, gap):
        selector = RandomSelector(1, metric="gower", metric_params={"categorical": ["id"]}, fixed=[0]).fit(X)
        for Z in (whole, gap):
            np.testing.assert_allclose(selector.transform(Z)[[0, 1, 3], 0], [0, 2 / 3, 1 / 2])


def test_large_numbers_have_a_range():
    X = [[10**18, "a"], [10**18 + 2 * 10**17 + 1, "a"], [2 * 10**18, "b"], [None, "b"]]
    np.testing.assert_allclose(block(X, X)[0], [0, 0.1, 1, 1], rtol=1e-12)
    with pytest.raises(ValueError, match="Column 0 of X contains infinity in row 1"):
        block([[10**18 + 1], [float("inf")]], [[1]])


KINDS = {
    "numbers": [1.0, 2.0],
    "times": [date(2020, 1, 1), date(2020, 1, 2)],
    "times with a zone": [datetime(2020, 1, 1, tzinfo=EAST), datetime(2020, 1, 2, tzinfo=EAST)],
    "spans of time": [timedelta(1), timedelta(2)],
    "times of the day": [time(1), time(2)],
}


@pytest.mark.parametrize("container", ["rows", "pandas", "polars"])
@pytest.mark.parametrize("fitted", KINDS)
def test_times_of_another_kind_are_refused(fitted, container):
    first = KINDS[fitted][0]
    for now, values in KINDS.items():
        if now == fitted:
            continue
        selector = RandomSelector(1, metric="gower").fit(CONTAINERS[container](KINDS[fitted]))
        with pytest.raises(ValueError, match=f"was fitted as {fitted}, but holds {now} now. Pass {fitted}"):
            selector.transform(CONTAINERS[container](values))
        selector = RandomSelector(1, metric="gower").fit(CONTAINERS[container]([first, first]))
        with pytest.raises(ValueError, match=f"to categories of type {fitted}, but holds {now} now"):
            selector.transform(CONTAINERS[container](values))


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("container", ["rows", "pandas", "polars"])
def test_a_column_without_any_value_is_of_no_kind(kind, container):
    selector = RandomSelector(1, metric="gower", fixed=[0]).fit(CONTAINERS[container](VALUES[kind][0]))
    assert selector.transform(CONTAINERS[container]([None, None])).ravel().tolist() == [0, 0]


def test_dates_of_arrow_in_pandas_may_be_missing():
    days = [None, date(2020, 1, 1), date(2020, 1, 5), date(2020, 1, 3)]
    frame = pd.DataFrame({"day": pd.Series(days, dtype=pd.ArrowDtype(pa.date32())), "x": [1, 2, 3, 2]})
    np.testing.assert_allclose(block(frame, frame)[1], [0.5, 0, 0.75, 0.25])


def test_categories_of_a_frame_stay_categories():
    frame = pd.DataFrame({"v": pd.Categorical([1, 2, 9])})
    assert RandomSelector(1, metric="gower", fixed=[0]).fit_transform(frame).ravel().tolist() == [0, 1, 1]


def test_a_row_known_only_where_the_weight_is_zero_is_blank():
    with pytest.raises(ValueError, match="no known value in row 1"):
        block(np.array([[1.0, 1.0], [2.0, np.nan]]), np.array([[1.0, 1.0]]), {"weights": [0, 1]})


def test_large_codes_of_categories_do_not_collide_in_float32():
    X = np.array([[16777216, 0], [16777217, 1]], np.int64)
    assert block(X, X, {"categorical": [0]})[0, 1] == 1


@pytest.mark.parametrize(
    ("params", "word"),
    [
        (
            {"categorical": ["colour"]},
            "categorical with 'colour', but X has no such column. Its columns are 'age'",
        ),
        ({"categorical": "eyes"}, "needs a list of columns"),
        ({"weights": [1, 2]}, "2 weights, but X has 4 columns"),
        (
            {"weights": {"colour": 2}},
            "weights with 'colour', but X has no such column. Its columns are 'age'",
        ),
        ({"weights": pd.Series({"colour": 2})}, "weights with 'colour', but X has no such column"),
        ({"weights": pd.Series([1, 2], ["age", "age"])}, r"weights with the labels \['age', 'age'\], one of"),
        ({"weights": pd.Series([1, 2])}, "2 weights, but X has 4 columns"),
        ({"categorical": pd.Series({"colour": True})}, "categorical with 'colour', but X has no such column"),
        ({"weights": {"age": -1}}, "numbers of 0 or more"),
        ({"weights": [0, 0, 0, 0]}, "not all 0"),
    ],
)
def test_wrong_parameters_are_refused(params, word):
    with pytest.raises(ValueError, match=word):
        RandomSelector(1, metric="gower", metric_params=params).fit(in_pandas())


@pytest.mark.parametrize(
    ("X", "word"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), "Column 'a' of X contains infinity in row 1"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [[1], [2]]}), "Column 'b' of X holds a list in row 0"),
        ([[1, "a"], [2]], r"X\[1\] has 1 values, but X\[0\] has 2"),
        (["ab", "cd"], r"X\[0\] is of type str"),
        ([{"a": 1}, {"a": 2}], r"X\[0\] is of type dict"),
        (np.zeros((0, 2)), "0 sample"),
    ],
)
def test_what_is_no_table_is_refused(X, word):
    with pytest.raises((TypeError, ValueError), match=word):
        RandomSelector(1, metric="gower").fit(X)


def test_other_columns_than_fitted_are_refused():
    fitted = RandomSelector(1, metric="gower").fit(in_pandas())
    with pytest.raises(ValueError, match="was fitted to 4"):
        fitted.transform(in_pandas()[["age", "eyes"]])
    with pytest.raises(ValueError, match="same columns in the same order"):
        fitted.transform(in_pandas()[["eyes", "age", "since", "smokes"]])
    with pytest.raises(ValueError, match="Column 'age' of X was fitted as numbers"):
        fitted.transform(in_pandas(age="string").fillna({"age": "old"}))


def test_categorical_columns_as_a_mask_or_by_names_and_numbers():
    X = np.array([[1.0, 5.0, 2.0], [2.0, 7.0, 2.5], [4.0, 6.0, 9.0]])
    wanted = block(X, X, {"categorical": [0, 2]})
    for same in (np.array([0, 2]), [True, False, True], np.array([True, False, True]), {0, 2}):
        np.testing.assert_array_equal(block(X, X, {"categorical": same}), wanted)
    frame = pd.DataFrame(X, columns=["a", 1, "c"], dtype=float)
    frame.columns = frame.columns.astype(str)
    np.testing.assert_array_equal(block(frame, frame, {"categorical": ["a", "c"]}), wanted)
    with pytest.raises(ValueError, match="a mask categorical of 2 columns, but X has 3"):
        block(X, X, {"categorical": [True, False]})


LETTERS = pd.DataFrame({"a": [0.0, 1, 0], "b": [0.0, 0, 1]})


@pytest.mark.parametrize(
    ("weights", "X"),
    [
        (pd.Series({"b": 9, "a": 1}), LETTERS),
        (pd.Series({"b": 9.0}), LETTERS),
        (pd.Series([1, 9]), LETTERS),
        (pd.Series([9, 1], index=[1, 0]), LETTERS.to_numpy()),
        (pd.Series([1, 9]), LETTERS.to_numpy()),
        (pd.Series([9, 1]), LETTERS.set_axis([1, 0], axis=1)),
        (pl.Series([1, 9]), LETTERS),
    ],
    ids=["labels", "some", "counted", "labels of an array", "an array", "numbers as names", "polars"],
)
def test_a_series_of_weights_goes_by_its_labels(weights, X):
    np.testing.assert_allclose(block(X, X, {"weights": weights})[0], [0, 0.1, 0.9])


@pytest.mark.parametrize("flags", [{"b": True, "a": False}, {"b": True}, {"a": False, "b": True}])
def test_a_series_of_booleans_goes_by_its_labels(flags):
    X = pd.DataFrame({"a": [0.0, 1, 4], "b": [0.0, 1, 4]})
    found = block(X, X, {"categorical": pd.Series(flags)})
    np.testing.assert_array_equal(found, block(X, X, {"categorical": ["b"]}))
    np.testing.assert_array_equal(found, block(X, X, {"categorical": pd.Series([False, True])}))
    np.testing.assert_array_equal(found, block(X, X, {"categorical": pd.Series(["b"])}))


AWARE, NAIVE = pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-01")
STRAYS = {
    "text among numbers": ([20, 30, "?", 50, 60.0], r"numbers, but '\?' of type str in row 2"),
    "a gap before": ([None, 20, "?", "??"], r"numbers, but '\?' of type str in row 2"),
    "numbers among text": (["a", None, 3.5], "numbers, but 'a' of type str in row 0"),
    "true among numbers": ([0, 2, True], "numbers, but True of type bool in row 2"),
    "text among times": ([date(2020, 1, 1), "soon"], "times, but 'soon' of type str in row 1"),
    "times with and without zones": ([NAIVE, AWARE], "times, but Timestamp.* in row 1"),
}


@pytest.mark.parametrize("kind", STRAYS)
@pytest.mark.parametrize("container", ["rows", "array", "pandas"])
def test_a_value_that_makes_categories_of_numbers_is_warned_of(kind, container):
    values, told = STRAYS[kind]
    X = CONTAINERS[container](values)
    name = "v" if container == "pandas" else 0
    selector = RandomSelector(1, metric="gower")
    with pytest.warns(
        UserWarning, match=f"^Column {name!r} of X holds {told}.*'categorical': \\[{name!r}\\]"
    ):
        selector.fit(X)
    selector.set_params(metric_params={"categorical": [name]}).fit(X)  # warnings are errors
    selector.set_params(metric_params={"weights": {name: 0}}).fit(X)


def test_one_warning_names_all_such_columns():
    X = pd.DataFrame({"a": [1, "?"], "b": ["-", 2], "c": ["x", "y"]})
    with pytest.warns(UserWarning, match=r"'a' of X .* Column 'b' of X .*\['a', 'b'\]") as told:
        RandomSelector(1, metric="gower").fit(X)
    assert len(told) == 1


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a", 1.5], ["b", 2.5]]),
        [["1"], ["2"], ["10"]],
        [[True, 0], [None, 1], [False, 1]],
        pd.DataFrame({"v": pd.Categorical([1, "?", 2])}),
        pd.DataFrame({"v": [10**18 + 1, 0.5, Decimal(3), None], "w": 0}, dtype=object),
    ],
    ids=["an array of text", "digits", "flags", "declared categories", "numbers"],
)
def test_columns_of_one_kind_are_not_warned_of(X):
    RandomSelector(1, metric="gower").fit(X)


@pytest.mark.parametrize("value", [["x"], {"x": 1}, (["x"],)], ids=["list", "dict", "a list in a tuple"])
def test_a_new_value_that_is_no_category_is_told_with_its_row(value):
    selector = RandomSelector(1, metric="gower").fit(pd.DataFrame({"a": ["x", "y"]}))
    many = pd.DataFrame({"a": ["x"] * 70_000}, dtype=object)
    many.iat[66_666, 0] = value
    kind = type(value).__name__
    with pytest.raises(
        TypeError, match=f"Column 'a' of X holds a {kind} in row 66666, which is neither a number"
    ):
        selector.transform(many)
    with pytest.raises(TypeError, match=f"Column 'a' of X holds a {kind} in row 66666"):
        selector.fit(many)


def test_weight_zero_is_left_out():
    X = in_pandas()
    without = block(X[["age", "since"]], X[["age", "since"]])
    found = block(X, X, {"weights": {"eyes": 0, "smokes": 0}})
    np.testing.assert_allclose(found[[0, 1, 2]][:, [0, 1, 2]], without[[0, 1, 2]][:, [0, 1, 2]], rtol=1e-12)


def test_kddcup(real_data):
    data = real_data("kddcup99_10pct.npz")
    X, y = data["X"][::50], data["y"][::50]
    selector = GeneticSelector(20, criterion="label-match", metric="gower", n_pivots=64, random_state=0)
    selector.set_params(metric_params={"categorical": data["categorical_columns"]}).fit(X, y)
    some = X[:30].astype(float)
    spans = np.ptp(X.astype(float), axis=0)
    terms = np.abs(some[:, None] - selector.prototypes_[None].astype(float)) / np.where(spans > 0, spans, 1)
    categorical = data["categorical_columns"]
    terms[:, :, categorical] = some[:, None, categorical] != selector.prototypes_[None][:, :, categorical]
    np.testing.assert_allclose(selector.transform(X[:30]), terms.mean(axis=2), rtol=1e-4, atol=1e-6)
