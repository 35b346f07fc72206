import time
from functools import cache

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs

from protopick import FarthestFirstSelector, GeneticSelector, SwapSelector
from protopick.criteria import CRITERIA
from tests import oracles

every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
SUMS = ["label-match", "coverage", "neighbor-agreement", "discriminant"]  # what weights count for


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def some_digits(digits):
    return digits[0][:300], digits[1][:300]


def absolute(a, b):
    return float(np.abs(a - b).sum())


def data_for(metric, seed=0):
    """Objects whose dissimilarities are whole numbers with ties, and their matrix."""
    rng = np.random.default_rng(seed)
    if metric == "precomputed":
        D = rng.integers(1, 30, size=(40, 40)).astype(float)
        np.fill_diagonal(D, 0)
        return D, D, rng.integers(0, 3, 40)
    X = rng.integers(0, 9, size=(40, 3)).astype(float)
    y = (X.sum(axis=1).astype(int) // 5 + rng.integers(0, 2, 40)) % 3
    D = oracles.euclidean(X) if metric == "euclidean" else np.abs(X[:, None] - X).sum(axis=2)
    return X, D, y


def slowly(criterion, D, y, k, seed, n_tried, weights=None, fixed=(), best=False):
    """The selector's draws, then the loop over candidates."""
    rng = np.random.default_rng(seed)
    if CRITERIA[criterion].samples:
        rng.integers(2**63, size=4)
    candidates = np.setdiff1d(np.arange(len(D)), fixed)
    pool = candidates[rng.choice(len(candidates), n_tried + k - len(fixed), replace=False)]
    drawn = candidates[rng.choice(len(candidates), k - len(fixed), replace=False)]
    start = [*fixed, *drawn.tolist()]
    weights = [1] * len(D) if weights is None else weights
    search = oracles.best_of_batch if best else oracles.first_improvement
    pool = [c for c in pool.tolist() if c not in start][:n_tried]
    return search(lambda w: oracles.CRITERIA[criterion](D, y, w, weights), start, pool, len(fixed))


@cache
def expected_of(criterion, metric, best):
    _, D, y = data_for(metric)
    return slowly(criterion, D, y, 4, 3, 12, best=best)


SETTINGS = [
    pytest.param(1, 1024, None, id="1 job"),
    pytest.param(2, 1024, None, id="2 jobs"),
    pytest.param(2, 0.004, 7, id="4 kB, tiles of 7"),
    pytest.param(1, 0, 16, id="no memory, tiles of 16"),
]


@pytest.mark.parametrize(("n_jobs", "memory", "tile"), SETTINGS)
@pytest.mark.parametrize(
    ("criterion", "metric"),
    [
        *((criterion, "precomputed") for criterion in CRITERIA),
        *((criterion, "cityblock") for criterion in CRITERIA if criterion != "discriminant"),
        ("label-match", "euclidean"),
        ("radius", "euclidean"),
    ],
)
@pytest.mark.parametrize("improvement", ["first", "best"])
def test_the_same_as_a_loop_over_candidates(tiles_of, n_jobs, memory, tile, criterion, metric, improvement):
    X, _, y = data_for(metric)
    tiles_of(tile)
    selector = SwapSelector(
        4,
        metric=metric,
        criterion=criterion,
        improvement=improvement,
        max_candidates=12,
        random_state=3,
        n_jobs=n_jobs,
    )
    with sklearn.config_context(working_memory=memory):
        selector.fit(X, y)
    expected, history = expected_of(criterion, metric, improvement == "best")
    assert selector.prototype_indices_.tolist() == expected
    rounded = 1e-5 if criterion.endswith("margin") else 0
    np.testing.assert_allclose(selector.history_, history, rtol=1e-7, atol=rounded)
    assert selector.criterion_value_ == selector.history_[-1]
    assert selector.n_iter_ == len(history) - 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_function_of_two_objects_in_one_or_two_processes(n_jobs):
    X, D, y = data_for("cityblock")
    selector = SwapSelector(
        4, metric=absolute, criterion="coverage", max_candidates=12, random_state=3, n_jobs=n_jobs
    )
    assert selector.fit(X, y).prototype_indices_.tolist() == slowly("coverage", D, y, 4, 3, 12)[0]


@pytest.mark.parametrize("criterion", SUMS)
def test_the_same_with_weights_and_fixed_prototypes(criterion):
    X, D, y = data_for("precomputed", seed=1)
    weights = np.random.default_rng(2).integers(0, 4, 40)
    selector = SwapSelector(
        4, metric="precomputed", criterion=criterion, max_candidates=15, fixed=[7, 2], random_state=0
    )
    selector.fit(X, y, sample_weight=weights)
    expected, history = slowly(criterion, D, y, 4, 0, 15, weights.tolist(), [7, 2])
    assert selector.prototype_indices_.tolist() == expected
    assert selector.criterion_value_ == pytest.approx(history[-1], rel=1e-6)


@every_criterion
@pytest.mark.parametrize("d", [3, 40])
def test_real_numbers_give_the_same_for_any_jobs_and_memory(criterion, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, d)).astype(np.float32) + 3
    y = (X[:, 0] + rng.normal(size=2500) > 3).astype(int)
    selector = SwapSelector(5, criterion=criterion, max_candidates=60, random_state=0)
    fits = []
    for n_jobs, memory in [(1, 1024), (2, 1024), (2, 0.2), (1, 0)]:
        with sklearn.config_context(working_memory=memory):
            fits.append(clone(selector).set_params(n_jobs=n_jobs).fit(X, y))
    for other in fits[1:]:
        assert other.prototype_indices_.tolist() == fits[0].prototype_indices_.tolist()
        assert other.history_ == fits[0].history_
        assert other.order_.tolist() == fits[0].order_.tolist()


