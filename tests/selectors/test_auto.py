import time

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from protopick import AutoSelector, ldc, nearest_neighbor, pick, qdc
from protopick.classifiers import name_of
from protopick.criteria import CRITERIA
from protopick.selectors.auto import NUMBERS
from protopick.selectors.parts import contest, racing
from protopick.selectors.parts.portfolio import FOR_FEW, PORTFOLIO

COLUMNS = [
    "method",
    "n_prototypes",
    "start",
    "criterion",
    "criterion_value",
    "error",
    "std_error",
    "seconds",
    "n_dissimilarities",
]
NEAREST = nearest_neighbor()
METHODS = PORTFOLIO + FOR_FEW  # where objects are few
N_OF_FEW = len(METHODS) + 3 * 4  # four further starts of the best three
USUAL = [method.name for method in PORTFOLIO if method.is_usual]
UNSUPERVISED = [method.name for method in PORTFOLIO if not method.needs_labels]

pytestmark = pytest.mark.usefixtures("few_are_many")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:240], y[:240]


@pytest.fixture(scope="module")
def fitted(digits):
    return AutoSelector(6, estimator=NEAREST, random_state=0).fit(*digits)


def assert_valid(selector, n, k):
    indices = selector.prototype_indices_
    assert len(set(indices.tolist())) == len(indices) == k
    assert 0 <= indices.min() <= indices.max() < n
    assert sorted(selector.order_.tolist()) == list(range(k))


class TestResults:
    def test_a_row_for_each_search(self, fitted):
        results = fitted.results_
        assert list(results) == COLUMNS
        assert results["method"][: len(METHODS)].tolist() == [method.name for method in METHODS]
        assert all(isinstance(column, np.ndarray) and len(column) == N_OF_FEW for column in results.values())
        assert set(results["criterion"].tolist()) <= {*CRITERIA, ""}
        assert (results["n_prototypes"] == 6).all()
        assert ((results["error"] >= 0) & (results["error"] <= 1)).all()
        assert (results["seconds"] >= 0).all()

    @pytest.mark.parametrize("size", ["few", "many"])
    def test_the_best_get_further_starts(self, size, fitted, many):
        if size == "many":
            fitted = AutoSelector(4, estimator=NEAREST, random_state=0).fit(*many)
        results = fitted.results_
        n_best, n_further = (3, 4) if size == "few" else (1, 3)
        first = len(METHODS) if size == "few" else len(PORTFOLIO)
        assert (results["start"][:first] == 0).all()
        assert results["start"][first:].tolist() == np.repeat(range(1, 1 + n_further), n_best).tolist()
        best = results["method"][:first][np.argsort(results["error"][:first], kind="stable")[:n_best]]
        assert results["method"][first:].tolist() == best.tolist() * n_further

    def test_random_sets_compete_where_many_are_searched_by_stand_ins(self, many):
        fitted = AutoSelector(4, estimator=NEAREST, n_pivots=8, random_state=0).fit(*many)
        results = fitted.results_
        random = results["method"] == "random"
        assert results["start"][random].tolist() == [0, 1, 2, 3]
        assert (results["n_dissimilarities"][random] > 0).all()  # to judge them

    def test_the_kept_set_is_that_with_the_lowest_error(self, many):
        fitted = AutoSelector(4, estimator=NEAREST, random_state=0).fit(*many)
        results = fitted.results_
        assert fitted.best_method_ == results["method"][results["error"].argmin()]
        assert fitted.criterion_value_ == 1 - results["error"].min()

    def test_of_few_the_usual_set_is_kept_unless_it_is_clearly_beaten(self, fitted):
        results = fitted.results_
        errors = results["error"]
        if fitted.best_method_ in USUAL:
            errors = errors[np.isin(results["method"], USUAL)]
        assert fitted.criterion_value_ == 1 - errors.min()
        assert fitted.history_ == (1 - np.minimum.accumulate(results["error"])).tolist()
        assert fitted.curve_["n_prototypes"].tolist() == [6]
        assert fitted.curve_["error"].tolist() == [results["error"].min()]
        assert fitted.n_iter_ == N_OF_FEW

    def test_it_says_by_what_it_chose(self, fitted, digits):
        assert fitted.best_method_ in fitted.chosen_by_
        assert f"of {name_of(NEAREST)}" in fitted.chosen_by_
        assert f"{len(digits[0])} objects that it was not trained on" in fitted.chosen_by_

    def test_all_dissimilarities_are_counted(self, fitted):
        assert fitted.n_dissimilarities_ >= fitted.results_["n_dissimilarities"].sum()

    def test_searches_share_columns(self, fitted):
        cost = dict(
            zip(fitted.results_["method"], fitted.results_["n_dissimilarities"].tolist(), strict=True)
        )
        first = cost["swaps, label-match, from random"]
        assert cost["swaps, label-match, from farthest-first"] < first / 4
        assert cost["swaps, coverage, from random"] < first / 4

    def test_no_search_has_to_sample_what_is_searched(self):
        assert contest.MOST_SEARCHED <= racing.ABOVE  # else each would have columns of its own

    def test_few_objects_are_compared_once(self, fitted, digits):
        n = len(digits[0])  # most columns are kept, for the judge too
        assert fitted.n_dissimilarities_ <= 3 * n**2


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("labelled", [True, False])
def test_the_same_for_any_jobs_and_memory(size, labelled, digits, many):
    X, y = digits if size == "few" else many
    fits = []
    for n_jobs, memory in [(1, 1024), (2, 1024), (2, 0.1)]:
        with sklearn.config_context(working_memory=memory):
            selector = AutoSelector(4, estimator=NEAREST if labelled else None, random_state=0, n_jobs=n_jobs)
            fits.append(selector.fit(X, y if labelled else None))
    for other in fits[1:]:
        assert other.prototype_indices_.tolist() == fits[0].prototype_indices_.tolist()
        assert other.best_method_ == fits[0].best_method_
        np.testing.assert_allclose(other.results_["error"], fits[0].results_["error"], rtol=1e-6)
        np.testing.assert_array_equal(other.results_["criterion_value"], fits[0].results_["criterion_value"])


