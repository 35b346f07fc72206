import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.search import AllBut, by_class, by_cluster, same_for_all


def pools_of(kind, k, more, rng):
    clusters = np.concatenate([np.arange(k), rng.integers(0, k, more)])
    candidates = np.arange(k + more) * 2
    if kind == "clusters":
        return by_cluster(candidates, clusters, k)
    if kind == "classes":
        codes = np.zeros(2 * (k + more), np.intp)
        codes[candidates] = clusters
        return by_class(candidates, codes, candidates[:1] + 1, np.sort(rng.integers(0, k, k - 1)))
    return same_for_all(candidates, k)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(["clusters", "classes", "all"]),
    st.integers(2, 6),
    st.integers(0, 300),
    st.integers(0, 2**32),
)
def test_genes_drawn_at_once_are_those_drawn_one_by_one(kind, k, more, seed):
    rng = np.random.default_rng(seed)
    pools = pools_of(kind, k, more, rng)
    n = 5
    individuals = np.array([[pools.draw(p, [], rng) for p in range(k)] for _ in range(n)])
    owners, positions = (rng.random((n, k)) < 0.3).nonzero()
    at_once, in_turn = np.random.default_rng(seed), np.random.default_rng(seed)
    genes = pools.draw_each(positions, individuals, owners, at_once)
    if genes is None:
        assert at_once.bit_generator.state == in_turn.bit_generator.state
        return
    now = individuals.copy()
    for i, position, gene in zip(owners, positions, genes, strict=True):
        assert pools.draw(position, now[i].tolist(), in_turn) == gene
        now[i, position] = gene
    assert at_once.bit_generator.state == in_turn.bit_generator.state


@pytest.mark.parametrize("owners", [[0, 0], [0, 1]])
def test_genes_are_not_drawn_at_once_where_an_individual_would_get_one_twice(owners):
    pools = same_for_all(np.arange(1), 2)
    drawn = pools.draw_each(
        np.array([0, 1]), np.empty((2, 0), np.intp), np.array(owners), np.random.default_rng(0)
    )
    assert (drawn is None) == (owners == [0, 0])


@given(st.data(), st.integers(1, 30))
def test_all_but_a_few_are_like_the_array_of_them(data, n):
    left_out = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n)), np.intp)
    every, expected = AllBut(n, left_out), np.delete(np.arange(n), left_out)
    assert len(every) == len(expected)
    np.testing.assert_array_equal(np.asarray(every), expected)
    positions = np.arange(len(expected))[::-1]
    np.testing.assert_array_equal(every[positions], expected[positions])
    assert [every[i] for i in range(len(expected))] == expected.tolist()
