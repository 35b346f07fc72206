"""Whatever a user passes as a collection, the prototypes come back, in its kind or as a list."""

from array import array
from collections import UserList, UserString, deque

import numpy as np
import pyarrow as pa
import pytest

from protopick import FarthestFirstSelector

WORDS = ["ab", "b", "ccc"]


def values(items):
    return dict(enumerate(items)).values()


def length_difference(a, b):
    return abs(len(a) - len(b))


@pytest.mark.parametrize("metric", ["levenshtein", length_difference])
@pytest.mark.parametrize("kind", [deque, UserList, values, lambda words: pa.array(words, pa.string_view())])
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


def test_a_table_of_views_stays_a_table():
    table = pa.table({"word": pa.array(WORDS, pa.string_view())})
    found = FarthestFirstSelector(2, metric="gower", fixed=[2, 0]).fit(table).prototypes_
    assert found.to_pylist() == [{"word": "ccc"}, {"word": "ab"}]


def test_a_string_of_another_type_is_no_collection():
    with pytest.raises(TypeError, match=r"X must be a collection of objects.*got UserString"):
        FarthestFirstSelector(1, metric=length_difference).fit(UserString("word"))
