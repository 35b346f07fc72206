"""Metrics made of others: sums over columns, functions of values, both directions."""

import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.spatial import distance
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from protopick import (
    FarthestFirstSelector,
    GeneticSelector,
    RandomSelector,
    batch_metric,
    nearest_neighbor,
    symmetrized,
    transformed,
    weighted_sum,
)
from protopick.dissimilarity import resolve

from .test_strings import edits

NAMES = ["anna", "anne", "bob", "rob", "robert", "carla", "carl", "karl", "dora", "doris"]
AGES = [30.0, 41.0, 25.0, 60.0, 33.0, 18.0, 47.0, 52.0, 70.0, 35.0]
COLUMNS = {"name": NAMES, "age": AGES, "unused": [None] * 10}
METRIC = weighted_sum({"name": ("levenshtein", 0.3), "age": ("euclidean", 0.7)})
WANTED = 0.3 * np.array([[edits(a, b) for b in NAMES] for a in NAMES]) + 0.7 * np.abs(
    np.subtract.outer(AGES, AGES)
)


def all_pairs(metric, X):
    """The whole matrix, by a selector that is given all objects."""
    n = len(X)
    return RandomSelector(n, metric=metric, fixed=range(n)).fit_transform(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "Arrow"])
def test_a_sum_over_columns(frame):
    X = frame(COLUMNS)
    np.testing.assert_allclose(all_pairs(METRIC, X), WANTED, rtol=1e-6)
    selector = FarthestFirstSelector(3, metric=METRIC, random_state=0).fit(X)
    assert type(selector.prototypes_) is type(X)
    selector = pickle.loads(pickle.dumps(selector))
    np.testing.assert_allclose(selector.transform(X), WANTED[:, selector.prototype_indices_], rtol=1e-6)


def test_columns_of_an_array_and_columns_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 4))
    metric = weighted_sum({(0, 2): ("euclidean", 2.0), 1: ("minkowski", 0.5, {"p": 3}), (1, 3): ("gower", 3)})
    spans = np.ptp(X, axis=0)
    wanted = 2 * distance.cdist(X[:, [0, 2]], X[:, [0, 2]]) + 0.5 * np.abs(
        np.subtract.outer(X[:, 1], X[:, 1])
    )
    wanted += 3 * distance.cdist(X[:, [1, 3]] / spans[[1, 3]], X[:, [1, 3]] / spans[[1, 3]], "cityblock") / 2
    np.testing.assert_allclose(all_pairs(metric, X), wanted, rtol=1e-9, atol=1e-12)


def test_numbers_in_a_column_of_objects():
    X = pd.DataFrame({"a": pd.Series([1, 4, True, 2.5], dtype=object)})
    wanted = np.abs(np.subtract.outer([1, 4, 1, 2.5], [1, 4, 1, 2.5]))
    np.testing.assert_array_equal(all_pairs(weighted_sum({"a": ("cityblock", 1)}), X), wanted)


def test_numbers_too_large_for_floats_are_compared_as_floats():
    large = 10**18 + 1
    for values in ([large, 5, 8], [Decimal(large), 5.0, Decimal(8)]):
        space = all_pairs(weighted_sum({0: ("cityblock", 1)}), [[value, "a"] for value in values])
        np.testing.assert_array_equal(space[0], [0, 1e18, 1e18])


SPANS = pd.to_timedelta([120, 480, 910], unit="ns")


@pytest.mark.parametrize("part", ["euclidean", lambda a, b: abs(a - b)], ids=["vectors", "objects"])
@pytest.mark.parametrize(
    "times",
    [SPANS, SPANS + pd.Timestamp("2020-01-01"), SPANS + pd.Timestamp("2020-01-01", tz="Asia/Tokyo")],
    ids=["spans", "times", "with a zone"],
)
def test_times_are_compared_in_microseconds_however_close(times, part):
    metric = weighted_sum({"t": (part, 1)})
    frame = pd.DataFrame({"t": times})
    assert frame["t"].dtype.kind in "mM"
    np.testing.assert_allclose(all_pairs(metric, frame)[0], [0, 0.36, 0.79], rtol=1e-12)
    selector = RandomSelector(1, metric=metric, fixed=[0]).fit(frame)
    earlier = pd.DataFrame({"t": times[:1] - pd.Timedelta(1, "h")})
    np.testing.assert_allclose(selector.transform(earlier), 3.6e9, rtol=1e-15)


def test_spans_are_counted_from_zero_and_times_from_the_earliest():
    X = pd.DataFrame(
        {"span": [timedelta(seconds=1)] * 2, "time": [datetime(2020, 1, 2), datetime(2020, 1, 1)]}
    )
    both = all_pairs(weighted_sum({"span": (lambda a, b: a, 1), "time": (lambda a, b: a, 1)}), X)
    np.testing.assert_array_equal(both[:, 0], [1e6 + 24 * 3.6e9, 1e6])


