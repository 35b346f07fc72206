from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.search import Genetic, by_cluster, same_for_all


def evolve(pools, seed=0, **params):
    settings = {"population_size": 8, "n_generations": 10, "crossover_rate": 0.5, "mutation_rate": 0.3}
    search = Genetic(pools, rng=np.random.default_rng(seed), **(settings | params))
    asked = []
    while not search.done:
        asked.append(search.ask())
        search.tell(asked[-1].sum(axis=1))
    return search, asked


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 12), st.integers(0, 20), st.integers(0, 2**32))
def test_individuals_stay_sets_of_candidates(k, more, seed):
    candidates = np.arange(k + more) * 3
    _, asked = evolve(same_for_all(candidates, k), seed)
    for population in asked:
        assert population.shape == (8, k)
        assert all(len(set(w)) == k for w in population.tolist())
        assert np.isin(population, candidates).all()


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 8), st.integers(0, 30), st.integers(0, 2**32))
def test_gene_j_stays_in_cluster_j(k, more, seed):
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([np.arange(k), rng.integers(0, k, more)])
    _, asked = evolve(by_cluster(np.arange(k + more), clusters, k), seed)
    for population in asked:
        assert (clusters[population] == np.arange(k)).all()


def test_the_best_is_kept_and_is_the_best_ever_asked():
    search, asked = evolve(same_for_all(np.arange(100), 5))
    assert search.best_value == max(population.sum(axis=1).max() for population in asked)
    assert search.best.sum() == search.best_value
    for before, after in pairwise(asked):
        best = before[before.sum(axis=1) == before.sum(axis=1).max()].tolist()
        assert any(w in after.tolist() for w in best)


def test_without_crossover_and_mutation_nothing_changes():
    _, asked = evolve(same_for_all(np.arange(100), 5), crossover_rate=0, mutation_rate=0)
    assert all((population == asked[0]).all() for population in asked)


def test_full_crossover_makes_all_equal():
    pools = by_cluster(np.arange(100), np.arange(100) % 5, 5)
    _, asked = evolve(pools, crossover_rate=1, mutation_rate=0)
    assert (asked[1] == asked[1][0]).all()


@pytest.mark.parametrize("rate", [0.0, 0.2, 1.0])
def test_mutation_rate(rate):
    pools = same_for_all(np.arange(10**6), 10)
    _, asked = evolve(pools, population_size=400, n_generations=1, crossover_rate=0, mutation_rate=rate)
    changed = (asked[0] != asked[1]).mean()
    assert abs(changed - rate) < 0.03


def test_fixed_genes_never_change():
    _, asked = evolve(same_for_all(np.arange(10, 50), 5), fixed=np.array([3, 4]), mutation_rate=1.0)
    assert all((population[:, :2] == [3, 4]).all() for population in asked)


@pytest.mark.parametrize("clustered", [True, False])
def test_upcoming_genes_are_known_whatever_the_values(clustered):
    candidates = np.arange(10**6)
    pools = by_cluster(candidates, candidates % 7, 7) if clustered else same_for_all(candidates, 7)
    params = {"population_size": 8, "n_generations": 10, "crossover_rate": 0.5, "mutation_rate": 0.3}
    search = Genetic(pools, rng=np.random.default_rng(0), **params)
    values = np.random.default_rng(1)
    first = search.ask()
    foreseen = search.upcoming(10**6)
    np.testing.assert_array_equal(search.upcoming(5), foreseen[:5])
    seen = set()
    search.tell(values.random(8))
    while not search.done:
        seen |= set(search.ask().ravel().tolist()) - set(first.ravel().tolist())
        search.tell(values.random(8))
    assert set(foreseen.tolist()) == seen
