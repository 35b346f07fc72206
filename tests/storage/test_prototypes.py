"""Prototypes of every kind come back as they were."""

import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from protopick import FarthestFirstSelector, Ragged, RandomSelector, load, save, symmetrized, weighted_sum
from tests.storage.same import read_again, same

WORDS = ["colour", "color", "house", "mouse", "", "náïve \N{PILE OF POO} \x00", "a\nb"]
POINTS = np.random.default_rng(0).random((40, 3))
PEOPLE = pd.DataFrame(
    {
        "age": [30.0, np.nan, 41.0, 25.0],
        "name": ["Ann", "Bob", None, "Cy"],
        "eyes": pd.Categorical(["blue", "brown", "blue", None], categories=["brown", "green", "blue"]),
        "since": pd.to_datetime(["2020-01-01", "2021-01-01", None, "2021-01-02"]).tz_localize(
            "Europe/Berlin"
        ),
        "member": [True, False, True, False],
        "visits": pd.array([1, None, 3, 4], dtype="Int64"),
        "team": np.array(["x", None, "y", "x"], object),
    },
    index=["p", "q", "r", "s"],
)
PEOPLE["team"] = PEOPLE["team"].astype(object)


def reloaded(selector, tmp_path):
    return load(save(selector, tmp_path / "model"))


def check(selector, X, tmp_path):
    loaded = reloaded(selector.fit(X), tmp_path)
    assert same(loaded.prototypes_, selector.prototypes_)
    assert same(loaded.transform(X), selector.transform(X))
    return loaded.prototypes_


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", ">f4", ">i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_numbers(dtype, order, tmp_path):
    X = np.array(POINTS * 9, dtype=dtype, order=order)
    check(FarthestFirstSelector(4, random_state=0), X, tmp_path)


@pytest.mark.parametrize("of", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_csr_matrices(of, dtype, tmp_path):
    X = of((POINTS * 9 * (POINTS > 0.5)).astype(dtype))
    check(FarthestFirstSelector(4, random_state=0), X, tmp_path)


def test_a_csr_matrix_keeps_the_type_of_its_indices(tmp_path):
    X = sparse.csr_array(POINTS)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    check(FarthestFirstSelector(4, random_state=0), X, tmp_path)


def test_a_memory_map_comes_back_as_an_array(tmp_path):
    np.save(tmp_path / "X.npy", POINTS)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert type(check(FarthestFirstSelector(4, random_state=0), X, tmp_path)) is np.ndarray


@pytest.mark.parametrize(
    "X",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        np.array(WORDS, object),
        np.array(WORDS, np.dtypes.StringDType()),
        pd.Series(WORDS, index=range(3, 10)),
        pd.Series(WORDS, name=("a", 1), dtype=object),
        pd.Series(WORDS, name=2.5, dtype="category"),
        pl.Series("words", WORDS),
        pa.array(WORDS),
        pa.chunked_array([WORDS[:2], WORDS[2:]]),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0] + type(X).__name__,
)
def test_strings(X, tmp_path):
    prototypes = check(FarthestFirstSelector(4, metric="levenshtein", random_state=0), X, tmp_path)
    if isinstance(X, pd.Series):
        assert prototypes.name == X.name


def test_strings_that_no_encoding_takes(tmp_path):
    check(FarthestFirstSelector(2, metric="levenshtein", random_state=0), ["\ud800", "b", "c"], tmp_path)


@pytest.mark.parametrize(
    "X",
    [
        Ragged(POINTS, [0, 5, 9, 20, 40]),
        Ragged(POINTS[:, 0].astype(np.float32), [0, 5, 9, 20, 40]),
        [POINTS[:3], POINTS[5:9], POINTS[9:30]],
        [POINTS[:3, 0].tolist(), POINTS[5:9, 0].tolist(), (1, 2)],
    ],
    ids=["Ragged", "Ragged of one channel", "arrays", "lists"],
)
def test_series(X, tmp_path):
    check(FarthestFirstSelector(2, metric="dtw", random_state=0), X, tmp_path)


def test_sets(tmp_path):
    X = [{"a", "b"}, frozenset({1, (2, "c")}), {"b", None}, set()]
    check(FarthestFirstSelector(3, metric="jaccard", random_state=0), X, tmp_path)


@pytest.mark.parametrize(
    "X",
    [
        PEOPLE,
        PEOPLE.reset_index(drop=True),
        pl.from_pandas(PEOPLE.reset_index()),
        pa.Table.from_pandas(PEOPLE),
        PEOPLE[["age", "name"]].to_numpy(object),
    ],
    ids=["pandas", "pandas without an index", "polars", "Arrow", "objects"],
)
def test_tables(X, tmp_path):
    check(FarthestFirstSelector(3, metric="gower", random_state=0), X, tmp_path)


def test_a_frame_of_numbers_keeps_its_names(tmp_path):
    X = pd.DataFrame(POINTS, columns=["x", "y", "z"])
    selector = RandomSelector(3, random_state=0).set_output(transform="pandas").fit(X)
    loaded = reloaded(selector, tmp_path)
    assert loaded.feature_names_in_.tolist() == ["x", "y", "z"]
    pd.testing.assert_frame_equal(loaded.transform(X), selector.transform(X), check_exact=True)


@pytest.mark.parametrize("names", [[0, 1, 2], [("a", 1), ("a", 2), ("b", 1)]])
def test_a_frame_whose_names_are_no_text(names, tmp_path):
    X = pd.DataFrame(POINTS, columns=pd.Index(names))
    selector = RandomSelector(3, metric="gower", random_state=0).fit(X)
    assert same(reloaded(selector, tmp_path).transform(X), selector.transform(X))