@every_criterion
def test_the_value_is_that_of_the_set(criterion, some_digits):
    X, y = some_digits
    selector = SwapSelector(6, criterion=criterion, max_candidates=40, random_state=0).fit(X, y)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    expected = oracles.CRITERIA[criterion](D, y.tolist(), selector.prototype_indices_.tolist(), [1] * len(X))
    assert selector.criterion_value_ == pytest.approx(expected, rel=1e-5)


class TestBudgets:
    def test_candidates(self, some_digits):
        X, y = some_digits
        costs = [SwapSelector(5, max_candidates=m, random_state=0).fit(X, y) for m in (0, 10, 50)]
        assert [s.n_dissimilarities_ for s in costs] == [5 * 300, 15 * 300, 55 * 300]
        assert costs[0].history_ == [costs[0].criterion_value_]

    def test_all_candidates(self, some_digits):
        X, y = some_digits
        assert SwapSelector(5, max_candidates=None, random_state=0).fit(X, y).n_dissimilarities_ == 300**2

    def test_sixty_for_each_prototype_by_default(self, digits):
        X, y = digits
        assert SwapSelector(5, random_state=0).fit(X, y).n_dissimilarities_ == 305 * len(X)

    @every_criterion
    @pytest.mark.parametrize("columns", [5, 8, 40])
    def test_dissimilarities(self, criterion, columns, some_digits):
        X, y = some_digits
        most = columns * len(X) + 7
        selector = SwapSelector(5, criterion=criterion, max_dissimilarities=most, random_state=0).fit(X, y)
        assert selector.n_dissimilarities_ <= most
        assert len(set(selector.prototype_indices_.tolist())) == 5

    @pytest.mark.parametrize("params", [{"init": "farthest-first"}, {"n_restarts": 3}], ids=str)
    def test_dissimilarities_of_other_starts_count_too(self, params, some_digits):
        X, y = some_digits
        selector = SwapSelector(5, max_dissimilarities=40 * len(X), random_state=0, **params).fit(X, y)
        assert selector.n_dissimilarities_ <= 40 * len(X)

    @pytest.mark.parametrize("criterion", [name for name in CRITERIA if CRITERIA[name].samples])
    def test_dissimilarities_of_a_sample_and_of_the_order_count_too(self, criterion, digits):
        X, y = np.tile(digits[0], (3, 1)), np.tile(digits[1], 3)
        most = 20 * CRITERIA[criterion].n_compared(len(X))
        selector = SwapSelector(5, criterion=criterion, max_dissimilarities=most, random_state=0).fit(X, y)
        assert selector.n_dissimilarities_ <= most

    @every_criterion
    def test_seconds(self, criterion, some_digits):
        X, y = some_digits
        selector = SwapSelector(5, criterion=criterion, max_seconds=1e-9, random_state=0).fit(X, y)
        assert len(set(selector.prototype_indices_.tolist())) == 5
        assert sorted(selector.order_.tolist()) == list(range(5))
        assert selector.history_ == [selector.criterion_value_]

    def test_no_search_goes_on_after_the_time_is_up(self, some_digits, monkeypatch):
        X, y = some_digits
        now = iter(range(10**6))
        monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
        hurried = SwapSelector(5, max_seconds=3, random_state=0).fit(X, y)
        patient = SwapSelector(5, max_seconds=10**5, random_state=0).fit(X, y)
        assert len(hurried.history_) <= 4 < len(patient.history_)

    @every_criterion
    @pytest.mark.parametrize("improvement", ["first", "best"])
    def test_a_costly_metric_stops_soon_after_the_time_is_up(
        self, criterion, improvement, some_digits, monkeypatch
    ):
        X, y = some_digits[0][:60], some_digits[1][:60]
        calls = []
        monkeypatch.setattr(time, "monotonic", lambda: 0.001 * len(calls))  # a millisecond a pair

        def costly(a, b):
            calls.append(None)
            return absolute(a, b)

        SwapSelector(
            4,
            metric=costly,
            criterion=criterion,
            improvement=improvement,
            max_seconds=0.5,
            max_candidates=None,
            n_restarts=3,
            random_state=0,
        ).fit(X, y)
        in_time, a_column, order = 500, 60, 4 * 60
        assert len(calls) <= in_time + 2 * a_column + order

    @pytest.mark.parametrize(
        ("params", "least"),
        [({}, 1500), ({"n_restarts": 1}, 3000), ({"init": "farthest-first"}, 2700)],
        ids=str,
    )
    def test_dissimilarities_too_few_for_the_first_set(self, params, least, some_digits):
        X, y = some_digits
        with pytest.raises(ValueError, match=f"max_dissimilarities={least - 1} is below the {least:,} "):
            SwapSelector(5, max_dissimilarities=least - 1, **params).fit(X, y)
        selector = SwapSelector(5, max_dissimilarities=least, random_state=0, **params).fit(X, y)
        assert selector.n_dissimilarities_ <= least