def test_wrong_parameters_of_a_part_are_told_with_its_column():
    X = pd.DataFrame({"a": [0.0, 1], "b": [0.0, 1]})
    with pytest.raises(ValueError, match="In column 'a' of X: metric_params has w of shape"):
        all_pairs(weighted_sum({"a": ("minkowski", 1, {"w": [1, 2]})}), X)
    with pytest.raises(ValueError, match=r"In column \('a', 'b'\) of X: metric_params has weights with 'c'"):
        all_pairs(weighted_sum({("a", "b"): ("gower", 1, {"weights": {"c": 2}})}), X)


@pytest.mark.parametrize("weight", [1e-50, 1e-30, 1e40, 1e90])
def test_weights_that_float32_cannot_hold(weight):
    metric = weighted_sum({"name": ("levenshtein", weight)})
    wanted = [[edits(a, b) for b in NAMES] for a in NAMES]
    np.testing.assert_allclose(all_pairs(metric, pd.DataFrame(COLUMNS)) / weight, wanted, rtol=1e-12)


def test_a_part_of_a_table_says_where_in_all_of_it_something_is():
    fitted = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})
    selector = RandomSelector(1, metric=weighted_sum({("a", "b"): ("gower", 1)})).fit(fitted)
    many = pd.DataFrame({"a": ["x"] * 70_000, "b": 1.0}).astype({"a": object})
    many.iat[66_666, 0] = ["x"]
    with pytest.raises(TypeError, match="Column 'a' of X holds a list in row 66666"):
        selector.transform(many)


KINDS = {
    "numbers": [1.0, 2.0],
    "times": [date(2020, 1, 1), date(2020, 1, 2)],
    "times with a zone": [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2)],
    "spans of time": [timedelta(1), timedelta(2)],
    "times of the day": [time(1), time(2)],
}


