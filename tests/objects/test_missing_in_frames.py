"""What pandas calls NA is a gap like any other: named by its place, or taken by metrics that take gaps."""

import numpy as np
import pandas as pd
import pytest

from protopick import FarthestFirstSelector

TYPES = ["Int64", "Float64", "int64[pyarrow]", object]


def frame(dtype, gap=pd.NA):
    values = [1, gap, 4]
    column = np.array(values, object) if dtype is object else pd.array(values, dtype=dtype)
    return pd.DataFrame({"a": [1, 2, 3], "b": column})


@pytest.mark.parametrize("dtype", TYPES)
def test_is_named_by_row_and_column(dtype):
    said = "row 1, column 'b'" if dtype is not object else "Column 'b' of X has no value in row 1"
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        FarthestFirstSelector(1).fit(frame(dtype))
    assert "Fill the gaps, drop such rows, or pass a metric that takes gaps" in str(raised.value)


def test_is_named_where_there_is_infinity_too():
    X = pd.DataFrame({"a": pd.array([1, np.inf], dtype="Float64"), "b": pd.array([pd.NA, 1], dtype="Int64")})
    with pytest.raises(ValueError, match="NaN, first at row 0, column 'b'"):
        FarthestFirstSelector(1).fit(X)


@pytest.mark.parametrize(
    "X",
    [
        *map(frame, TYPES),
        frame(object, None),
        frame(object).to_numpy(object),
        frame(object).to_numpy(object).tolist(),
        frame("Int64").assign(a=np.array([1, 2, 3], object)),
    ],
)
def test_is_taken_as_a_gap(X):
    selector = FarthestFirstSelector(1, metric="nan_euclidean", fixed=[0]).fit(X)
    np.testing.assert_allclose(selector.transform(X)[:, 0], [0, np.sqrt(2), np.sqrt(13)])
    if isinstance(X, pd.DataFrame):
        assert selector.feature_names_in_.tolist() == ["a", "b"]
