"""A ragged array is a sequence of views, to be sliced and indexed as an array."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from protopick import GeneticSelector, Ragged, nearest_neighbor


def example(lengths, channels=None):
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(int)
    points = np.arange(offsets[-1] * (channels or 1), dtype=float)
    return Ragged(points if channels is None else points.reshape(-1, channels), offsets)


@given(lengths=st.lists(st.integers(0, 4), min_size=1, max_size=8), data=st.data())
def test_indexing_is_that_of_a_list(lengths, data):
    X = example(lengths)
    items = [list(x) for x in X]
    assert [len(x) for x in items] == lengths == X.lengths.tolist()
    part = data.draw(st.slices(len(X)))
    assert [list(x) for x in X[part]] == items[part]
    which = data.draw(st.lists(st.integers(-len(X), len(X) - 1), max_size=6))
    for kind in (np.array(which, int), [*which]):
        if len(which):
            assert [list(x) for x in X[kind]] == [items[i] for i in which]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    assert [list(x) for x in X[mask]] == [x for x, keep in zip(items, mask, strict=True) if keep]
    assert list(X[-1]) == items[-1]


def test_slices_share_memory_also_of_a_memory_map(tmp_path):
    np.save(tmp_path / "points.npy", np.arange(12.0))
    points = np.load(tmp_path / "points.npy", mmap_mode="r")
    X = Ragged(points, [0, 3, 7, 12])
    assert np.shares_memory(X[1:].points, points)
    assert np.shares_memory(X[1], points)
    assert X[1:].nbytes == 9 * 8


def test_pickle():
    X = pickle.loads(pickle.dumps(example([2, 0, 3], 2)))
    assert X.points.shape == (5, 2)
    assert X.shape == (3,)


@pytest.mark.parametrize(
    ("points", "offsets", "word"),
    [
        (np.zeros((2, 2, 2)), [0, 1], "1 or 2 dimensions"),
        (np.zeros(4), [0, 5], "from 0 to the number of points, 4"),
        (np.zeros(4), [0.0, 4.0], "whole numbers"),
        (np.zeros(4), [], "n \\+ 1 whole numbers"),
        (np.zeros(4), [0, 3, 2, 4], r"offsets\[2\] is below offsets\[1\]"),
    ],
)
def test_offsets_that_do_not_fit(points, offsets, word):
    with pytest.raises(ValueError, match=word):
        Ragged(points, offsets)


def test_index_out_of_range():
    with pytest.raises(IndexError, match="out of range"):
        example([1, 2])[2]


def test_pipeline_and_grid_search():
    rng = np.random.default_rng(0)
    X = Ragged(rng.normal(size=400), np.arange(0, 401, 10))
    y = np.arange(40) % 2
    selector = GeneticSelector(3, criterion="label-match", metric="dtw", random_state=0)
    pipeline = make_pipeline(selector.set_output(transform="pandas"), nearest_neighbor())
    grid = GridSearchCV(pipeline, {"geneticselector__n_prototypes": [2, 4]}, cv=2).fit(X, y)
    assert len(grid.predict(X)) == 40
    assert isinstance(grid.best_estimator_[0].prototypes_, Ragged)


def test_a_function_of_a_pair_gets_arrays():
    X = example([2, 3, 4, 5, 6])
    picked = GeneticSelector(2, metric=lambda a, b: abs(len(a) - len(b)), random_state=0).fit(X)
    assert isinstance(picked.prototypes_, Ragged)


def test_points_that_make_no_array():
    with pytest.raises(ValueError, match=r"points holds sequences of several lengths.*as many coordinates"):
        Ragged([[1, 2], [3]], [0, 1, 2])
    with pytest.raises(ValueError, match="points is a masked array"):
        Ragged(np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), [0, 3])
