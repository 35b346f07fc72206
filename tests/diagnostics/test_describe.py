import importlib
import json
import time

import numpy as np
import pytest
from scipy import sparse

from protopick import batch_metric, describe, intrinsic_dimension, transformed
from tests import measure_oracles as oracles

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = np.where(X[:, 0] > 0, "right", "left")


def distances(X):
    return np.linalg.norm(X[:, None] - X, axis=2)


def absolute(a, b):
    return abs(a - b)


def test_euclidean_vectors():
    found = describe(X, y=Y)
    assert (found.n_objects, found.n_sample) == (400, 400)
    assert found.symmetric
    assert found.zero_diagonal
    assert found.n_negative == found.n_missing == found.n_duplicates == 0
    assert found.triangle_violations == found.triangle_excess == 0
    assert found.n_triples == 100_000
    assert found.negative_eigenfraction < 1e-9
    assert found.levina_bickel_dimension == pytest.approx(intrinsic_dimension(X))
    assert found.two_nn_dimension == pytest.approx(oracles.two_nn(distances(X)))
    assert found.nearest_neighbor_error == oracles.nearest_neighbor_error(distances(X), Y)
    assert found.n_classes == 2
    assert found.silhouette > 0
    assert found.seconds_each > 0
    assert found.points.shape == (400, 2)


@pytest.mark.parametrize(("seed", "asymmetric"), [(0, False), (1, True)])
def test_every_figure_of_a_random_matrix(seed, asymmetric):
    D = np.random.default_rng(seed).uniform(0.2, 1, size=(45, 45)) ** 2
    if not asymmetric:
        D = (D + D.T) / 2
        np.fill_diagonal(D, 0)
    y = np.arange(45) % 3
    found = describe(D, "precomputed", y=y)
    everything = [(a, b, c) for a in range(45) for b in range(45) for c in range(45) if len({a, b, c}) == 3]
    share, excess = oracles.violations(D, everything)
    assert found.n_triples == len(everything)
    assert found.triangle_violations == pytest.approx(share)
    assert found.triangle_excess == pytest.approx(np.mean(excess))
    assert found.largest_triangle_excess == pytest.approx(max(excess))
    assert found.negative_eigenfraction == pytest.approx(oracles.negative_eigenfraction(D))
    assert found.nearest_neighbor_error == pytest.approx(oracles.nearest_neighbor_error(D, y))
    assert found.hubness == pytest.approx(oracles.skewness(oracles.occurrences(D, 10)))
    assert found.symmetric != asymmetric
    assert found.zero_diagonal != asymmetric
    assert found.largest_self == D.diagonal().max()
    assert found.largest_asymmetry == np.abs(D - D.T).max()


def test_a_sample_is_the_same_as_its_objects_alone():
    D = distances(X)
    found = describe(D, "precomputed", y=Y, sample=60, random_state=5)
    assert found.n_objects == 400
    assert len(set(found.sample_indices.tolist())) == found.n_sample == 60
    part = found.sample_indices
    alone = describe(D[np.ix_(part, part)], "precomputed", y=Y[part])
    for name in (
        "negative_eigenfraction",
        "nearest_neighbor_error",
        "hubness",
        "two_nn_dimension",
        "silhouette",
    ):
        assert getattr(found, name) == pytest.approx(getattr(alone, name))
    np.testing.assert_array_equal(found.labels, Y[part])
    vectors = describe(X, y=Y, sample=60, random_state=5)
    np.testing.assert_array_equal(vectors.sample_indices, part)
    assert vectors.nearest_neighbor_error == found.nearest_neighbor_error


