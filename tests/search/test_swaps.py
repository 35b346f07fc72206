"""The search by exchanges against a loop that tries one candidate after the other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.search import Quota, Swaps
from protopick.search import swaps as module
from tests import oracles

both_ways = pytest.mark.parametrize("best_of_batch", [False, True], ids=["first", "best"])


def worth_of_pairs(W):
    """A value of sets that is no sum: what a prototype brings depends on the others and on its place."""

    def value(w):
        return float(sum(W[a, b] for a, b in pairwise(w)) + W[w[0], w[-1]])

    return value


def run(value, start, pool, **params):
    search = Swaps(np.array(start), value(list(start)), np.array(pool, dtype=np.intp), **params)
    sets = [search.best.tolist()]
    while not search.done:
        candidates = search.ask()
        assert len(candidates)
        assert not set(candidates.tolist()) & set(search.best.tolist())
        table = [
            [value([*sets[-1][:j], c, *sets[-1][j + 1 :]]) for j in range(len(start))]
            for c in candidates.tolist()
        ]
        exchange = search.tell(np.array(table))
        if exchange is not None:
            position, candidate = exchange
            sets.append([*sets[-1][:position], candidate, *sets[-1][position + 1 :]])
        assert search.best.tolist() == sets[-1]
    return search, sets


@st.composite
def searches(draw):
    n = draw(st.integers(3, 40))
    k = draw(st.integers(1, min(5, n)))
    seed = draw(st.integers(0, 2**32 - 1))
    W = np.random.default_rng(seed).integers(0, draw(st.sampled_from([2, 5, 1000])), size=(n, n))
    order = draw(st.permutations(range(n)))
    size = draw(st.integers(0, n - k))
    return W, order[:k], order[k : k + size], draw(st.integers(0, k))


@both_ways
@settings(deadline=None, max_examples=80)
@given(case=searches())
def test_the_same_as_a_loop_over_candidates(best_of_batch, case):
    W, start, pool, n_fixed = case
    oracle = oracles.best_of_batch if best_of_batch else oracles.first_improvement
    expected, history = oracle(worth_of_pairs(W), start, pool, n_fixed)
    search, _ = run(worth_of_pairs(W), start, pool, n_fixed=n_fixed, best_of_batch=best_of_batch)
    assert search.best.tolist() == expected
    assert search.history == history
    assert search.best_value == history[-1]


@both_ways
@settings(deadline=None, max_examples=80)
@given(case=searches(), data=st.data())
def test_the_same_with_a_quota_that_is_kept_all_the_way(best_of_batch, case, data):
    W, start, pool, n_fixed = case
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(W), max_size=len(W))))
    counts = np.bincount(codes[start], minlength=3)
    slack = np.array(data.draw(st.lists(st.integers(0, 1), min_size=6, max_size=6)))
    quota = Quota(codes, np.maximum(counts - slack[:3], 0), counts + slack[3:])
    oracle = oracles.best_of_batch if best_of_batch else oracles.first_improvement
    allowed = oracles.keeps(codes, quota.low, quota.high)
    expected, history = oracle(worth_of_pairs(W), start, pool, n_fixed, allowed)
    search, sets = run(
        worth_of_pairs(W), start, pool, n_fixed=n_fixed, quota=quota, best_of_batch=best_of_batch
    )
    assert search.best.tolist() == expected
    assert search.history == history
    assert all(quota.keeps(np.array(w)) for w in sets)


@both_ways
@settings(deadline=None, max_examples=60)
@given(case=searches())
def test_it_only_rises_and_ends_where_no_exchange_is_better(best_of_batch, case):
    W, start, pool, n_fixed = case
    value = worth_of_pairs(W)
    search, sets = run(value, start, pool, n_fixed=n_fixed, best_of_batch=best_of_batch)
    assert [value(w) for w in sets] == search.history
    assert all(a < b for a, b in pairwise(search.history))
    assert all(w[:n_fixed] == start[:n_fixed] for w in sets)
    assert all(len(set(w)) == len(start) for w in sets)
    left = (set(start) | set(pool)) - set(sets[-1])
    for candidate in left:
        for position in range(n_fixed, len(start)):
            after = [*sets[-1][:position], candidate, *sets[-1][position + 1 :]]
            assert value(after) <= search.best_value


@settings(deadline=None, max_examples=60)
@given(case=searches(), sizes=st.tuples(st.integers(1, 5), st.integers(5, 60)))
def test_how_many_are_asked_at_once_does_not_change_first_improvement(case, sizes):
    W, start, pool, n_fixed = case
    reference, _ = run(worth_of_pairs(W), start, pool, n_fixed=n_fixed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST", sizes[1])
        other, _ = run(worth_of_pairs(W), start, pool, n_fixed=n_fixed, smallest=sizes[0])
    assert other.best.tolist() == reference.best.tolist()
    assert other.history == reference.history
    assert other.n_looked == reference.n_looked


def test_batches_of_64():
    rng = np.random.default_rng(0)
    W = rng.integers(0, 10**6, size=(400, 400))
    order = rng.permutation(400).tolist()
    search, _ = run(worth_of_pairs(W), order[:4], order[4:], best_of_batch=True)
    assert (search.best.tolist(), search.history) == oracles.best_of_batch(
        worth_of_pairs(W), order[:4], order[4:]
    )


@both_ways
def test_upcoming_are_those_that_are_asked(best_of_batch):
    search = Swaps(np.arange(3), 0.0, np.arange(3, 500), best_of_batch=best_of_batch)
    foreseen = search.upcoming(100).tolist()
    asked = []
    while len(asked) < 100:
        asked += search.ask().tolist()
        search.tell(np.zeros((len(search.ask()), 3)))
    assert asked[:100] == foreseen


@pytest.mark.parametrize(("pool", "n_fixed"), [([], 0), ([5, 6], 2)], ids=["no candidates", "all fixed"])
def test_nothing_to_do(pool, n_fixed):
    search = Swaps(np.arange(2), 1.0, np.array(pool, dtype=np.intp), n_fixed=n_fixed)
    assert search.done
    assert search.best.tolist() == [0, 1]
    assert search.history == [1.0]
