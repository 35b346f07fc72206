"""The fast code picks what the paper's pseudo-code picks, whatever the threads, tiles and memory."""

from functools import partial

import numpy as np
import pytest
import sklearn

from protopick import FarthestFirstSelector, ForwardSelector, GeneticSelector, KCentersSelector
from tests import oracles

SETTINGS = [
    pytest.param({"n_jobs": 1}, id="1 job"),
    pytest.param({"n_jobs": 2}, id="2 jobs"),
    pytest.param({"n_jobs": 2, "memory": 0.02}, id="20 kB"),
    pytest.param({"n_jobs": 1, "memory": 0}, id="no memory"),
    pytest.param({"n_jobs": 2, "tile": 7}, id="tiles of 7"),
    pytest.param({"n_jobs": 1, "tile": 32, "memory": 0.01}, id="tiles of 32, 10 kB"),
]


@pytest.fixture(params=SETTINGS)
def fit(request, tiles_of):
    """Fit a selector under one setting of the engine."""
    setting = dict(request.param)
    tile = setting.pop("tile", None)
    tiles_of(tile)

    def run(selector, X, y=None):
        selector.set_params(n_jobs=setting["n_jobs"])
        with sklearn.config_context(working_memory=setting.get("memory", 1024)):
            return selector.fit(X, y).prototype_indices_.tolist()

    return run


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("criterion", ["spanning-tree", "label-match"])
@pytest.mark.parametrize("wide", [False, True], ids=["4 features", "40 features"])
def test_genetic(fit, integer_data, criterion, clustered, wide):
    X, y = integer_data
    X = np.tile(X, 10) + 100 if wide else X  # 40 features go through the matrix product
    D = oracles.euclidean(X)
    fitness = (
        partial(oracles.tree_weight, D)
        if criterion == "spanning-tree"
        else partial(oracles.label_matches, D, y)
    )
    for seed in range(2):
        selector = GeneticSelector(
            5, criterion=criterion, clustered=clustered, random_state=seed, n_generations=6, population_size=8
        )
        expected = oracles.genetic(fitness, D, 5, seed, clustered, n_generations=6, population_size=8)
        assert fit(selector, X, y) == expected
        assert selector.criterion_value_ == pytest.approx(fitness(expected), rel=1e-12)


@pytest.mark.parametrize("clustered", [True, False])
def test_genetic_with_candidates_and_fixed(fit, integer_data, clustered):
    X, y = integer_data
    D = oracles.euclidean(X)
    candidates, fixed = np.arange(10, 60), [3, 20]
    selector = GeneticSelector(
        6,
        criterion="label-match",
        clustered=clustered,
        candidates=candidates,
        fixed=fixed,
        random_state=5,
        n_generations=5,
        population_size=6,
    )
    expected = oracles.genetic(
        partial(oracles.label_matches, D, y),
        D,
        6,
        5,
        clustered,
        n_generations=5,
        population_size=6,
        candidates=candidates.tolist(),
        fixed=fixed,
    )
    assert fit(selector, X, y) == expected


@pytest.mark.parametrize("clustered", [True, False])
def test_genetic_on_an_asymmetric_matrix(fit, clustered):
    rng = np.random.default_rng(0)
    D = rng.integers(1, 30, size=(60, 60)).astype(float)
    np.fill_diagonal(D, 0)
    for criterion, fitness in [
        ("spanning-tree", partial(oracles.tree_weight, D)),
        ("label-match", partial(oracles.label_matches, D, np.arange(60) % 4)),
    ]:
        selector = GeneticSelector(
            4, metric="precomputed", criterion=criterion, clustered=clustered, random_state=1, n_generations=5
        )
        expected = oracles.genetic(fitness, D, 4, 1, clustered, n_generations=5)
        assert fit(selector, D, np.arange(60) % 4) == expected


def test_farthest_first(fit, integer_data):
    X, _ = integer_data
    for data in (X, np.tile(X, 10)):
        D = oracles.euclidean(data)
        for seed in range(3):
            assert fit(FarthestFirstSelector(9, random_state=seed), data) == oracles.farthest_first(
                D, 9, seed
            )
        assert fit(FarthestFirstSelector(9, fixed=[5, 8]), data) == oracles.farthest_first(D, 9, 0, [5, 8])


def test_k_centers(fit, integer_data):
    X, _ = integer_data
    for data in (X, np.tile(X, 10)):
        D = oracles.euclidean(data)
        for seed in range(3):
            assert fit(KCentersSelector(5, random_state=seed), data) == oracles.k_centres(D, 5, seed)


def test_k_centers_on_an_asymmetric_matrix(fit):
    D = np.random.default_rng(0).integers(1, 30, size=(70, 70)).astype(float)
    np.fill_diagonal(D, 0)
    assert fit(KCentersSelector(4, metric="precomputed", random_state=2), D) == oracles.k_centres(D, 4, 2)


def test_forward_selection(fit, integer_data):
    X, y = integer_data
    for data in (X, np.tile(X, 10)):
        D = oracles.euclidean(data)
        assert fit(ForwardSelector(6), data, y) == oracles.forward_selection(D, y, 6)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("memory", [0, 1, 1024])
@pytest.mark.parametrize("d", [5, 50])
def test_real_numbers_give_the_same_prototypes_too(n_jobs, memory, d):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, d)).astype(np.float32) + 5
    y = rng.integers(0, 3, 3000)
    selector = GeneticSelector(6, criterion="label-match", random_state=0, n_generations=4)
    reference = selector.fit(X, y)
    with sklearn.config_context(working_memory=memory):
        other = GeneticSelector(**selector.get_params()).set_params(n_jobs=n_jobs).fit(X, y)
    assert other.prototype_indices_.tolist() == reference.prototype_indices_.tolist()
    assert other.history_ == reference.history_