def test_the_same_for_any_jobs_where_columns_are_long():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > 0) + 2 * (X[:, 2] > 1)
    alone, together = (AutoSelector(10, random_state=0, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    for name in ("criterion_value", "error", "n_dissimilarities"):
        np.testing.assert_array_equal(together.results_[name], alone.results_[name])
    assert together.prototype_indices_.tolist() == alone.prototype_indices_.tolist()


@pytest.mark.parametrize("size", ["few", "many"])
class TestTimeLimit:
    def test_hardly_any_time(self, size, digits, many):
        X, y = digits if size == "few" else many
        selector = AutoSelector(5, estimator=NEAREST, time_limit=1e-6, random_state=0).fit(X, y)
        assert_valid(selector, len(X), 5)
        assert selector.results_["method"].tolist() == ["farthest-first"]

    def test_no_search_begins_after_the_time_is_up(self, size, digits, many, monkeypatch):
        X, y = digits if size == "few" else many
        now = iter(range(10**7))
        monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
        selector = AutoSelector(estimator=NEAREST, time_limit=60, random_state=0).fit(X, y)
        assert_valid(selector, len(X), len(selector.prototype_indices_))
        assert 1 < len(selector.results_["method"]) < len(PORTFOLIO)


def test_without_labels(digits):
    selector = AutoSelector(6, random_state=0).fit(digits[0])
    assert_valid(selector, 240, 6)
    assert selector.results_["method"][: len(UNSUPERVISED)].tolist() == UNSUPERVISED
    assert not hasattr(selector, "prototype_labels_")
    assert "correlation" in selector.chosen_by_
    assert "lowest correlation" not in selector.chosen_by_  # the highest is chosen


class TestAutomaticNumber:
    def test_a_few_groups_need_few_prototypes(self):
        X, y = make_blobs(200, 2, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
        selector = AutoSelector(estimator=NEAREST, random_state=0).fit(X, y)
        assert_valid(selector, 200, 5)
        curve = selector.curve_
        assert curve["n_prototypes"].tolist() == list(NUMBERS)
        best = curve["error"].argmin()
        good = curve["error"] <= curve["error"][best] + curve["std_error"][best]
        assert curve["n_prototypes"][good].min() == 5
        full = selector.results_["n_prototypes"] == 20
        assert full.sum() == N_OF_FEW
        assert (~full).sum() == 2 * (len(NUMBERS) - 1)

    @pytest.mark.parametrize("n", [2, 3, 5, 12])
    def test_tiny(self, n):
        X = np.arange(float(n))[:, None]
        selector = AutoSelector(random_state=0).fit(X)
        assert 1 <= len(selector.prototype_indices_) <= max(1, n // 2)

    def test_it_keeps_at_least_so_many_of_each_class(self, digits):
        X, y = digits
        selector = AutoSelector(per_class=1, estimator=NEAREST, random_state=0).fit(X, y)
        assert (selector.curve_["n_prototypes"] >= 10).all()
        assert set(selector.prototype_labels_.tolist()) == set(range(10))

    def test_it_keeps_at_most_so_many_of_each_class(self, digits):
        X, y = digits
        selector = AutoSelector(per_class=(0, 2), estimator=NEAREST, random_state=0).fit(X, y)
        assert np.bincount(selector.prototype_labels_).max() <= 2

    def test_fixed_ones_are_among_them(self, digits):
        X, y = digits
        selector = AutoSelector(fixed=np.arange(30), estimator=NEAREST, random_state=0)
        selector.fit(X[:100], y[:100])
        assert selector.prototype_indices_[:30].tolist() == list(range(30))


class TestEstimator:
    @pytest.mark.parametrize("estimator", [ldc(), KNeighborsClassifier(3)], ids=repr)
    def test_the_users_own(self, estimator, digits):
        X, y = digits
        selector = AutoSelector(5, estimator=estimator, random_state=0).fit(X, y % 2)
        assert_valid(selector, 240, 5)
        assert name_of(estimator) in selector.chosen_by_

    def test_it_decides(self, digits):
        class Last(KNeighborsClassifier):
            """Likes the sets of one search only, as told by their number."""

            seen = 0

            def score_of(self):
                Last.seen += 1
                return (Last.seen - 1) // 5  # three thirds and two halves

            def fit(self, X, y):
                self.right_ = self.score_of() == 5
                return super().fit(X, y)

            def predict(self, X):
                found = super().predict(X)
                return found if self.right_ else np.full_like(found, -1)

        selector = AutoSelector(5, estimator=Last(1), random_state=0).fit(*digits)
        assert selector.best_method_ == PORTFOLIO[5].name
        assert sorted(selector.results_["error"].tolist())[1] == 1

    def test_it_stays_as_it_was(self, digits):
        estimator = ldc()
        before = vars(estimator).copy()
        AutoSelector(3, estimator=estimator, random_state=0).fit(digits[0], digits[1] % 2)
        assert vars(estimator) == before

    def test_it_gets_the_labels_by_their_names(self, digits):
        X, y = digits
        names = np.where(y < 5, "low", "high")
        heavy = LogisticRegression(class_weight={"low": 2, "high": 1})
        estimator = make_pipeline(StandardScaler(), heavy)
        selector = AutoSelector(4, estimator=estimator, random_state=0).fit(X, names)
        assert_valid(selector, 240, 4)

    def test_sets_that_it_fails_on_are_left_out(self, digits):
        class Fragile(KNeighborsClassifier):
            """Fails now and then."""

            n_fits = 0

            def fit(self, X, y):
                Fragile.n_fits += 1
                if Fragile.n_fits % 17 == 0:
                    raise FloatingPointError("singular")
                return super().fit(X, y)

        with pytest.warns(
            UserWarning, match=r"[1-9]\d? of 24 sets of prototypes are left out.*singular"
        ) as said:
            selector = AutoSelector(5, estimator=Fragile(1), random_state=0).fit(*digits)
        assert said[0].filename == __file__
        assert_valid(selector, 240, 5)
        assert 0 < len(selector.results_["error"]) < 24

    def test_it_fails_on_all(self, digits):
        class Failing(KNeighborsClassifier):
            def fit(self, X, y):
                raise FloatingPointError("singular")

        with pytest.raises(ValueError, match=r"failed on .* objects .*singular.*Pass one"):
            AutoSelector(5, estimator=Failing(1), random_state=0).fit(*digits)

    def test_predictions_may_be_a_column(self, digits):
        class Column(KNeighborsClassifier):
            def predict(self, X):
                return super().predict(X)[:, None]

        column, plain = (
            AutoSelector(5, estimator=kind(1), random_state=0).fit(*digits)
            for kind in (Column, KNeighborsClassifier)
        )
        np.testing.assert_array_equal(column.results_["error"], plain.results_["error"])

    @pytest.mark.parametrize("shape", [(), (3,), (2, 120)], ids=repr)
    def test_predictions_of_another_shape_are_refused(self, shape, digits):
        class Other(KNeighborsClassifier):
            def predict(self, X):
                return np.zeros(shape, int)

        with pytest.raises(ValueError, match=r"estimator=Other.*predicted an array of shape"):
            AutoSelector(5, estimator=Other(1), random_state=0).fit(*digits)

    def test_what_scikit_learn_does_not_know_is_refused(self, digits):
        class Plain:
            def fit(self, X, y):
                return self

            def predict(self, X):
                return X

        with pytest.raises(ValueError, match=r"estimator=<.* is not allowed.*an instance of a"):
            AutoSelector(5, estimator=Plain()).fit(*digits)

    def test_it_needs_labels(self, digits):
        with pytest.raises(ValueError, match=r"estimator requires y.*fit\(X, y\)"):
            AutoSelector(4, estimator=ldc()).fit(digits[0])


class TestWishes:
    def auto(self, k, **params):
        return AutoSelector(k, **({"estimator": NEAREST, "random_state": 0} | params))

    def test_per_class(self, digits):
        X, y = digits
        for per_class in (1, (1, 2), {3: (2, 2), 4: (0, 0)}):
            labels = self.auto(12, per_class=per_class).fit(X, y).prototype_labels_
            counts = np.bincount(labels, minlength=10)
            if per_class == 1:
                assert counts.min() >= 1
            elif per_class == (1, 2):
                assert set(counts.tolist()) == {1, 2}
            else:
                assert (counts[3], counts[4]) == (2, 0)

    @pytest.mark.parametrize("labelled", [True, False])
    @pytest.mark.parametrize("candidates", [np.arange(50, 90), np.arange(5, 235)], ids=["few", "many"])
    def test_fixed_and_candidates(self, labelled, candidates, digits):
        X, y = digits
        estimator = NEAREST if labelled else None
        selector = self.auto(6, fixed=[200, 3], candidates=candidates, estimator=estimator)
        selector.fit(X, y if labelled else None)
        assert_valid(selector, 240, 6)
        assert selector.prototype_indices_[:2].tolist() == [200, 3]
        assert set(selector.prototype_indices_[2:].tolist()) <= set(candidates.tolist())
        assert selector.order_[:2].tolist() == [0, 1]

    def test_objects_of_no_weight_do_not_count(self):
        X, y = make_blobs(400, 2, centers=[[0, 0], [4, 0], [0, 60], [60, 60]], random_state=0)
        weights = (y < 2).astype(float)
        selector = AutoSelector(4, estimator=NEAREST, random_state=0)
        weighted = clone(selector).fit(X, y, sample_weight=weights).results_["error"].min()
        alone = clone(selector).fit(X[y < 2], y[y < 2]).results_["error"].min()
        assert weighted == pytest.approx(alone, abs=0.03)

    def test_equal_weights_make_no_difference(self, digits):
        X, y = digits
        plain = self.auto(5).fit(X, y)
        weighted = self.auto(5).fit(X, y, sample_weight=np.full(240, 3))
        assert weighted.prototype_indices_.tolist() == plain.prototype_indices_.tolist()
        np.testing.assert_allclose(weighted.results_["error"], plain.results_["error"])

    @pytest.mark.parametrize("pivot_code", ["dissimilarity", "binary"])
    def test_pivots(self, pivot_code, digits):
        X, y = digits
        selector = self.auto(4, n_pivots=32, pivot_code=pivot_code).fit(X, y)
        assert_valid(selector, 240, 4)

    def test_a_precomputed_matrix(self, digits):
        X, y = digits
        D = np.abs(X[:, None] - X).sum(axis=2)
        by_name = self.auto(5, metric="cityblock").fit(X, y)
        given = self.auto(5, metric="precomputed").fit(D, y)
        assert given.prototype_indices_.tolist() == by_name.prototype_indices_.tolist()


class TestExtremes:
    @pytest.mark.parametrize("labelled", [True, False])
    @pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (3, 2), (4, 3), (7, 7), (20, 17), (20, 19)])
    def test_tiny(self, n, k, labelled):
        rng = np.random.default_rng(0)
        y = np.arange(n) % 2 if labelled else None
        selector = AutoSelector(k, random_state=0).fit(rng.normal(size=(n, 2)), y)
        assert_valid(selector, n, k)

    @pytest.mark.parametrize("labelled", [True, False])
    def test_equal_objects(self, labelled):
        y = np.arange(50) % 2 if labelled else None
        selector = AutoSelector(4, random_state=0).fit(np.ones((50, 3)), y)
        assert_valid(selector, 50, 4)
        assert "genetic, spanning-tree" not in selector.results_["method"]

    def test_it_does_not_speak_of_held_out_objects_where_there_are_none(self):
        X = np.random.default_rng(0).normal(size=(20, 2))
        selector = AutoSelector(20, estimator=NEAREST, random_state=0).fit(X, np.arange(20) % 2)
        assert "held out" not in selector.chosen_by_

    def test_the_sentence_does_not_speak_of_training_where_all_trains_or_nothing_does(self):
        X = np.arange(3.0)[:, None]
        few = AutoSelector(1, estimator=NEAREST, random_state=0).fit(X, [0, 0, 1])
        assert "3 objects that it was trained on" in few.chosen_by_
        unlabelled = AutoSelector(1, random_state=0).fit(np.random.default_rng(0).normal(size=(50, 2)))
        assert "trained" not in unlabelled.chosen_by_

    def test_a_class_of_one(self):
        X = np.random.default_rng(0).normal(size=(60, 2))
        y = np.zeros(60, int)
        y[7], y[20:30] = 1, 2
        assert_valid(AutoSelector(4, random_state=0).fit(X, y), 60, 4)

    def test_all_objects_have_classes_of_their_own(self):
        X = np.random.default_rng(0).normal(size=(20, 2))
        assert_valid(AutoSelector(4, estimator=NEAREST, random_state=0).fit(X, np.arange(20)), 20, 4)


def test_pick_uses_it_by_default(digits):
    X, y = digits
    for labels, estimator in [(y % 2, NEAREST), (None, None)]:
        expected = AutoSelector(5, estimator=estimator, random_state=0).fit(X, labels).prototype_indices_
        np.testing.assert_array_equal(pick(X, labels, 5, random_state=0, estimator=estimator), expected)


def test_qdc_is_the_estimator_by_default(digits):
    X, y = digits
    default, named = (
        AutoSelector(3, estimator=estimator, random_state=0).fit(X, y % 2) for estimator in (None, qdc())
    )
    assert default.prototype_indices_.tolist() == named.prototype_indices_.tolist()
    assert name_of(qdc()) in default.chosen_by_


def test_pipelines_and_grid_search(digits):
    X, y = digits
    pipeline = make_pipeline(AutoSelector(random_state=0, estimator=NEAREST), NEAREST)
    grid = GridSearchCV(clone(pipeline), {"autoselector__n_prototypes": [1, 6]}, cv=2).fit(X, y)
    assert grid.best_params_ == {"autoselector__n_prototypes": 6}
    assert grid.predict(X).shape == y.shape


def test_a_minimum_counts_what_is_fixed():
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.repeat(np.arange(5), 60)
    selector = AutoSelector(per_class=1, fixed=[0, 1, 2, 3], estimator=DummyClassifier(), random_state=0)
    assert set(selector.fit(X, y).prototype_labels_.tolist()) == set(range(5))


def test_objects_count_by_their_weight():
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.random.default_rng(1).integers(0, 2, 300)  # nothing to learn
    weights = np.zeros(300)
    weights[:40] = 1
    selector = AutoSelector(4, estimator=NEAREST, random_state=0).fit(X, y, sample_weight=weights)
    errors = selector.results_["error"] * 40 * 3  # each is tested three times
    np.testing.assert_allclose(errors, np.rint(errors), atol=1e-9)
    assert errors.min() > 0


def test_no_error_is_made_up_where_nothing_held_out_has_weight(many, monkeypatch):
    X, y = many
    monkeypatch.setattr(contest, "FEW", 2000)
    weights = np.zeros(len(X))
    weights[[1, 2, 3, 4]] = 1
    selector = AutoSelector(4, estimator=NEAREST, random_state=0).fit(X, y, sample_weight=weights)
    assert "held out" not in selector.chosen_by_


def test_a_class_of_one_object_and_an_estimator_that_needs_two_classes():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.array([0] * 59 + [1])
    selector = AutoSelector(4, estimator=LogisticRegression(), random_state=0).fit(X, y)
    assert_valid(selector, 60, 4)
    assert selector.results_["error"] == pytest.approx(
        1 / 60
    )  # only the one of its class is taken for another


def test_an_estimator_that_fails_is_named():
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(ValueError, match=r"estimator=KNeighborsClassifier.* failed on 45 objects"):
        AutoSelector(4, estimator=KNeighborsClassifier(50), random_state=0).fit(X, np.arange(60) % 2)


def test_labels_of_any_kind():
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.array([1, 2] * 40, dtype=object)
    assert set(AutoSelector(4, random_state=0).fit(X, y).prototype_labels_.tolist()) <= {1, 2}


@pytest.mark.parametrize("n_neighbors", [25, 35], ids=["more than a third", "more than half"])
def test_an_estimator_that_needs_many_objects_is_trained_on_more(n_neighbors):
    X = np.random.default_rng(0).normal(size=(60, 3))
    selector = AutoSelector(4, estimator=KNeighborsClassifier(n_neighbors), random_state=0)
    assert_valid(selector.fit(X, np.arange(60) % 2), 60, 4)


@pytest.mark.parametrize("n", [150, 1700], ids=["all objects", "samples of them"])
def test_searches_and_judge_share_columns(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    selector = AutoSelector(20, estimator=NEAREST, random_state=0).fit(X, y)
    matrix, traversals, trees, centres = n * n, 8 * 20 * n, 200 * n, 300 * n
    assert selector.n_dissimilarities_ <= matrix + traversals + trees + centres


@pytest.mark.parametrize("estimator", [NEAREST, ldc(), qdc()], ids=name_of)
def test_the_first_in_the_order_are_better_than_most_sets_of_as_many(estimator):
    X, y = load_digits(return_X_y=True)
    selector = AutoSelector(20, estimator=estimator, random_state=0).fit(X[:600], y[:600])
    D, others = selector.transform(X[:600]), selector.transform(X[600:])

    def error(which):
        return 1 - clone(estimator).fit(D[:, which], y[:600]).score(others[:, which], y[600:])

    rng = np.random.default_rng(0)
    for j in (5, 10):
        random = [error(rng.choice(20, j, replace=False)) for _ in range(20)]
        assert np.mean(np.array(random) <= error(selector.order_[:j])) <= 0.25
