"""Prototypes of every kind come back as they were."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from protopick import FarthestFirstSelector, Ragged, RandomSelector, load, save, symmetrized, weighted_sum
from tests.storage.same import same

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


def test_a_frame_that_arrow_would_change_is_refused(tmp_path):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "set": [{1}, {2}, {3}]})
    selector = RandomSelector(2, metric=weighted_sum({"age": ("euclidean", 1)}), random_state=0).fit(X)
    with pytest.raises(TypeError, match=r"prototypes_ is a pandas.*Make them numbers, text"):
        save(selector, tmp_path / "model")
    X.columns = ["age", 2]  # would both come back as text
    with pytest.raises(TypeError, match="does not"):
        save(selector.fit(X), tmp_path / "model")
    X.columns = ["age", "set"]
    X["set"] = [[1], [2, 3], [4]]  # would come back as arrays
    with pytest.raises(TypeError, match="does not give back"):
        save(selector.fit(X), tmp_path / "model")
    assert not list(tmp_path.iterdir())