@pytest.mark.parametrize("part", [("euclidean", 1), ("gower", 1), (lambda a, b: abs(a - b), 1)])
@pytest.mark.parametrize("fitted", KINDS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_times_of_another_kind_are_refused(part, fitted, frame):
    selector = RandomSelector(1, metric=weighted_sum({"t": part})).fit(frame({"t": KINDS[fitted]}))
    for now, values in KINDS.items():
        if now == fitted:
            assert selector.transform(frame({"t": values})).shape == (2, 1)
            continue
        with pytest.raises(ValueError, match=f"'t' of X was fitted as {fitted}, but holds {now} now"):
            selector.transform(frame({"t": values}))


def test_kinds_of_columns_that_are_not_compared_do_not_matter():
    metric = weighted_sum({"x": ("euclidean", 1)})
    selector = RandomSelector(1, metric=metric).fit(pd.DataFrame({"x": [1.0, 2.0], "t": KINDS["times"]}))
    assert selector.transform(pd.DataFrame({"x": [1, True], "t": KINDS["spans of time"]})).shape == (2, 1)


def letters(a, b):
    return float(len(set(a) - set(b)))


LETTERS = np.array([[letters(a, b) for b in NAMES] for a in NAMES])


@batch_metric
def letters_of_batches(A, B):
    return np.array([[letters(a, b) for b in B] for a in A])


@pytest.mark.parametrize("metric", [letters, letters_of_batches])
def test_both_directions_in_one(metric):
    X = NAMES
    for how, both in (("mean", (LETTERS + LETTERS.T) / 2), ("min", np.minimum(LETTERS, LETTERS.T))):
        np.testing.assert_array_equal(all_pairs(symmetrized(metric, how), X), both)
    largest = symmetrized(metric, "max")
    assert largest.symmetric
    np.testing.assert_array_equal(all_pairs(largest, X), np.maximum(LETTERS, LETTERS.T))
    assert symmetrized("levenshtein") == resolve("levenshtein")


def test_functions_of_values():
    X = np.random.default_rng(0).normal(size=(60, 40))
    D = distance.cdist(X, X)
    np.testing.assert_allclose(all_pairs(transformed("euclidean", "sqrt"), X), np.sqrt(D), rtol=1e-6)
    np.testing.assert_allclose(all_pairs(transformed("euclidean", "log1p"), X), np.log1p(D), rtol=1e-6)
    hump = transformed("minkowski", lambda d: d * np.exp(-d), metric_params={"p": 1})
    D = distance.cdist(X, X, "cityblock")
    np.testing.assert_allclose(all_pairs(hump, X), D * np.exp(-D), rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize(
    "function",
    [
        lambda d: d / d.max(),
        lambda d: d - d.min(axis=0),
        lambda d: d / d.sum(axis=1, keepdims=True),
        lambda d: np.minimum(d, np.median(d)),
        lambda d: d.argsort().argsort(),
        np.sort,
    ],
    ids=["largest", "columns", "rows", "median", "ranks", "order"],
)
def test_a_function_that_does_not_treat_each_value_by_itself(function):
    with pytest.raises(ValueError, match="function of transformed returns another number for the same"):
        RandomSelector(1, metric=transformed("euclidean", function)).fit(np.eye(3))


def test_a_function_may_take_no_other_values_than_it_gets():
    def root(d):
        return np.vectorize({0: 0, 2: 3}.__getitem__)(d.astype(int) if set(d.ravel()) <= {0, 2} else d)

    X = np.array([[0.0], [2.0]])
    np.testing.assert_array_equal(all_pairs(transformed("euclidean", root), X), [[0, 3], [3, 0]])


def test_compositions_of_compositions():
    inner = weighted_sum({"name": (transformed("levenshtein", "sqrt"), 1.0), "age": ("cityblock", 0.1)})
    X = pd.DataFrame(COLUMNS)
    edit = np.array([[edits(a, b) for b in NAMES] for a in NAMES])
    wanted = np.log1p(np.sqrt(edit) + 0.1 * np.abs(np.subtract.outer(AGES, AGES)))
    np.testing.assert_allclose(all_pairs(transformed(inner, "log1p"), X), wanted, rtol=1e-6)


def test_two_processes_for_a_function_of_a_pair():
    X = pd.DataFrame(COLUMNS)
    metric = weighted_sum({"name": (symmetrized(letters), 1.0), "age": ("euclidean", 0.5)})
    one = FarthestFirstSelector(3, metric=metric, random_state=0).fit(X)
    two = FarthestFirstSelector(3, metric=metric, random_state=0, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.prototype_indices_, two.prototype_indices_)
    np.testing.assert_array_equal(one.transform(X), two.transform(X))


def test_the_same_seed_the_same_prototypes_for_any_number_of_jobs_and_memory():
    X = pd.concat([pd.DataFrame(COLUMNS)] * 300, ignore_index=True)
    y = X["age"] > 40
    fits = []
    for n_jobs in (1, 2):
        selector = GeneticSelector(3, criterion="label-match", metric=METRIC, n_generations=3, random_state=0)
        fits.append(selector.set_params(n_jobs=n_jobs, clustered=False).fit(X, y).prototype_indices_)
    np.testing.assert_array_equal(*fits)


def test_clone_and_grid_search():
    X, y = pd.concat([pd.DataFrame(COLUMNS)] * 3), np.arange(30) % 2
    other = weighted_sum({"age": ("euclidean", 1)})
    pipeline = make_pipeline(GeneticSelector(2, criterion="label-match", random_state=0), nearest_neighbor())
    grid = GridSearchCV(pipeline, {"geneticselector__metric": [METRIC, other]}, cv=2).fit(X, y)
    assert len(grid.predict(X)) == 30
    assert repr(clone(grid.best_estimator_)) == repr(grid.best_estimator_.__sklearn_clone__())


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: weighted_sum({}), "needs a dict of columns"),
        (lambda: weighted_sum({"a": "euclidean"}), "expected \\(metric, weight\\)"),
        (lambda: weighted_sum({"a": ("euclidean", -1)}), "weight -1 for column 'a'"),
        (lambda: weighted_sum({"a": ("euclidean", 1e101)}), "from 1e-100 to 1e\\+100"),
        (lambda: weighted_sum({"a": ("euclidian", 1)}), "for column 'a': .*Did you mean 'euclidean'"),
        (
            lambda: weighted_sum({"a": ("minkowski", 1, {"q": 3})}),
            r"for column 'a': metric_params has \['q'\]",
        ),
        (lambda: weighted_sum({"a": ("precomputed", 1)}), "precomputed"),
        (lambda: transformed("euclidean", "cube"), "'sqrt', 'log1p'"),
        (lambda: symmetrized("euclidean", "sum"), "'mean', 'min' and 'max'"),
        (lambda: symmetrized("precomputed"), r"\(D \+ D.T\) / 2"),
        (lambda: resolve(METRIC, {"p": 2}), "metric_params"),
    ],
)
def test_wrong_parts_are_refused(make, word):
    with pytest.raises(ValueError, match=word):
        make()


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ({"name": ["a", None]}, r"In column 'name' of X: X\[1\] is missing"),
        ({"age": [1.0, None]}, "In column 'age' of X: Input.* contains NaN"),
        ({"age": ["a", "b"]}, "In column 'age' of X: X holds text"),
        ({"other": [1, 2], "age": None}, "X has no column 'age'.*'name', 'other'"),
    ],
)
def test_columns_that_do_not_fit_are_named(column, word):
    columns = {"name": ["a", "b"], "age": [1.0, 2.0]} | column
    X = pd.DataFrame({name: values for name, values in columns.items() if values is not None})
    with pytest.raises((TypeError, ValueError), match=word):
        RandomSelector(1, metric=METRIC).fit(X)


