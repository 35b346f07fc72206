import numpy as np
import pytest

from protopick import FarthestFirstSelector, GeneticSelector


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("criterion", ["spanning-tree", "label-match"])
def test_never_worse_than_where_it_starts(integer_data, criterion, clustered):
    X, y = integer_data
    start = FarthestFirstSelector(6, random_state=0).fit(X).prototype_indices_
    params = {"criterion": criterion, "clustered": clustered, "random_state": 0, "init": start}
    before = GeneticSelector(6, n_generations=0, population_size=1, **params).fit(X, y)
    after = GeneticSelector(6, **params).fit(X, y)
    assert set(before.prototype_indices_) == set(start)
    assert after.criterion_value_ >= before.criterion_value_


def test_the_history_never_falls(integer_data):
    selector = GeneticSelector(6, criterion="label-match", random_state=0).fit(*integer_data)
    assert len(selector.history_) == 21
    assert all(np.diff(selector.history_) >= 0)
    assert selector.history_[-1] == selector.criterion_value_


def test_a_population_to_start_from_is_kept_with_fixed_genes(integer_data):
    X, y = integer_data
    init = np.array([[9, 4, 2, 7], [1, 9, 30, 31]])
    selector = GeneticSelector(
        4, init=init, fixed=[9], population_size=2, n_generations=0, criterion="label-match"
    )
    found = selector.fit(X, y).prototype_indices_
    assert found[0] == 9
    assert any(set(found) == set(genes) for genes in init)


def test_columns_are_computed_once():
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.arange(500) % 2
    frozen = GeneticSelector(
        5, criterion="label-match", clustered=False, mutation_rate=0, crossover_rate=1, random_state=0
    ).fit(X, y)
    assert frozen.n_dissimilarities_ <= 20 * 5 * 500  # only the first population brings new genes
