"""The loops for a GPU do what is done without them."""

import numpy as np
import pytest

from protopick.criteria import CRITERIA, Data
from protopick.dissimilarity import resolve, tensors
from protopick.engine import columns_of
from protopick.objects import TensorRows

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")

N, K = 700, 6


def bound(criterion, X, y, weights):
    rows = TensorRows(torch.from_numpy(X).cuda())
    columns = columns_of(rows, resolve("sqeuclidean").fit(rows))
    return CRITERIA[criterion].bind(Data(columns, y, weights, np.random.default_rng(0)))


def with_and_without(monkeypatch, look):
    """Return what ``look`` gives with loops and without."""
    assert tensors.loops(torch.device("cuda")) is not None
    fast = look()
    monkeypatch.setattr(tensors, "_triton_kernels", lambda: None)
    assert tensors.loops(torch.device("cuda")) is None
    return fast, look()


@pytest.fixture(params=["whole", "real"])
def problem(request):
    """Rows with many ties, or none; labels."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (N, 3)) if request.param == "whole" else rng.normal(size=(N, 9))
    return X.astype(np.float32), rng.integers(0, 4, N)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [1, 2, K, 40])
@pytest.mark.parametrize(
    "criterion", ["label-match", "coverage", "radius", "neighbor-agreement", "neighbor-margin"]
)
def test_exchanges(criterion, k, weighted, problem, monkeypatch):
    X, y = problem
    weights = np.random.default_rng(2).integers(0, 5, N) if weighted else None
    rng = np.random.default_rng(3)
    start, new = np.split(rng.choice(N, 3 * k + 5, replace=False), [k])

    def look():
        around = bound(criterion, X, y, weights).around(start)
        found = [around.values(new), [around.value]]
        around.exchange(k // 2, int(new[0]))
        return [*found, around.values(new[1:]), [around.value]]

    fast, slow = with_and_without(monkeypatch, look)
    for mine, other in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("n_classes", [1, 2, 4, 17, 70])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [1, K, 20])
@pytest.mark.parametrize("criterion", ["linear-margin", "quadratic-margin"])
def test_margins(criterion, k, weighted, n_classes, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(N, 40)).astype(np.float32), rng.integers(0, n_classes, N)
    weights = rng.integers(1, 5, N) if weighted else None
    start, new = np.split(rng.choice(N, 3 * k + 5, replace=False), [k])
    fast, slow = with_and_without(
        monkeypatch, lambda: bound(criterion, X, y, weights).around(start).values(new)
    )
    np.testing.assert_allclose(fast, slow, atol=2e-5)
    assert n_classes == 1 or len(np.unique(fast)) > min(50, fast.size // 2)


@pytest.mark.parametrize("criterion", ["label-match", "neighbor-agreement", "neighbor-margin"])
def test_populations(criterion, problem, monkeypatch):
    sets = np.array([np.random.default_rng(i).choice(N, K, replace=False) for i in range(9)])
    fast, slow = with_and_without(monkeypatch, lambda: bound(criterion, *problem, None)(sets))
    np.testing.assert_array_equal(fast, slow)


def test_one_column(monkeypatch):
    X = np.random.default_rng(0).integers(0, 9, (N, 300)).astype(np.float32)
    rows = TensorRows(torch.from_numpy(X).cuda())
    columns = columns_of(rows, resolve("sqeuclidean").fit(rows))

    def look():
        measure = columns.dissimilarity
        encoded = measure.encode(rows)
        return measure.lone_keys(encoded, encoded.pick(slice(5, 6))).cpu()

    fast, slow = with_and_without(monkeypatch, look)
    assert torch.equal(fast, slow)
