"""Frames and columns of every library, for metrics of vectors and of objects."""

import builtins
from datetime import datetime, timedelta

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.utils.fixes import parse_version

from protopick import FarthestFirstSelector, RandomSelector
from protopick.objects.frames import columns_of

X = np.random.default_rng(0).normal(size=(40, 3))
COLUMNS = {name: X[:, j] for j, name in enumerate("abc")}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "Arrow": pa.table}
READS_NAMES = parse_version(sklearn.__version__) >= parse_version("1.9")
"""Before, scikit-learn did not know the columns of polars."""


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_numbers_are_vectors(kind):
    frame = FRAMES[kind](COLUMNS)
    selector = FarthestFirstSelector(4, random_state=0).fit(frame)
    wanted = FarthestFirstSelector(4, random_state=0).fit(X)
    np.testing.assert_array_equal(selector.prototype_indices_, wanted.prototype_indices_)
    np.testing.assert_array_equal(selector.transform(frame), wanted.transform(X))
    assert type(selector.prototypes_) is type(frame)
    if kind != "polars" or READS_NAMES:
        assert selector.feature_names_in_.tolist() == list("abc")


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("kind", FRAMES)
def test_set_output(kind, output):
    frame = FRAMES[kind](COLUMNS)
    space = RandomSelector(2, random_state=0).set_output(transform=output).fit_transform(frame)
    assert type(space).__module__.startswith(output)
    assert space.shape == (40, 2)


def test_rows_of_a_frame_go_to_a_function():
    def difference(a, b):
        return abs(a[0] - b[0])

    for frame in FRAMES.values():
        selector = FarthestFirstSelector(2, metric=difference, random_state=0).fit(frame(COLUMNS))
        assert selector.transform(frame(COLUMNS)).shape == (40, 2)


@pytest.mark.parametrize("format", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_prototypes_stay_sparse(format):
    selector = RandomSelector(3, random_state=0).fit(format(X))
    assert sparse.issparse(selector.prototypes_)


def test_a_memory_map_of_vectors(tmp_path):
    np.save(tmp_path / "X.npy", X)
    on_disk = np.load(tmp_path / "X.npy", mmap_mode="r")
    selector = FarthestFirstSelector(4, random_state=0).fit(on_disk)
    np.testing.assert_array_equal(selector.prototypes_, X[selector.prototype_indices_])


@pytest.mark.parametrize("kind", FRAMES)
def test_times_are_numbers(kind):
    start = datetime(2024, 1, 1)
    spans = [timedelta(hours=6 * i) for i in (0, 1, 2, 4)]
    for times in (spans, [start + span for span in spans], [*(start + span for span in spans[:3]), None]):
        columns, kinds = columns_of(FRAMES[kind]({"time": times}))
        assert kinds == {"time": "spans of time" if times is spans else "times"}
        column = columns["time"]
        hours = (column - column[0]) / 3.6e12  # from nanoseconds
        np.testing.assert_allclose(hours, [0, 6, 12, np.nan if times[3] is None else 24])


def test_without_narwhals_the_error_names_the_extra(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("narwhals"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'protopick\[frames\]'"):
        RandomSelector(2, metric="gower").fit(pd.DataFrame(COLUMNS))


def test_columns_without_names():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 2)))
    assert FarthestFirstSelector(2, metric="gower", fixed=[0]).fit(frame).transform(frame).shape == (6, 2)


@pytest.mark.parametrize("kind", [*FRAMES, "record batch"])
def test_the_name_of_a_column_of_strings_is_kept_and_compared(kind):
    make = FRAMES.get(kind, pa.record_batch)
    selector = FarthestFirstSelector(2, metric="levenshtein", random_state=0)
    selector.fit(make({"name": ["ann", "bob", "cy"]}))
    assert selector.feature_names_in_.tolist() == ["name"]
    assert selector.transform(["ann"]).shape == (1, 2)
    with pytest.raises(ValueError, match=r"columns \['city'\].*fitted to \['name'\]"):
        selector.transform(make({"city": ["rome"]}))
    selector.fit(["ann", "bob", "cy"])
    assert selector.transform(make({"city": ["rome"]})).shape == (1, 2)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_of_one_column_of_series(frame):
    series = [[1.0, 2.0, 3.0], [1.0, 2.0], [9.0, 9.0, 9.0]]
    selector = FarthestFirstSelector(1, metric="dtw", fixed=[0]).fit(frame({"signal": series}))
    expected = FarthestFirstSelector(1, metric="dtw", fixed=[0]).fit_transform([np.array(s) for s in series])
    np.testing.assert_array_equal(selector.transform(frame({"signal": series})), expected)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("metric", ["gower", "euclidean", "levenshtein"])
def test_a_frame_of_narwhals_is_the_frame_in_it(kind, metric):
    names = FRAMES[kind]({"name": ["ann", "bob", "anna"]})
    frame = names if metric == "levenshtein" else FRAMES[kind](COLUMNS)
    of_narwhals = nw.from_native(frame)
    selector = FarthestFirstSelector(2, metric=metric, random_state=0).fit(of_narwhals)
    expected = FarthestFirstSelector(2, metric=metric, random_state=0).fit(frame)
    np.testing.assert_array_equal(selector.transform(of_narwhals), expected.transform(frame))
    if kind != "polars" or READS_NAMES:
        np.testing.assert_array_equal(selector.feature_names_in_, expected.feature_names_in_)
    assert isinstance(selector.prototypes_, nw.DataFrame)
    assert nw.to_native(selector.prototypes_).equals(expected.prototypes_)


def test_two_columns_of_one_name_are_refused():
    twice = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="X has several columns named 'a'"):
        FarthestFirstSelector(1, metric="gower").fit(twice)


@pytest.mark.parametrize("metric", ["dtw", "resampled_euclidean"])
@pytest.mark.parametrize("kind", FRAMES)
def test_series_in_columns_are_told_by_their_names(kind, metric):
    make = FRAMES[kind]
    selector = FarthestFirstSelector(2, metric=metric).fit(make(COLUMNS))
    with pytest.raises(ValueError, match=r"has the columns \['c', 'b', 'a'\], but .* was fitted to"):
        selector.transform(make({name: COLUMNS[name] for name in "cba"}))
    with pytest.raises(ValueError, match="has 2 columns, but"):
        selector.transform(make({name: COLUMNS[name] for name in "ab"}))
    assert selector.transform(X[:, :2]).shape == (40, 2)  # shorter series have no names


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_table_with_a_column_of_sets_holds_sets(kind):
    sets = [{1}, {1, 2}, {7}]
    column = pl.Series("s", sets, dtype=pl.Object) if kind is pl.DataFrame else sets
    frame = kind({"s": column})
    selector = FarthestFirstSelector(2, metric="jaccard", fixed=[0]).fit(frame)
    assert type(selector.prototypes_) is kind
    np.testing.assert_array_equal(selector.transform(frame)[:, 0], [0, 0.5, 1])
    np.testing.assert_array_equal(selector.transform(frame), selector.transform(sets))


def test_a_column_of_lists_is_told_to_be_sets():
    with pytest.raises(ValueError, match=r"For sets, pass \[set\(x\) for x in X\]"):
        FarthestFirstSelector(1, metric="jaccard").fit(pd.Series([["a"], ["b"]]))
