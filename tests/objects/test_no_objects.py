"""What holds no objects, or some of another kind, is refused in words of the library."""

import numpy as np
import pandas as pd
import pytest

from protopick import FarthestFirstSelector

METRICS = ["euclidean", "levenshtein", "dtw", "jaccard", "gower", "resampled_euclidean", lambda a, b: 0]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("X", "got"),
    [
        (None, "NoneType"),
        (5, "int"),
        ("abc", "str"),
        ({1, 2}, "set"),
        ((row for row in [[1, 2]]), "generator"),
        ({"a": [1, 2], "b": [3, 4]}, "dict. Put its columns into a data frame"),
        (np.array("abc"), "an array of 0 dimensions"),
        (np.array(5.0), "an array of 0 dimensions"),
    ],
    ids=["None", "int", "str", "set", "generator", "dict", "text of no dimension", "number of no dimension"],
)
def test_what_is_no_collection_is_named(X, got, metric):
    with pytest.raises(TypeError, match=rf"X must be a collection of objects.*, got {got}"):
        FarthestFirstSelector(1, metric=metric).fit(X)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("metric", METRICS)
def test_a_matrix_of_numpy_is_refused(metric):
    with pytest.raises(TypeError, match=r"X is a numpy.matrix.*Pass np.asarray\(X\)"):
        FarthestFirstSelector(1, metric=metric).fit(np.matrix(np.eye(3)))


def test_a_structured_array_is_no_matrix():
    X = np.zeros(3, [("age", float), ("height", float)])
    with pytest.raises(TypeError, match=r"structured array with the fields \('age', 'height'\), but metric"):
        FarthestFirstSelector(1).fit(X)


class OnlyAnArray:
    def __array__(self, dtype=None, copy=None):
        return np.array([[1.0, 2.0], [4.0, 6.0]])


@pytest.mark.parametrize("metric", ["euclidean", lambda a, b: np.linalg.norm(a - b)])
def test_what_numpy_reads_as_an_array_is_one(metric):
    assert FarthestFirstSelector(1, metric=metric, fixed=[0]).fit_transform(OnlyAnArray())[1, 0] == 5


@pytest.mark.parametrize("kind", [list, pd.Series])
@pytest.mark.parametrize("metric", ["euclidean", "nan_euclidean"])
@pytest.mark.parametrize(
    ("item", "said"),
    [
        (np.nan, r"missing \(nan\), but metric compares rows of numbers. Drop such objects"),
        (None, r"missing \((None|nan)\), but metric compares rows of numbers. Drop such objects"),
        (pd.NA, r"missing \(<NA>\), but metric compares rows of numbers. Drop such objects"),
        (5.0, "5.0 of type float, but metric compares rows of numbers"),
    ],
)
def test_a_number_among_rows_is_named(item, said, metric, kind):
    with pytest.raises(TypeError, match=rf"X\[1\] is {said}"):
        FarthestFirstSelector(1, metric=metric).fit(kind([[1, 2], item, [3, 4]]))


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.ones((3, 4), complex), r"X\[0\] holds values of type complex128"),
        ([[1.0, 2.0], [1j, 2.0]], r"X\[1\] holds values of type complex128"),
        (np.ones((3, 4), "m8[s]"), r"X\[0\] holds values of type timedelta64\[s\]"),
        ([np.ones((2, 2)), np.ones((2, 2, 2))], r"X\[1\] is an array of shape \(2, 2, 2\)"),
        ([[[1, 2], [3]], [[1, 2]]], r"X\[0\] has points of several lengths.*Give all points as many numbers"),
        ([[1.0, 2.0], "text"], r"X\[1\] is of type str"),
    ],
)
def test_what_is_no_series_is_told_by_its_type_or_shape(X, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        FarthestFirstSelector(1, metric="dtw").fit(X)
    assert "missing" not in str(raised.value)
