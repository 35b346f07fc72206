"""What searches see, and what the sets that they find are judged on."""

import numpy as np
import pytest

from protopick import AutoSelector, batch_metric, nearest_neighbor
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from protopick.search import AllBut, AllIndices, Quota
from protopick.selectors.parts import contest
from protopick.selectors.parts.contest import Part, parted, ways_to_split
from protopick.selectors.parts.held_out import ByCorrelation, ByEstimator
from protopick.selectors.parts.portfolio import PORTFOLIO, schedule
from protopick.selectors.parts.problem import Problem

NEAREST = nearest_neighbor()

pytestmark = pytest.mark.usefixtures("few_are_many")


def record(monkeypatch, X, y, metric):
    """Fit, and return for each search what it was shown and what it may see."""
    asked, searches = set(), []
    shown = {"metric": metric(asked), "estimator": NEAREST, "random_state": 0, "n_jobs": 1}
    search = Part.search

    def spied(part, *args):
        asked.clear()
        found = search(part, *args)
        searches.append((set(asked), set(part._seen.tolist())))
        return found

    monkeypatch.setattr(Part, "search", spied)
    AutoSelector(3, **shown).fit(X, y)
    return searches


def test_no_search_sees_them_where_objects_are_many(monkeypatch, many):
    X, y = many
    numbered = np.column_stack([np.arange(len(X)), X]).astype(np.float64)

    def metric(asked):
        @batch_metric(symmetric=True)
        def distance(A, B):
            asked.update(A[:, 0].astype(int).tolist())
            asked.update(B[:, 0].astype(int).tolist())
            return np.abs(A[:, None, 1:] - B[None, :, 1:]).sum(axis=2)

        return distance

    searches = record(monkeypatch, numbered, y, metric)
    plan = schedule(len(X), labelled=True, few=False, on_stand_ins=False)
    assert len(searches) == plan.n_searches == len(PORTFOLIO) + 3
    for asked, seen in searches:
        assert asked <= seen
        assert len(seen) == 4500 - 1125  # but a quarter of them


def problem_of(codes, k=4, fixed=(), candidates=None, **wishes):
    X = np.random.default_rng(0).normal(size=(len(codes), 2))
    candidates = AllIndices(len(codes)) if candidates is None else candidates
    columns, rng = columns_of(X, resolve("euclidean").fit(X)), np.random.default_rng(0)
    return Problem(columns, k, candidates, np.array(fixed, np.intp), codes, rng, **wishes)


@pytest.mark.parametrize("few", [False, True], ids=["all candidates", "few candidates"])
def test_what_is_held_out(few):
    n, fixed = 4300, np.array([7, 3])
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [2150, 860, 1290]))
    candidates = np.arange(10, 25) if few else np.setdiff1d(np.arange(n), fixed)
    problem = problem_of(codes, fixed=fixed, candidates=candidates)
    seen, held_out = parted(problem, np.random.default_rng(0))
    assert np.concatenate([seen, held_out]).size == n
    assert np.union1d(seen, held_out).tolist() == list(range(n))
    assert (np.diff(seen) > 0).all()
    assert np.isin(fixed, seen).all()
    if few:
        assert np.isin(candidates, seen).all()
    share = len(held_out) / n
    for c in range(3):
        assert abs((codes[held_out] == c).sum() - share * (codes == c).sum()) < 5 + 0.02 * n


def test_nothing_is_held_out_of_few():
    seen, held_out = parted(problem_of(np.arange(50) % 2), np.random.default_rng(0))
    assert seen.tolist() == list(range(50))
    assert not len(held_out)


def test_few_are_parted_again_and_again():
    codes = np.repeat([0, 1, 2], [30, 18, 12])
    splits, *larger = ways_to_split(problem_of(codes), 5)
    assert [len(trained) for trained, _ in splits] == [20, 20, 20, 30, 30]
    for trained, tested in splits:
        assert np.sort(np.concatenate([trained, tested])).tolist() == list(range(60))
        shares = np.array([30, 18, 12]) * len(trained) / 60
        np.testing.assert_array_equal(np.bincount(codes[trained]), shares)
    assert (np.bincount(np.concatenate([tested for _, tested in splits])) == 3).all()
    assert [[len(trained) for trained, _ in way] for way in larger] == [[30, 30], [45, 45, 45, 45]]


@pytest.mark.parametrize("n_fixed", [1, 3000])
def test_all_but_the_fixed_are_parted_like_the_array_of_them(monkeypatch, n_fixed):
    monkeypatch.setattr(contest, "MOST_SEARCHED", 2000)
    fixed, codes = np.arange(n_fixed), np.arange(5000) % 3

    def parts(candidates):
        problem = problem_of(codes, n_fixed + 3, fixed, candidates)
        seen, held_out = parted(problem, np.random.default_rng(0))
        return seen, held_out, contest._among(problem, seen).candidates

    both = zip(parts(AllBut(5000, fixed)), parts(np.arange(n_fixed, 5000)), strict=True)
    for found, expected in both:
        np.testing.assert_array_equal(found, expected)


def test_a_loss_is_the_mean_over_the_splits_that_test_an_object():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    columns = columns_of(X, resolve("euclidean").fit(X))
    judge = ByEstimator(NEAREST, np.array([0, 0, 0, 1, 1, 1]), None)
    splits = [(np.array([0, 3]), np.array([1, 2, 4])), (np.array([4, 5]), np.array([1, 3]))]
    losses = judge.losses(columns, np.array([0]), splits)
    assert losses.losses.tolist() == [0.5, 0, 0, 0]  # of 1, 2, 3 and 4
    assert losses.error == 0.125


def test_a_class_that_the_quota_needs_is_not_split_away():
    codes = np.repeat([0, 1], [4200, 2])
    quota = Quota(codes, np.array([0, 2]), np.array([4, 4]))
    seen, _ = parted(problem_of(codes, quota=quota), np.random.default_rng(0))
    assert (codes[seen] == 1).sum() == 2


def test_a_part_of_very_many_is_searched(monkeypatch, many):
    monkeypatch.setattr(contest, "MOST_SEARCHED", 1000)
    monkeypatch.setattr(contest, "MOST_HELD_OUT", 200)
    X, y = many
    columns = columns_of(X, resolve("euclidean").fit(X))
    rng = np.random.default_rng(0)
    problem = Problem(columns, 4, np.setdiff1d(np.arange(4500), [5]), np.array([5]), y.astype(np.int32), rng)
    seen, held_out = parted(problem, rng)
    assert len(seen) <= 1501  # half as many candidates beside
    assert len(held_out) <= 200
    assert 5 in seen
    selector = AutoSelector(4, fixed=[5], estimator=NEAREST, random_state=0).fit(X, y)
    assert len(set(selector.prototype_indices_.tolist())) == 4
    assert selector.prototype_indices_[0] == 5


def test_unsupervised_judgement_looks_everywhere():
    n = 5000  # held out in order, as in sorted data
    X = np.random.default_rng(0).normal(size=(n, 2))
    columns = columns_of(X, resolve("euclidean").fit(X))
    asked = []
    block = columns.block
    columns.block = lambda rows, cols: asked.append(rows) or block(rows, cols)
    ByCorrelation().losses(columns, np.array([0, 1]), [(np.arange(0), np.arange(n))])
    assert max(rows.max() for rows in asked) > n / 2
