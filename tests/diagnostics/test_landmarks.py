import numpy as np
import pytest
import sklearn

from protopick.diagnostics import landmark_map
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from tests import measure_oracles as oracles


def columns(X, metric="euclidean", **settings):
    candidates = np.arange(len(X)) if metric == "precomputed" else None
    return columns_of(X, resolve(metric).fit(X), candidates=candidates, **settings)


def mapped(X, metric="euclidean", n_jobs=1, **how):
    return landmark_map(columns(X, metric, n_jobs=n_jobs), np.random.default_rng(0), **how)


def distances(X):
    return np.linalg.norm(X[:, None] - X, axis=2)


def test_a_plane_comes_back_up_to_a_turn():
    X = np.random.default_rng(1).normal(size=(300, 2)) @ np.random.default_rng(2).normal(size=(2, 40))
    found = mapped(X, n_landmarks=20)
    np.testing.assert_allclose(distances(found.points), distances(X), rtol=1e-6, atol=1e-6)
    assert found.share == pytest.approx(1)


def test_every_object_is_placed_as_the_paper_has_it():
    D = np.random.default_rng(0).uniform(1, 2, size=(40, 40))
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    landmarks = np.sort(np.random.default_rng(0).choice(40, 12, replace=False))
    found = mapped(D, "precomputed", n_landmarks=12, n_dimensions=3)
    L = D[np.ix_(landmarks, landmarks)]
    expected = np.array([oracles.landmark_place(row, L, 3) for row in D[:, landmarks]])
    np.testing.assert_allclose(np.abs(found.points), np.abs(expected), rtol=1e-9)  # axes have no sign


@pytest.mark.parametrize("width", [3, 50])
def test_the_map_does_not_depend_on_threads_or_memory(width):
    X = np.random.default_rng(0).normal(size=(5000, width)).astype(np.float32)
    expected = mapped(X).points
    np.testing.assert_array_equal(mapped(X, n_jobs=3).points, expected)
    with sklearn.config_context(working_memory=1):
        np.testing.assert_array_equal(mapped(X, n_jobs=2).points, expected)


def test_it_takes_one_column_for_each_landmark():
    these = columns(np.random.default_rng(0).normal(size=(900, 3)))
    landmark_map(these, np.random.default_rng(0), n_landmarks=30)
    assert these.counter.total == 30 * 900 + 30 * 30


def test_axes_come_in_the_order_of_their_spread():
    X = np.random.default_rng(0).normal(size=(400, 3)) * [1, 5, 2]
    assert mapped(X).points.std(axis=0) == pytest.approx([5, 2], rel=0.2)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_equal_or_few_objects_sit_at_the_origin(n):
    found = mapped(np.ones((n, 3)))
    np.testing.assert_array_equal(found.points, np.zeros((n, 2)))
    assert found.share == 1


def test_asymmetric_and_non_metric_measures_have_a_map_too():
    D = np.random.default_rng(0).random((50, 50)) ** 4
    found = mapped(D, "precomputed")
    assert np.isfinite(found.points).all()
    assert 0 < found.share < 0.5