class TestStarts:
    def test_a_given_set(self, some_digits):
        X, y = some_digits
        init = [9, 4, 2, 7]
        selector = SwapSelector(4, init=init, max_candidates=0).fit(X, y)
        assert selector.prototype_indices_.tolist() == init
        D = np.linalg.norm(X[:, None] - X, axis=2)
        assert selector.criterion_value_ == oracles.label_matches(D, y, init)

    def test_a_given_set_with_fixed_ones_puts_these_first(self, some_digits):
        X, y = some_digits
        selector = SwapSelector(4, init=[9, 4, 2, 7], fixed=[2], max_candidates=0).fit(X, y)
        assert selector.prototype_indices_.tolist() == [2, 9, 4, 7]

    def test_a_mask(self, some_digits):
        X, y = some_digits
        mask = np.zeros(len(X), bool)
        mask[[3, 8, 20]] = True
        selector = SwapSelector(3, init=mask, max_candidates=0).fit(X, y)
        assert selector.prototype_indices_.tolist() == [3, 8, 20]

    def test_farthest_first(self, some_digits):
        X, y = some_digits
        traversal = FarthestFirstSelector(6, fixed=[5]).fit(X).prototype_indices_
        params = {"init": "farthest-first", "fixed": [5], "random_state": 0}
        start = SwapSelector(6, max_candidates=0, **params).fit(X, y)
        assert start.prototype_indices_.tolist() == traversal.tolist()
        assert SwapSelector(6, **params).fit(X, y).criterion_value_ > start.criterion_value_

    @every_criterion
    def test_restarts_are_never_worse(self, criterion, integer_data):
        values = [
            SwapSelector(4, criterion=criterion, n_restarts=r, max_candidates=20, random_state=1)
            .fit(*integer_data)
            .criterion_value_
            for r in range(4)
        ]
        assert values == sorted(values)

    @every_criterion
    def test_never_worse_than_where_it_starts(self, criterion, integer_data):
        X, y = integer_data
        params = {"criterion": criterion, "init": [1, 2, 3, 4], "random_state": 0}
        before = SwapSelector(4, max_candidates=0, **params).fit(X, y).criterion_value_
        after = SwapSelector(4, **params).fit(X, y)
        assert after.criterion_value_ >= before
        assert all(np.diff(after.history_) > 0)