def test_a_function_that_returns_no_dissimilarities():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match="negative, infinite or missing"):
        all_pairs(transformed("euclidean", np.negative), X)
    with pytest.raises(ValueError, match="one number for each"):
        all_pairs(transformed("euclidean", np.sum), X)


def test_a_tuple_that_is_the_name_of_a_column_is_one_column():
    frame = pd.DataFrame({("a", "x"): ["ann", "bob"], ("a", "y"): [1.0, 3.0]})
    both = {("a", "x"): ("levenshtein", 1.0), ("a", "y"): ("euclidean", 10.0)}
    space = FarthestFirstSelector(1, metric=weighted_sum(both), fixed=[0]).fit_transform(frame)
    assert space.ravel().tolist() == [0, 23]


def test_a_composition_is_shown_as_it_was_made():
    def own(a, b):
        return 0.0

    both = weighted_sum({"name": ("levenshtein", 0.3, {"normalized": True}), ("x", "y"): ("euclidean", 2)})
    assert repr(both) == (
        "weighted_sum({'name': ('levenshtein', 0.3, {'normalized': True}), ('x', 'y'): ('euclidean', 2)})"
    )
    assert repr(transformed("dtw", "sqrt", metric_params={"window": 0.1})) == (
        "transformed('dtw', 'sqrt', metric_params={'window': 0.1})"
    )
    made = repr(transformed(symmetrized(own, "max"), np.log1p))
    assert made.startswith(
        "transformed(symmetrized(test_a_composition_is_shown_as_it_was_made.<locals>.own, 'max')"
    )


def test_what_is_wrong_in_a_part_is_named_by_its_row_in_all_of_it():
    words = pd.DataFrame({"word": ["a", "b"]})
    selector = RandomSelector(1, metric=weighted_sum({"word": ("levenshtein", 1)})).fit(words)
    many = pd.DataFrame({"word": ["abc"] * 70_000}, dtype=object)
    many.iloc[66_666, 0] = None
    with pytest.raises(TypeError, match=r"In column 'word' of X: X\[66666\] is missing"):
        selector.transform(many)


def test_what_the_type_of_the_values_cannot_hold_is_infinite():
    metric = transformed("levenshtein", lambda d: np.expm1(d.astype(np.float64)))
    with pytest.raises(ValueError, match="finite numbers of 0 or more that float32 can hold"):
        FarthestFirstSelector(2, metric=metric).fit(["a", "b" * 100, "c" * 200])


@pytest.mark.parametrize("change", [lambda d: d + 1j, lambda d: d.astype(str)], ids=["complex", "text"])
def test_a_function_that_returns_no_real_numbers(change):
    with pytest.raises(ValueError, match=r"returned an array of type .*, expected real numbers"):
        FarthestFirstSelector(2, metric=transformed("levenshtein", change)).fit(["a", "b", "cc"])


def test_wrong_words_for_what_is_made():
    with pytest.raises(ValueError, match=r"how=\['mean'\], allowed are"):
        symmetrized("levenshtein", ["mean"])
    with pytest.raises(TypeError, match="marks a function of two batches, got 'euclidean'"):
        batch_metric("euclidean")


@pytest.mark.parametrize(
    ("metric", "params", "X"),
    [
        ("levenshtein", {"weights": [[1], [1, 2]]}, ["a", "b"]),
        ("gower", {"weights": [[1], [1, 2]]}, [[1, 2], [3, 4]]),
        ("wasserstein_1d", {"positions": [[0], [1, 2]]}, [[1, 2], [3, 4]]),
    ],
)
def test_parameters_that_make_no_array(metric, params, X):
    (name,) = params
    with pytest.raises(ValueError, match=rf"metric_params\['{name}'\] holds sequences of several lengths"):
        FarthestFirstSelector(1, metric=metric, metric_params=params).fit(X)


def test_a_category_that_cannot_be_a_name():
    with pytest.raises(ValueError, match=r"categorical with \[0\] of type list. Pass the names"):
        FarthestFirstSelector(1, metric="gower", metric_params={"categorical": [[0]]}).fit([[1, 2], [3, 4]])
