import numpy as np
import pytest
import sklearn
from sklearn.base import clone

from protopick import GeneticSelector
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from protopick.search import AllIndices
from protopick.selectors.parts.clusters import ClustersOnDemand
from protopick.selectors.parts.problem import Problem


def clouds(n, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(30, 6)) * 2
    which = rng.integers(0, 30, n)
    return (centres[which] + rng.normal(size=(n, 6))).astype(np.float32), which % 6


def racing(**params):
    return GeneticSelector(12, criterion="label-match", evaluation="racing", random_state=0, **params)


def true_share(selector, X, y):
    return (selector.prototype_labels_[selector.transform(X).argmin(axis=1)] == y).mean()


@pytest.mark.parametrize("clustered", [True, False])
def test_as_good_as_exact_evaluation(clustered):
    X, y = clouds(30_000)
    shares = {
        evaluation: np.mean(
            [
                true_share(
                    racing(clustered=clustered).set_params(random_state=s, evaluation=evaluation).fit(X, y),
                    X,
                    y,
                )
                for s in range(5)
            ]
        )
        for evaluation in ("exact", "racing")
    }
    assert shares["racing"] > shares["exact"] - 0.03


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("n_pivots", [None, 16])
def test_same_seed_same_prototypes_for_any_number_of_jobs(clustered, n_pivots):
    X, y = clouds(20_000)
    fits = [
        racing(clustered=clustered, n_pivots=n_pivots, n_jobs=n_jobs).fit(X, y).prototype_indices_.tolist()
        for n_jobs in (1, 2, 1)
    ]
    assert fits[0] == fits[1] == fits[2]
    assert len(set(fits[0])) == 12


def test_the_cost_does_not_grow_with_the_number_of_objects():
    costs = [racing().fit(*clouds(n)).n_dissimilarities_ for n in (40_000, 640_000)]
    assert costs[1] < 2 * costs[0]


def test_the_value_is_an_estimate_of_the_true_one():
    X, y = clouds(50_000)
    selector = racing().fit(X, y)
    assert selector.criterion_value_ / len(X) == pytest.approx(true_share(selector, X, y), abs=0.02)


def test_auto_races_above_a_hundred_thousand_objects():
    X, y = clouds(110_000)
    auto = racing().set_params(evaluation="auto")
    assert auto.fit(X, y).n_dissimilarities_ == racing().fit(X, y).n_dissimilarities_
    small = clone(auto).fit(X[:20_000], y[:20_000])
    exact = clone(auto).set_params(evaluation="exact").fit(X[:20_000], y[:20_000])
    assert small.prototype_indices_.tolist() == exact.prototype_indices_.tolist()


def test_pivots_of_a_sample_only():
    X, y = clouds(600_000)
    selector = racing(n_pivots=16).fit(X, y)
    assert selector.n_dissimilarities_ < 16 * len(X) / 4


def test_fixed_candidates_and_init():
    X, y = clouds(20_000)
    start = np.arange(100, 112)
    selector = racing(fixed=[105], candidates=np.arange(50, 9000), init=start).fit(X, y)
    assert selector.prototype_indices_[0] == 105
    assert set(selector.prototype_indices_[1:]) <= set(range(50, 9000))


def test_clusters_found_on_demand_hold_what_is_nearest():
    X, _ = clouds(5000)
    columns = columns_of(X, resolve("euclidean").fit(X))
    problem = Problem(columns, 7, AllIndices(5000), np.array([3]), None, np.random.default_rng(0))
    pools = ClustersOnDemand(problem)
    centres = pools._centres
    assert centres[0] == 3
    D = np.linalg.norm(X[:, None] - X[centres][None], axis=2)
    rng = np.random.default_rng(1)
    for position in range(1, 7):
        drawn = [pools.draw(position, [], rng) for _ in range(50)]
        assert (D[drawn].argmin(axis=1) == position).all()
        assert len(set(drawn)) > 10


def test_forked_pools_give_the_same_draws():
    X, _ = clouds(5000)
    columns = columns_of(X, resolve("euclidean").fit(X))
    problem = Problem(columns, 4, AllIndices(5000), np.empty(0, int), None, np.random.default_rng(0))
    pools, rng = ClustersOnDemand(problem), np.random.default_rng(0)
    fork = pools.fork()
    ahead = [fork.draw(i % 4, [], rng) for i in range(200)]
    assert ahead == [pools.draw(i % 4, [], rng) for i in range(200)]


def test_equal_objects():
    few = np.repeat(np.eye(3, dtype=np.float32), 4000, axis=0)
    y = np.arange(12_000) % 2
    with pytest.raises(ValueError, match="equal one of 3"):
        racing().fit(few, y)
    with pytest.warns(UserWarning, match="like 6,000 of 12,000 objects"):
        selector = racing().set_params(n_prototypes=3).fit(few, y)
    assert len(np.unique(selector.prototypes_, axis=0)) == 3


@pytest.mark.parametrize("memory", [1024, 1, 0])
def test_the_budget_does_not_change_the_sample(memory):
    X, y = clouds(20_000)
    expected = racing().fit(X, y)
    with sklearn.config_context(working_memory=memory):
        found = racing().fit(X, y)
    assert found.prototype_indices_.tolist() == expected.prototype_indices_.tolist()
    assert found.history_ == expected.history_


def test_a_generator_is_known_by_its_state():
    X, y = clouds(20_000)
    one, other = np.random.default_rng(1), np.random.default_rng(2)
    other.bit_generator.state = one.bit_generator.state
    picked = [
        racing().set_params(random_state=rng).fit(X, y).prototype_indices_.tolist() for rng in (one, other)
    ]
    assert picked[0] == picked[1]


def test_rare_objects_are_found_by_a_pass_over_all():
    X = np.zeros((110_000, 2), np.float32)
    X[:12] = np.random.default_rng(0).normal(size=(12, 2))
    y = np.arange(110_000) % 2
    assert len(np.unique(racing().set_params(n_prototypes=3).fit(X, y).prototypes_, axis=0)) == 3


def test_few_objects_are_not_asked_again_and_again():
    X, y = clouds(200)
    cost = (
        racing().set_params(n_prototypes=5, n_generations=0, population_size=2).fit(X, y).n_dissimilarities_
    )
    assert cost < 200 * 30


def test_nor_does_it_where_clusters_run_out_of_members():
    rng = np.random.default_rng(0)
    rare = np.repeat(30 * rng.normal(size=(250, 20)), 8, axis=0)  # in all directions
    X = np.concatenate([rng.normal(size=(18_000, 20)), rare + rng.normal(size=rare.shape) / 10])
    X = rng.permutation(X.astype(np.float32))
    y = (X[:, 0] > 0).astype(int)
    for seed in (1, 4, 5):
        found = []
        for memory in (1024, 1):
            with sklearn.config_context(working_memory=memory):
                selector = racing().set_params(n_prototypes=15, random_state=seed).fit(X, y)
            found.append(selector.prototype_indices_.tolist())
        assert found[0] == found[1]
