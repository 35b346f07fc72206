import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import silhouette_score

from protopick.diagnostics import measures
from protopick.diagnostics.dimension import levina_bickel, two_nn
from tests import measure_oracles as oracles

whole_squares = st.integers(3, 14).flatmap(
    lambda n: arrays(np.float64, (n, n), elements=st.integers(0, 6).map(float))
)


def plain(D):
    """Return a symmetric matrix with a diagonal of 0."""
    S = (D + D.T) / 2
    np.fill_diagonal(S, 0)
    return S


@given(whole_squares)
def test_triangle_violations_as_counted_one_by_one(D):
    triples = measures.triples(len(D), np.random.default_rng(0))
    share, excess = oracles.violations(D, triples.T)
    found = measures.triangle_violations(D, triples)
    assert found.share == pytest.approx(share)
    assert found.mean_excess == pytest.approx(np.mean(excess) if excess else 0)
    assert found.largest_excess == pytest.approx(max(excess, default=0))


@given(whole_squares)
def test_duplicates_are_those_with_an_equal_before_them(D):
    assert measures.repeats((D + D.T) / 2).sum() == oracles.duplicates(D)


@given(whole_squares, st.data())
def test_nearest_neighbor_error_goes_from_row_to_column(D, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(D), max_size=len(D))))
    assert measures.nearest_neighbor_error(D, y) == pytest.approx(oracles.nearest_neighbor_error(D, y))
    assert measures.majority_error(y) == pytest.approx(min(np.mean(y != c) for c in range(3)))


@given(whole_squares)
def test_occurrences_share_tied_places(D):
    for k in {1, len(D) // 2, len(D) - 1}:
        found = measures.occurrences(D, k)
        np.testing.assert_allclose(found, oracles.occurrences(D, k))
        assert found.sum() == pytest.approx(k * len(D))


@given(whole_squares)
def test_negative_eigenfraction_is_a_share(D):
    S = plain(D)
    found = measures.negative_eigenfraction(S)
    assert 0 <= found < 1
    assert found == pytest.approx(measures.negative_eigenfraction(7 * S), abs=1e-9)


@given(whole_squares, st.data())
def test_silhouette_is_that_of_scikit_learn(D, data):
    n = len(D)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    S = plain(D) + 1e-3 * (1 - np.eye(n))  # scikit-learn divides by 0 where all are equal
    found = measures.silhouette(S, y)
    if len(set(y.tolist())) == 1:
        assert found is None
    elif len(set(y.tolist())) < n:  # scikit-learn wants a class of two
        assert found == pytest.approx(silhouette_score(S, y, metric="precomputed"))


def test_the_diagonal_does_not_count_in_the_silhouette():
    S = plain(np.random.default_rng(0).random((9, 9)))
    y = np.arange(9) % 2
    assert measures.silhouette(S + np.eye(9), y) == pytest.approx(measures.silhouette(S, y))


def test_figures_of_random_matrices():
    rng = np.random.default_rng(0)
    D = rng.random((60, 60))
    assert measures.negative_eigenfraction((D + D.T) / 2) == pytest.approx(oracles.negative_eigenfraction(D))
    assert measures.hubness(D, 10) == pytest.approx(oracles.skewness(oracles.occurrences(D, 10)))
    assert two_nn(plain(D)) == pytest.approx(oracles.two_nn(plain(D)))
    found = measures.asymmetry(D)
    assert found.largest == pytest.approx(np.abs(D - D.T).max())
    off = ~np.eye(60, dtype=bool)
    assert found.relative == pytest.approx(np.abs(D - D.T)[off].mean() / D[off].mean())


def test_random_triples_are_distinct_and_reach_every_object():
    a, b, c = measures.triples(60, np.random.default_rng(0))
    assert len(a) == 100_000
    assert ((a != b) & (b != c) & (a != c)).all()
    for part in (a, b, c):
        assert np.bincount(part, minlength=60) / len(a) == pytest.approx(np.full(60, 1 / 60), rel=0.15)


@pytest.mark.parametrize(("n", "number"), [(0, 0), (2, 0), (3, 6), (10, 720), (47, 47 * 46 * 45)])
def test_few_objects_give_all_triples(n, number):
    found = measures.triples(n, np.random.default_rng(0))
    assert found.shape == (3, number)
    assert len(set(zip(*found.tolist(), strict=True))) == number


def test_euclidean_distances_have_no_negative_eigenvalues_and_keep_the_triangle_inequality():
    X = np.random.default_rng(0).normal(size=(80, 5))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    assert measures.negative_eigenfraction(D) < 1e-10
    assert measures.triangle_violations(D, measures.triples(80, np.random.default_rng(0))).share == 0
    assert measures.negative_eigenfraction(np.zeros((4, 4))) == 0


def test_a_hub_is_skew_and_a_ring_is_not():
    n = 50
    ring = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    ring = np.minimum(ring, n - ring).astype(float)
    assert measures.hubness(ring, 10) == 0
    star = np.random.default_rng(0).uniform(2, 3, (n, n))
    star[:, 0] = 1
    assert measures.hubness(star, 10) > 3
    assert measures.hubness(ring[:10, :10], 10) is None


@pytest.mark.parametrize("d", [1, 2, 4, 8])
def test_two_nn_of_a_cube(d):
    X = np.random.default_rng(0).random((1000, d))
    assert two_nn(np.linalg.norm(X[:, None] - X, axis=2)) == pytest.approx(d, rel=0.2)


def test_two_nn_of_too_few_or_all_tied_objects_is_nan():
    assert np.isnan(two_nn(np.zeros((5, 5))))
    assert np.isnan(two_nn(1 - np.eye(5)))
    assert np.isnan(levina_bickel(np.array([[0.0, 1.0], [1.0, 0.0]])))
