"""Small cases whose times pytest-benchmark keeps, to see when a change made something slower.

Not part of the tests. Run ``pytest benchmarks/speed/test_history.py --benchmark-autosave``, and after a
change the same with ``--benchmark-compare``.
"""

import pytest

from benchmarks.speed.data import mixture
from benchmarks.speed.ours import farthest_first, label_match, spanning_tree
from protopick import RandomSelector

SELECTORS = {
    "label-match, exact": label_match(),
    "label-match, 64 pivots": label_match(n_pivots=64),
    "label-match, racing": label_match(evaluation="racing"),
    "spanning-tree": spanning_tree(),
    "farthest-first": farthest_first(),
}


@pytest.fixture(scope="module")
def digits_like():
    return mixture(5_000, 64, n_classes=10)


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS.keys())
def test_fit(benchmark, selector, digits_like):
    benchmark.pedantic(selector.fit, digits_like, rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_transform(benchmark, metric, digits_like):
    X, _ = digits_like
    selector = RandomSelector(20, metric=metric, random_state=0).fit(X)
    benchmark.pedantic(selector.transform, (X,), rounds=7, warmup_rounds=1)
