"""What is said of tensors that cannot be used, and what is done where a device is short of memory."""

import numpy as np
import pytest

from protopick import FarthestFirstSelector, GeneticSelector, RandomSelector, SwapSelector
from protopick.dissimilarity import tensors
from protopick.engine import on_tensors

torch = pytest.importorskip("torch")

X = np.random.default_rng(0).normal(size=(300, 40)).astype(np.float32)
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (torch.zeros(5), "Expected 2D array"),
        (torch.zeros((5, 2, 2)), "Expected 2D array"),
        (torch.zeros((0, 3)), "at least one row"),
        (torch.zeros((5, 2), dtype=torch.complex64), "real numbers"),
        (torch.eye(5).to_sparse(), "X.to_dense()"),
        (torch.tensor([[0.0, 1], [float("nan"), 2]]), r"X\[1, 0\] is nan"),
    ],
)
def test_bad_tensors(tensor, message):
    with pytest.raises(ValueError, match=message):
        RandomSelector(1).fit(tensor)


@pytest.mark.parametrize("metric", ["jaccard", "dtw", "gower", lambda a, b: 0.0])
def test_metrics_that_stay_on_the_host(metric):
    with pytest.raises(ValueError, match=r"tensor"):
        FarthestFirstSelector(2, metric=metric).fit(torch.from_numpy(X))


def test_labels_on_another_device():
    y = torch.empty(len(X), device="meta")
    with pytest.raises(ValueError, match=r"y is on the device 'meta', but X is on 'cpu'.*y.to\(X.device\)"):
        GeneticSelector(5, criterion="label-match").fit(torch.from_numpy(X), y)


def test_other_features_than_were_fitted():
    selector = RandomSelector(2, random_state=0).fit(torch.from_numpy(X))
    with pytest.raises(ValueError, match="X has 39 features"):
        selector.transform(torch.from_numpy(X[:, 1:]))


def test_tf32_is_yes_or_no():
    with pytest.raises(ValueError, match="tf32='maybe'"):
        RandomSelector(2, metric_params={"tf32": "maybe"}).fit(X)


def limit(monkeypatch, most):
    """Let no more than so many keys be computed at once; return a list that grows with each refusal."""
    refused = []

    def limited(compute):
        def keys(form, rows, cols):
            if len(rows.values) * len(cols.values) > most:
                refused.append(len(rows.values))
                raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
            return compute(form, rows, cols)

        return keys

    monkeypatch.setattr(tensors._Squares, "keys", limited(tensors._Squares.keys))
    return refused


def test_with_little_memory_tiles_are_smaller(monkeypatch):
    expected = SwapSelector(5, random_state=0).fit(torch.from_numpy(X), Y)
    monkeypatch.setattr(on_tensors, "_FEWEST_NUMBERS", 16)
    refused = limit(monkeypatch, most=2000)
    found = SwapSelector(5, random_state=0).fit(torch.from_numpy(X), Y)
    assert refused
    assert found.prototype_indices_.tolist() == expected.prototype_indices_.tolist()


def test_with_too_little_memory_it_says_so(monkeypatch):
    limit(monkeypatch, most=0)
    with pytest.raises(MemoryError, match=r"too little free memory beside the 300 rows of X"):
        FarthestFirstSelector(5, random_state=0).fit(torch.from_numpy(X))


def test_a_gpu_with_hardly_any_memory_left():
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    rows = torch.randn((400_000, 64), device="cuda")
    y = (rows[:, 0] > 0).cpu().numpy()
    selector = GeneticSelector(20, criterion="label-match", evaluation="exact", random_state=0)
    expected = selector.fit(rows, y).criterion_value_
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_allocated() + 3e8) / total)
    try:
        assert selector.fit(rows, y).criterion_value_ == expected
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