def test_auto_goes_by_labels_where_there_are_some(some_digits):
    X, y = some_digits
    for given, criterion in [(y, "label-match"), (None, "coverage")]:
        auto = SwapSelector(4, random_state=0).fit(X, given)
        named = SwapSelector(4, criterion=criterion, random_state=0).fit(X, given)
        assert auto.prototype_indices_.tolist() == named.prototype_indices_.tolist()


@pytest.fixture(scope="module")
def many():
    X, y = make_blobs(150_000, 4, centers=24, cluster_std=2.0, random_state=0)
    return X.astype(np.float32), y % 6


@pytest.mark.parametrize("criterion", ["label-match", "coverage", "radius"])
def test_racing_is_nearly_as_good_as_exact(criterion, many):
    X, y = many
    params = {"criterion": criterion, "random_state": 0, "max_candidates": 100}
    raced = SwapSelector(10, **params).fit(X, y)
    exact = SwapSelector(10, evaluation="exact", **params).fit(X, y)
    assert raced.n_dissimilarities_ < exact.n_dissimilarities_ / 2
    D = raced.transform(X)
    true = {
        "label-match": (raced.prototype_labels_[D.argmin(axis=1)] == y).sum(),
        "coverage": -D.min(axis=1).mean(),
        "radius": -D.min(axis=1).max(),
    }[criterion]
    assert true > exact.criterion_value_ - abs(exact.criterion_value_) * (
        0.3 if criterion == "radius" else 0.05
    )
    if criterion != "radius":
        assert raced.criterion_value_ == pytest.approx(true, rel=0.02)


