"""Whatever a user passes as a collection, the prototypes come back, in its kind or as a list."""

from array import array
from collections import UserList, UserString, deque

import h5py
import numpy as np
import pyarrow as pa
import pytest
import zarr

from protopick import FarthestFirstSelector

WORDS = ["ab", "b", "ccc"]


def values(items):
    return dict(enumerate(items)).values()


def in_an_array(items):
    objects = np.empty(len(items), object)
    objects[:] = items
    return objects


def length_difference(a, b):
    return abs(len(a) - len(b))


@pytest.mark.parametrize("metric", ["levenshtein", length_difference])
@pytest.mark.parametrize("kind", [deque, UserList, values])
def test_strings(kind, metric):
    selector = FarthestFirstSelector(2, metric=metric, fixed=[2, 0]).fit(kind(WORDS))
    assert selector.prototypes_ == ["ccc", "ab"]
    assert selector.transform(kind(WORDS)).shape == (3, 2)


@pytest.mark.parametrize("X", [range(1, 4), array("d", [1, 2, 3]), memoryview(array("d", [1, 2, 3]))])
def test_numbers(X):
    selector = FarthestFirstSelector(2, metric=lambda a, b: abs(a - b), fixed=[2, 0]).fit(X)
    assert selector.prototypes_ == [3, 1]


@pytest.mark.parametrize("kind", [deque, values])
@pytest.mark.parametrize("metric", ["euclidean", "dtw", "gower"])
def test_rows(kind, metric):
    rows = [[1.0, 2.0], [3.0, 5.0]]
    selector = FarthestFirstSelector(1, metric=metric, fixed=[1]).fit(kind(rows))
    assert np.array(selector.prototypes_).tolist() == [[3, 5]]


def views(words):
    return pa.array(words, pa.string_view())


def encoded_runs(words):
    return pa.RunEndEncodedArray.from_arrays(range(1, len(words) + 1), words)


@pytest.mark.parametrize("metric", ["levenshtein", length_difference])
@pytest.mark.parametrize(
    "X",
    [views(WORDS), encoded_runs(WORDS), pa.chunked_array([views(WORDS[:1]), views(WORDS[1:])])],
    ids=["views", "runs", "chunks"],
)
def test_arrow_arrays_that_arrow_takes_nothing_from(X, metric):
    selector = FarthestFirstSelector(2, metric=metric, fixed=[2, 0]).fit(X)
    found = selector.prototypes_
    assert (type(found), found.type, found.to_pylist()) == (type(X), X.type, ["ccc", "ab"])
    assert selector.transform(X).shape == (3, 2)


@pytest.mark.parametrize("kind", [pa.table, pa.record_batch])
def test_a_table_of_views_stays_a_table(kind):
    table = kind({"word": views(WORDS), "length": pa.array([2, 1, 3])})
    found = FarthestFirstSelector(2, metric="gower", fixed=[2, 0]).fit(table).prototypes_
    assert (type(found), found.schema) == (type(table), table.schema)
    assert found.to_pylist() == [{"word": "ccc", "length": 3}, {"word": "ab", "length": 2}]


def in_hdf5(folder, values):
    return h5py.File(folder / "x.h5", "w").create_dataset("x", data=values)


def in_zarr(folder, values):
    array = zarr.open_array(folder / "x.zarr", mode="w", shape=values.shape, dtype=values.dtype)
    array[...] = values
    return array


@pytest.mark.parametrize("place", [in_hdf5, in_zarr])
@pytest.mark.parametrize("metric", ["euclidean", "dtw", "gower", lambda a, b: abs(a - b).max()])
def test_rows_in_a_file(tmp_path, place, metric):
    rows = np.arange(12.0).reshape(4, 3) ** 2
    selector = FarthestFirstSelector(3, metric=metric, fixed=[2, 0, 3]).fit(place(tmp_path, rows))
    np.testing.assert_array_equal(selector.prototypes_, rows[[2, 0, 3]])


def test_strings_in_a_file(tmp_path):
    X = in_hdf5(tmp_path, WORDS).asstr()
    selector = FarthestFirstSelector(2, metric=length_difference, fixed=[2, 0]).fit(X)
    assert selector.prototypes_.tolist() == ["ccc", "ab"]


def test_a_string_of_another_type_is_no_collection():
    with pytest.raises(TypeError, match=r"X must be a collection of objects.*got UserString"):
        FarthestFirstSelector(1, metric=length_difference).fit(UserString("word"))


@pytest.mark.parametrize("kind", [list, tuple, in_an_array], ids=["list", "tuple", "array"])
def test_prototypes_stay_as_they_are_when_their_arrays_are_written_to(kind):
    X = kind([np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]), np.array([9.0])])
    selector = FarthestFirstSelector(2, metric="dtw", random_state=0).fit(X)
    before = selector.transform([np.array([1.0])])
    for item in X:
        item += 1
    np.testing.assert_array_equal(selector.transform([np.array([1.0])]), before)
