"""On tensors, dissimilarities are those of arrays."""

import numpy as np
import pytest

from protopick import RandomSelector, batch_metric

METRICS = [
    ("euclidean", {}),
    ("sqeuclidean", {}),
    ("cosine", {}),
    ("correlation", {}),
    ("mahalanobis", {}),
    ("seuclidean", {}),
    ("cityblock", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 1.5}),
    ("minkowski", {"p": 2}),
    ("canberra", {}),
    ("braycurtis", {}),
    ("hamming", {}),
]


def objects(n_features):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (70, n_features)) + rng.normal(size=(70, n_features)).round(1)
    X[5] = X[3]
    X[7] = 0
    return X


@pytest.mark.parametrize("n_features", [3, 50])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("metric", "params"), METRICS, ids=lambda value: str(value))
def test_the_space_is_the_same(metric, params, dtype, n_features, put):
    X = objects(n_features).astype(dtype)
    selector = RandomSelector(20, metric=metric, metric_params=params, random_state=0)
    on_host = selector.fit(X).transform(X)
    on_device = selector.fit(put(X)).transform(put(X)).cpu().numpy()
    assert on_device.dtype == on_host.dtype
    np.testing.assert_allclose(on_device, on_host, rtol=1e-4, atol=2e-3 if dtype == "float32" else 1e-6)


def test_equal_objects_far_from_the_origin_are_at_distance_0(put):
    X = (objects(50) + 1e4).astype(np.float32)
    D = RandomSelector(70, random_state=0).fit(put(X)).transform(put(X)).cpu().numpy()
    order = RandomSelector(70, random_state=0).fit(X).prototype_indices_
    assert (D[order, np.arange(70)] == 0).all()


def test_a_matrix_of_dissimilarities(put):
    X = objects(3)
    D = np.abs(X[:, None] - X).sum(axis=2)
    expected = RandomSelector(5, metric="precomputed", random_state=0).fit(D)
    found = RandomSelector(5, metric="precomputed", random_state=0).fit(put(D))
    assert found.prototype_indices_.tolist() == expected.prototype_indices_.tolist()
    np.testing.assert_array_equal(found.transform(put(D)).cpu(), expected.transform(D))


def test_a_function_of_batches_gets_tensors(put):
    X = objects(3)
    seen = []

    @batch_metric(symmetric=True)
    def apart(A, B):
        seen.append(type(A).__name__)
        return (A[:, None] - B).abs().sum(2)

    D = RandomSelector(5, metric=apart, random_state=0).fit(put(X)).transform(put(X))
    expected = RandomSelector(5, metric="cityblock", random_state=0).fit_transform(X)
    np.testing.assert_allclose(D.cpu(), expected)
    assert set(seen) == {"Tensor"}


def test_the_users_own_precision_is_left_alone(put):
    torch = pytest.importorskip("torch")
    matmul = torch.backends.cuda.matmul
    name = "fp32_precision" if hasattr(matmul, "fp32_precision") else "allow_tf32"
    before = getattr(matmul, name)
    X = objects(50).astype(np.float32)
    selector = RandomSelector(20, metric_params={"tf32": True}, random_state=0).fit(put(X))
    exact = RandomSelector(20, random_state=0).fit(put(X))
    np.testing.assert_allclose(selector.transform(put(X)).cpu(), exact.transform(put(X)).cpu(), rtol=2e-3)
    assert getattr(matmul, name) == before