@pytest.mark.parametrize(
    ("missing", "named"),
    [("pyarrow", r"pyarrow is needed.*protopick\[frames\]"), ("polars", "pip install polars")],
)
def test_a_library_that_is_not_installed_is_named(missing, named, tmp_path, monkeypatch):
    selector = RandomSelector(2, metric="gower", random_state=0).fit(pl.DataFrame({"a": [1, 2, 3]}))
    path = save(selector, tmp_path / "model")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=named):
        load(path)


def test_columns_each_by_its_own_metric(tmp_path):
    metric = weighted_sum({"age": ("euclidean", 1.0), ("eyes", "team"): ("gower", 2.0)})
    check(FarthestFirstSelector(2, metric=metric, random_state=0), PEOPLE.dropna(subset="age"), tmp_path)


def test_both_directions_in_one(tmp_path):
    metric = symmetrized("levenshtein", "max", metric_params={"weights": (1, 2, 3)})
    check(FarthestFirstSelector(3, metric=metric, random_state=0), WORDS, tmp_path)


SETS = [{"a"}, {"b", "c"}, {"a", "b"}, set()]


@pytest.mark.parametrize(
    "X",
    [pd.Series(SETS, index=list("pqrs")), pl.Series("s", SETS, dtype=pl.Object)],
    ids=["pandas", "polars"],
)
def test_columns_of_sets(X, tmp_path):
    selector = FarthestFirstSelector(3, metric="jaccard", fixed=[1, 0]).fit(X)
    loaded = reloaded(selector, tmp_path)
    assert type(loaded.prototypes_) is type(X)
    assert loaded.prototypes_.dtype == X.dtype
    assert same(loaded.prototypes_.to_list(), selector.prototypes_.to_list())
    assert same(loaded.transform(X), selector.transform(X))


def of_polars(frame):
    sets = pl.Series("tags", frame["tags"].to_list(), dtype=pl.Object)
    return pl.from_pandas(frame.drop(columns="tags")).with_columns(sets).select(frame.columns.to_list())


@pytest.mark.parametrize("kind", [pd.DataFrame, of_polars], ids=["pandas", "polars"])
def test_a_frame_with_sets_among_other_columns(kind, tmp_path):
    X = kind(pd.DataFrame({"tags": SETS, "age": [1.0, 5.0, 2.0, 9.0], "name": ["x", "yy", "x", "zzz"]}))
    metric = weighted_sum({"tags": ("jaccard", 1), "age": ("euclidean", 1), "name": ("levenshtein", 1)})
    selector = FarthestFirstSelector(3, metric=metric, fixed=[1]).fit(X)
    loaded = reloaded(selector, tmp_path)
    assert same(loaded.transform(X), selector.transform(X))
    for name in ("tags", "age", "name"):
        column, expected = (fitted.prototypes_[name] for fitted in (loaded, selector))
        assert (type(column), column.dtype) == (type(expected), expected.dtype)
        assert same(column.to_list(), expected.to_list())


@pytest.mark.parametrize(
    "values",
    [[10**30, 1, None], [[1], [2, 3], []], [(1, 2), "a", 1.5], [np.arange(2), np.arange(3), None]],
    ids=["large numbers", "lists", "several types", "arrays"],
)
def test_objects_in_a_column_that_arrow_does_not_keep(values):
    found = read_again(pd.Series([*values, None], dtype=object))
    assert (type(found), found.dtype) == (pd.Series, object)
    assert same(found.to_list(), [*values, None])


@pytest.mark.parametrize(
    "X", [pd.Index(WORDS, name="word"), pd.Index(WORDS, dtype=object)], ids=["str", "object"]
)
def test_an_index(X, tmp_path):
    prototypes = check(FarthestFirstSelector(4, metric="levenshtein", random_state=0), X, tmp_path)
    assert (prototypes.name, prototypes.dtype) == (X.name, X.dtype)


def test_a_record_batch(tmp_path):
    X = pa.RecordBatch.from_pandas(PEOPLE)
    check(FarthestFirstSelector(3, metric="gower", random_state=0), X, tmp_path)


@pytest.mark.parametrize("native", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_and_columns_of_narwhals(native, tmp_path):
    X = nw.from_native(native({"word": ["a", "bbb", "cc"]}), eager_only=True)
    for collection in (X, X["word"]):
        selector = FarthestFirstSelector(2, metric="levenshtein", fixed=[1]).fit(collection)
        loaded = reloaded(selector, tmp_path)
        assert type(loaded.prototypes_) is type(collection)
        assert same(loaded.prototypes_.to_native(), selector.prototypes_.to_native())
        assert same(loaded.transform(collection), selector.transform(collection))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["age", 2]),  # would both come back as text
        pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["age", "age"]),
        pl.DataFrame({"age": [10**30, 1]}),
    ],
    ids=["names of two types", "a name twice", "128 bits"],
)
def test_a_frame_that_arrow_would_change_is_refused(X, tmp_path):
    selector = RandomSelector(2, random_state=0).fit(np.eye(2))
    selector.prototypes_ = X
    with pytest.raises(TypeError, match=r"prototypes_ is a p.* with columns that Arrow does not.*Make them"):
        save(selector, tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("X", [pd.DataFrame({"tag": [1, object()]}), pd.Series([1, object()], dtype=object)])
def test_an_object_in_a_column_that_nothing_keeps_is_named(X):
    with pytest.raises(TypeError, match=r"it(\['tag'\])?\[1\] is of type object, which save does not know"):
        read_again(X)
