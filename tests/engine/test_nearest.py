import numpy as np
import pytest

from protopick.dissimilarity import resolve
from protopick.engine import approach, columns_of


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
@pytest.mark.parametrize("tile", [None, 13])
def test_a_column_that_is_kept_is_approached_as_one_that_is_not(metric, tile, tiles_of):
    tiles_of(tile)
    X = np.random.default_rng(0).normal(size=(50, 3))
    columns = columns_of(X, resolve(metric).fit(X))
    fresh, kept = (np.full(50, np.inf, columns.dissimilarity.dtype) for _ in range(2))
    farthest = approach(columns, 7, 7, fresh)
    columns.table(np.array([3, 7, 9]), keep=True)
    assert approach(columns, 7, 7, kept) == farthest
    np.testing.assert_allclose(kept, fresh)