@pytest.mark.parametrize("criterion", ["label-match", "coverage"])
def test_racing_heeds_weights(criterion, many):
    X, _ = many
    X = X[:70_000]
    heavy = np.arange(70_000) < 60
    X = np.where(heavy[:, None], X + 40, X)  # a few objects far away, with half of the weight
    y = np.where(heavy, np.arange(70_000) % 2, 2 + np.arange(70_000) % 2)
    X[heavy, 0] += 8 * y[heavy]
    weights = np.where(heavy, 70_000 // 60, 1)
    selector = SwapSelector(
        4, criterion=criterion, evaluation="racing", max_candidates=300, random_state=0
    ).fit(X, y, sample_weight=weights)
    D = selector.transform(X)
    if criterion == "label-match":
        true = weights[selector.prototype_labels_[D.argmin(axis=1)] == y].sum()
    else:
        true = -(weights * D.min(axis=1)).sum() / weights.sum()
    assert selector.criterion_value_ == pytest.approx(true, rel=0.1)


@every_criterion
def test_fixed_and_candidates_are_kept(criterion, some_digits):
    X, y = some_digits
    params = {"fixed": [7, 250], "candidates": np.arange(50, 90), "criterion": criterion, "random_state": 0}
    selector = SwapSelector(5, **params).fit(X, y)
    assert selector.prototype_indices_[:2].tolist() == [7, 250]
    assert set(selector.prototype_indices_[2:].tolist()) <= set(range(50, 90))
    assert selector.order_[:2].tolist() == [0, 1]


def test_all_may_be_fixed(some_digits):
    X, y = some_digits
    selector = SwapSelector(3, fixed=[5, 6, 7], candidates=[5, 6, 7]).fit(X, y)
    assert selector.prototype_indices_.tolist() == [5, 6, 7]
    everything = SwapSelector(300, fixed=np.arange(300)).fit(X, y)
    assert everything.criterion_value_ == 300


SELECTORS = [
    SwapSelector(12, random_state=0),
    SwapSelector(12, init="farthest-first", n_restarts=1, random_state=0),
    SwapSelector(12, criterion="coverage", random_state=0),
    SwapSelector(12, criterion="spanning-tree", improvement="best", random_state=0),
    GeneticSelector(12, random_state=0),
    GeneticSelector(12, criterion="label-match", polish=True, random_state=0),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
class TestPerClass:
    def counts(self, selector, data, per_class, **params):
        X, y = data
        names = np.array([f"digit {c}" for c in y])
        fitted = clone(selector).set_params(per_class=per_class, **params).fit(X, names)
        return {c: int((fitted.prototype_labels_ == f"digit {c}").sum()) for c in range(10)}

    def test_at_least(self, selector, some_digits):
        assert min(self.counts(selector, some_digits, 1).values()) >= 1

    def test_exactly(self, selector, some_digits):
        counts = self.counts(selector, some_digits, (2, 2), n_prototypes=20)
        assert set(counts.values()) == {2}

    def test_a_pair(self, selector, some_digits):
        counts = self.counts(selector, some_digits, (1, 2))
        assert set(counts.values()) == {1, 2}

    def test_a_dict(self, selector, some_digits):
        bounds = {"digit 0": 5, "digit 1": (0, 0), "digit 2": (1, 1), "digit 3": (3, None)}
        counts = self.counts(selector, some_digits, bounds)
        assert counts[0] >= 5
        assert counts[1] == 0
        assert counts[2] == 1
        assert counts[3] >= 3

    def test_with_fixed_and_candidates(self, selector, some_digits):
        fixed = np.flatnonzero(some_digits[1] == 4)[:2]
        counts = self.counts(selector, some_digits, (1, 3), fixed=fixed, candidates=np.arange(150))
        assert counts[4] >= 2
        assert max(counts.values()) <= 3
        assert min(counts.values()) >= 1


@pytest.mark.parametrize("n_pivots", [8, 32])
@pytest.mark.parametrize("pivot_code", ["dissimilarity", "binary"])
def test_pivots(n_pivots, pivot_code, some_digits):
    X, y = some_digits
    selector = SwapSelector(10, n_pivots=n_pivots, pivot_code=pivot_code, random_state=0).fit(X, y)
    assert len(set(selector.prototype_indices_.tolist())) == 10
    assert selector.n_dissimilarities_ < 300 * 300
    if pivot_code == "dissimilarity":
        assert selector.n_dissimilarities_ == 300 * n_pivots
        assert selector.criterion_value_ > 150


class TestOrder:
    @every_criterion
    def test_a_permutation(self, criterion, some_digits):
        selector = SwapSelector(7, criterion=criterion, fixed=[3, 4], random_state=0).fit(*some_digits)
        assert sorted(selector.order_.tolist()) == list(range(7))
        assert selector.order_[:2].tolist() == [0, 1]

    @pytest.mark.parametrize("criterion", ["label-match", "coverage"])
    def test_the_first_are_better_than_a_random_part(self, criterion, some_digits):
        X, y = some_digits
        selector = SwapSelector(10, random_state=0, criterion=criterion).fit(X, y)
        D = selector.transform(X)
        rng = np.random.default_rng(0)

        def value(positions):
            near = D[:, positions]
            if criterion == "coverage":
                return -near.min(axis=1).mean()
            return (selector.prototype_labels_[positions][near.argmin(axis=1)] == y).sum()

        for j in range(1, 10):
            others = [value(rng.permutation(10)[:j]) for _ in range(101)]
            assert value(selector.order_[:j]) >= np.median(others)

    def test_each_time_the_one_that_makes_the_best_set(self, some_digits):
        X, y = some_digits
        selector = SwapSelector(6, random_state=0).fit(X, y)
        D = np.linalg.norm(X[:, None] - X, axis=2)
        picked = selector.prototype_indices_.tolist()
        order = []
        while len(order) < 6:
            left = [j for j in range(6) if j not in order]
            order.append(
                max(left, key=lambda j: (oracles.label_matches(D, y, [picked[i] for i in [*order, j]]), -j))
            )
        assert selector.order_.tolist() == order

    @pytest.mark.parametrize("n_fixed", [0, 1, 3])
    @pytest.mark.parametrize("k", [1, 2, 9])
    def test_each_time_the_one_that_makes_the_heaviest_tree(self, k, n_fixed):
        X = np.random.default_rng(k).integers(0, 4, (40, 2)).astype(float)  # with ties
        selector = SwapSelector(
            k, criterion="spanning-tree", metric="cityblock", fixed=range(min(k, n_fixed))
        )
        picked = selector.fit(X).prototype_indices_.tolist()
        D = np.abs(X[:, None] - X).sum(axis=2)
        order = list(range(min(k, n_fixed)))
        while len(order) < k:
            left = [j for j in range(k) if j not in order]
            order.append(
                max(left, key=lambda j: (oracles.tree_weight(D, [picked[i] for i in [*order, j]]), -j))
            )
        assert selector.order_.tolist() == order


class TestGenetic:
    @pytest.mark.parametrize("k", [10, 30])
    def test_swaps_are_better_for_the_same_dissimilarities(self, k, digits):
        X, y = digits
        genetic = GeneticSelector(k, criterion="label-match", random_state=0).fit(X, y)
        swap = SwapSelector(
            k, max_dissimilarities=genetic.n_dissimilarities_, max_candidates=None, random_state=0
        ).fit(X, y)
        assert swap.n_dissimilarities_ <= genetic.n_dissimilarities_
        assert swap.criterion_value_ > genetic.criterion_value_

    @every_criterion
    @pytest.mark.parametrize("clustered", [True, False])
    def test_polishing_is_never_worse(self, criterion, clustered, some_digits):
        X, y = some_digits
        params = {"criterion": criterion, "clustered": clustered, "n_generations": 3, "random_state": 0}
        rough = GeneticSelector(5, **params).fit(X, y)
        fine = GeneticSelector(5, polish=True, **params).fit(X, y)
        assert fine.criterion_value_ >= rough.criterion_value_
        assert fine.history_[:4] == rough.history_
        assert all(np.diff(fine.history_) >= 0)
        assert fine.history_[-1] == fine.criterion_value_

    @every_criterion
    def test_the_same_as_the_slow_version(self, criterion):
        X, D, y = data_for("precomputed")
        params = {"population_size": 4, "n_generations": 3}
        selector = GeneticSelector(
            3, metric="precomputed", criterion=criterion, clustered=False, random_state=0, **params
        ).fit(X, y)
        assert selector.criterion_value_ == pytest.approx(
            oracles.CRITERIA[criterion](D, y, selector.prototype_indices_.tolist(), [1] * 40),
            rel=1e-5 if criterion.endswith("margin") else 1e-6,  # which are rounded
        )

        if CRITERIA[criterion].samples:  # draws a sample between the first generation and the second
            return

        def fitness(w):
            return oracles.CRITERIA[criterion](D, y, w, [1] * 40)

        expected = oracles.genetic(fitness, D, 3, 0, False, **params)
        assert selector.prototype_indices_.tolist() == expected

    @pytest.mark.parametrize("criterion", SUMS)
    def test_weights(self, criterion):
        X, D, y = data_for("precomputed")
        weights = np.random.default_rng(5).integers(0, 4, 40)
        selector = GeneticSelector(4, metric="precomputed", criterion=criterion, polish=True, random_state=0)
        selector.fit(X, y, sample_weight=weights)
        expected = oracles.CRITERIA[criterion](D, y, selector.prototype_indices_.tolist(), weights.tolist())
        assert selector.criterion_value_ == pytest.approx(expected, rel=1e-6)

    def test_per_class_is_kept_from_any_sets_to_start_from(self, some_digits):
        X, y = some_digits
        for seed in range(6):
            rng = np.random.default_rng(seed)
            init = [[int(rng.choice(np.flatnonzero(y == c))) for c in rng.permutation(10)] for _ in range(20)]
            selector = GeneticSelector(10, per_class=(1, 1), init=init, mutation_rate=0.3, random_state=seed)
            assert sorted(selector.fit(X, y).prototype_labels_.tolist()) == list(range(10))

    def test_racing_with_weights(self, many):
        X, y = many
        weights = np.where(y == 2, 50, 1)
        params = {"criterion": "label-match", "clustered": False, "random_state": 0}
        selector = GeneticSelector(8, **params).fit(X, y, sample_weight=weights)
        nearest = selector.prototype_labels_[selector.transform(X).argmin(axis=1)]
        true = weights[nearest == y].sum()
        assert selector.criterion_value_ == pytest.approx(true, rel=0.03)
        assert (nearest == y)[y == 2].mean() > 0.9

    @pytest.mark.parametrize("few", [None, np.arange(1000)], ids=["all", "few candidates"])
    def test_a_polished_tree_weighs_what_is_said(self, few, many):
        X, _ = many
        params = {"n_generations": 2, "candidates": few, "random_state": 0}
        polished = GeneticSelector(6, polish=True, **params).fit(X)
        D = polished.transform(X[polished.prototype_indices_])
        assert polished.criterion_value_ == pytest.approx(oracles.tree_weight(D, range(6)), rel=1e-5)
        assert polished.criterion_value_ >= GeneticSelector(6, **params).fit(X).criterion_value_

    @pytest.mark.parametrize("criterion", ["label-match", "coverage", "neighbor-agreement", "discriminant"])
    def test_racing_and_polishing(self, criterion, many):
        X, y = many
        params = {"criterion": criterion, "n_generations": 2, "random_state": 0}
        selector = GeneticSelector(6, polish=True, **params).fit(X, y)
        rough = GeneticSelector(6, **params).fit(X, y)
        some = np.random.default_rng(0).permutation(len(X))[:1200]

        def value(selector):
            D = selector.transform(X[some])
            if criterion == "label-match":
                return (selector.prototype_labels_[D.argmin(axis=1)] == y[some]).mean()
            if criterion == "coverage":
                return -D.min(axis=1).mean()
            if criterion == "neighbor-agreement":
                apart = np.linalg.norm(D[:, None] - D, axis=2)
                np.fill_diagonal(apart, np.inf)
                return (y[some][apart.argmin(axis=1)] == y[some]).mean()
            return oracles.discriminant(D[:200], y[some][:200].tolist(), list(range(6)), [1] * 200)

        assert value(selector) > value(rough) - 0.03 * abs(value(rough))


@pytest.mark.parametrize("n_rare", [5, 8])
def test_more_of_a_rare_class_than_its_share(n_rare):
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = np.array(["common"] * 280 + ["rare"] * 20)
    for selector in (SwapSelector, GeneticSelector):
        picked = selector(10, per_class={"rare": n_rare}, random_state=0).fit(X, y).prototype_labels_
        assert (picked == "rare").sum() >= n_rare


@pytest.mark.parametrize("scale", [2.0**-83, 2.0**66])  # powers of two, so that nothing is rounded
def test_neighbor_agreement_at_any_scale(scale, some_digits):
    X, y = some_digits
    plain = SwapSelector(5, criterion="neighbor-agreement", max_candidates=40, random_state=0)
    indices, value = plain.fit(X, y).prototype_indices_.tolist(), plain.criterion_value_
    assert plain.fit(X * scale, y).prototype_indices_.tolist() == indices
    assert plain.criterion_value_ == value > 0.5