@pytest.mark.parametrize("kind", ["vectors", "sparse", "matrix", "pairs", "batches"])
def test_the_same_figures_whatever_n_jobs(kind):
    @batch_metric
    def squares(A, B):
        return np.subtract.outer(A, B) ** 2

    data, metric = {
        "vectors": (np.random.default_rng(0).normal(size=(3000, 40)).astype(np.float32), "euclidean"),
        "sparse": (sparse.random(900, 50, density=0.2, format="csr", random_state=0), "manhattan"),
        "matrix": (np.random.default_rng(0).random((300, 300)), "precomputed"),
        "pairs": (np.arange(60.0).tolist(), absolute),
        "batches": (np.arange(90.0).tolist(), squares),
    }[kind]
    n = data.shape[0] if hasattr(data, "shape") else len(data)
    first, second = [describe(data, metric, y=np.arange(n) % 3, n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert first == second  # the time of a dissimilarity is left out
    np.testing.assert_array_equal(first.points, second.points)
    assert first != describe(data, metric, y=np.arange(n) % 2)


def test_seeds_draw_other_samples():
    drawn = [describe(X, sample=50, random_state=seed).sample_indices.tolist() for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert describe(X, sample=50, random_state=np.random.default_rng(0)).sample_indices.tolist() == drawn[0]


def test_sparse_rows_as_dense_ones():
    rows = sparse.random(200, 60, density=0.2, format="csr", random_state=0)
    left, right = describe(rows), describe(rows.toarray())
    assert left.negative_eigenfraction == pytest.approx(right.negative_eigenfraction, abs=1e-9)
    assert left.hubness == pytest.approx(right.hubness)


def test_a_function_is_called_as_often_as_is_said():
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return abs(a - b)

    found = describe(list(range(40)), counted, sample=25)
    assert found.metric == "counted"
    assert len(calls) == found.n_dissimilarities == 25 * 25 + 1


def test_time_follows_the_cost_of_a_dissimilarity():
    def slow(a, b):
        time.perf_counter_ns()
        for _ in range(2000):
            pass
        return abs(a - b)

    numbers = list(range(50))
    assert describe(numbers, slow).seconds_each > 3 * describe(numbers, absolute).seconds_each > 0


def test_a_look_that_takes_long_says_so_at_once(monkeypatch):
    module = importlib.import_module("protopick.diagnostics.describe")
    monkeypatch.setattr(module, "_LONG", 1e-9)
    with pytest.warns(UserWarning, match=r"describe needs 400 dissimilarities, .* Pass a smaller sample"):
        describe(list(range(90)), absolute, sample=20)


def test_rounding_is_no_asymmetry_and_no_violation():
    D = np.abs(np.subtract.outer(np.arange(50.0), np.arange(50.0)))
    found = describe(D + RNG.uniform(0, 1e-7, size=D.shape), "precomputed")
    assert found.symmetric
    assert found.zero_diagonal
    assert found.triangle_violations == 0
    assert found.largest_asymmetry > 0


def test_very_large_and_very_small_values():
    D = distances(X[:60])
    expected = describe(D, "precomputed")
    for unit in (1e250, 1e-250):
        found = describe(unit * D, "precomputed")
        assert found.negative_eigenfraction == pytest.approx(expected.negative_eigenfraction, abs=1e-9)
        assert found.levina_bickel_dimension == pytest.approx(expected.levina_bickel_dimension)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_few_objects(n):
    found = describe(X[:n], y=Y[:n])
    assert found.n_sample == n
    assert (found.triangle_violations is None) == (n < 3)
    assert (found.two_nn_dimension is None) == (n < 3)
    assert (found.nearest_neighbor_error is None) == (n < 2)
    assert found.hubness is None
    for shown in (str(found), found._repr_html_(), json.dumps(found.to_dict(), allow_nan=False)):
        assert shown


@pytest.mark.parametrize("n", [2, 30])
def test_all_objects_equal(n):
    found = describe(np.ones((n, 3)), y=np.arange(n) % 2)
    assert found.n_duplicates == n - 1
    assert found.negative_eigenfraction == 0
    assert found.levina_bickel_dimension is found.two_nn_dimension is None
    assert found.hubness == (None if n == 2 else 0)
    assert found.silhouette == 0
    assert str(found)
    assert found._repr_html_()


def test_one_class_only():
    found = describe(X, y=["same"] * 400)
    assert found.n_classes == 1
    assert found.nearest_neighbor_error == found.majority_error == 0
    assert found.silhouette is None


def cosine_by_hand(a, b):
    return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


@pytest.mark.parametrize(
    "metric",
    [
        cosine_by_hand,
        batch_metric(lambda A, B: np.array([[cosine_by_hand(a, b) for b in B] for a in A])),
        transformed(cosine_by_hand, "sqrt"),
    ],
)
def test_what_is_negative_by_rounding_is_0(metric):
    V = np.random.default_rng(0).normal(size=(60, 7))
    assert min(cosine_by_hand(v, v) for v in V) < 0
    found = describe(V, metric)
    assert found.n_negative == found.n_missing == 0
    assert found.triangle_violations is not None


class TestBadValues:
    def check(self, found, negative, missing):
        assert (found.n_negative, found.n_missing) == (negative, missing)
        assert found.symmetric is found.hubness is found.points is found.negative_eigenfraction is None
        assert "Selectors refuse such values" in found.advice[0]
        assert str(found)
        assert "<svg" not in found._repr_html_()

    def test_of_a_matrix(self):
        D = distances(X[:30])
        D[3, 5], D[7, 1], D[2, 2], D[4, 4] = np.nan, -1, np.inf, np.nan
        self.check(describe(D, "precomputed", y=Y[:30]), 1, 3)

    def test_of_a_function_of_two_objects(self):
        self.check(describe(list(range(9)), lambda a, b: None if a == b == 3 else b - a), 36, 1)

    def test_of_a_function_of_these(self):
        signed = transformed(lambda a, b: b - a, "sqrt")
        self.check(describe(list(range(9)), signed), 0, 36)
        self.check(describe(np.ones((9, 2)), transformed("euclidean", lambda d: d - 1)), 81, 0)

    def test_of_a_function_of_two_batches(self):
        @batch_metric
        def bad(A, B):
            return np.full((len(A), len(B)), np.nan)

        self.check(describe(list(range(9)), bad), 0, 81)


class TestRefused:
    @pytest.mark.parametrize("sample", [0, 2, 10.5, "all", None, True])
    def test_sample(self, sample):
        with pytest.raises(ValueError, match=r"sample=.*whole number of at least 3"):
            describe(X, sample=sample)

    @pytest.mark.parametrize(
        ("kind", "settings", "message"),
        [
            (X, {"metric": "euclidian"}, "Did you mean 'euclidean'"),
            (X, {"metric_params": {"p": 3}}, "takes 'tf32'"),
            (X, {"metric": "precomputed"}, r"square matrix.*\(400, 5\)"),
            (X, {"y": Y[:-1]}, "y has 399 labels, but X has 400 objects"),
            (X, {"y": X}, "y should be a 1d array"),
            (X, {"y": X[:, 0]}, "continuous"),
            (X, {"random_state": -1}, "random_state=-1"),
            (X, {"n_jobs": 0}, "n_jobs=0"),
            (X * [np.nan, 1, 1, 1, 1], {}, "X contains NaN"),
            (["a", "b"], {}, "X holds text"),
            ([], {"metric": absolute}, "X has 0 objects"),
            (np.empty((0, 3)), {}, r"0 sample\(s\)"),
        ],
    )
    def test_as_the_selectors_do(self, kind, settings, message):
        with pytest.raises(ValueError, match=message):
            describe(kind, **settings)


@pytest.mark.parametrize(
    ("name", "fraction", "error"),
    [
        ("D_chickenpieces_20_60", 0.298, 0.0695),
        ("D_gpcr283", 0.031, 0.0530),
        ("D_protein213", 0.001, 0.0188),
        ("D_catcortex65", 0.208, 0.1692),
    ],
)
def test_known_figures_of_real_matrices(real_data, name, fraction, error):
    data = real_data(f"{name}.npz")
    found = describe(data["D"], "precomputed", y=data["y"])
    assert found.negative_eigenfraction == pytest.approx(fraction, abs=5e-4)
    assert found.nearest_neighbor_error == pytest.approx(error, abs=5e-5)
    assert found.symmetric == (name != "D_chickenpieces_20_60")
    assert found.n_sample == len(data["D"])


def test_a_sample_of_pendigits(real_data):
    data = real_data("pendigits.npz")
    found = describe(data["X"], y=data["y"])
    assert found.n_sample == 1000
    assert found.nearest_neighbor_error < 0.05
    assert 3 < found.levina_bickel_dimension < 9
    assert 3 < found.two_nn_dimension < 9
