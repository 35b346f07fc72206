"""Label matches that are counted as distances are computed: those that kept columns would give."""

import numpy as np
import pytest

from protopick.criteria import LabelMatch
from protopick.criteria.base import Data
from protopick.dissimilarity import resolve
from protopick.engine import columns_of

rng = np.random.default_rng(0)
X = rng.integers(0, 30, (3000, 20)).astype(np.float32)
y = rng.integers(0, 4, len(X))
population = np.array([rng.choice(len(X), 6, replace=False) for _ in range(9)])


def columns_that_may_be_recomputed():
    return columns_of(X, resolve("euclidean").fit(X), n_jobs=2, recomputed=True)


def matches_of_kept_columns(sets, labels=y):
    return LabelMatch().bind(Data(columns_of(X, resolve("euclidean").fit(X)), labels))(sets)


@pytest.mark.parametrize(
    "layout", [np.ascontiguousarray, np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2]]
)
def test_a_population_counts_alike_however_it_lies_in_memory(layout):
    columns = columns_that_may_be_recomputed()
    objective = LabelMatch().bind(Data(columns, y))
    assert objective(layout(population)).tolist() == matches_of_kept_columns(population).tolist()
    assert columns.counter.total == 0  # counted the other way


def test_labels_may_be_a_part_of_others():
    strided = np.repeat(y.astype(np.int32), 3)[::3]
    found = LabelMatch().bind(Data(columns_that_may_be_recomputed(), strided))(population)
    assert found.tolist() == matches_of_kept_columns(population).tolist()


def test_candidates_that_are_not_the_rows_are_compared_by_keys():
    order = rng.permutation(len(X))
    columns = columns_of(X, resolve("euclidean").fit(X), candidates=X[order], recomputed=True)
    found = LabelMatch().bind(Data(columns, y[order], rows=np.argsort(order)))(population)
    assert found.tolist() == matches_of_kept_columns(order[population]).tolist()
