import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    ldc,
    qdc,
)
from protopick.report import data_map, judged, summarise
from protopick.report.fitted import read


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    selector = SwapSelector(6, random_state=0).fit(X, names)
    return selector, X, names, summarise(selector, X, names)


def test_it_is_plain_json(iris):
    assert json.loads(json.dumps(iris[3], allow_nan=False)) == iris[3]


def test_prototypes_come_by_their_worth_with_label_size_and_share(iris):
    selector, _, names, found = iris
    order = selector.prototype_indices_[selector.order_]
    assert [one["index"] for one in found["prototypes"]] == order.tolist()
    assert [one["label"] for one in found["prototypes"]] == names[order].tolist()
    assert sum(one["share"] for one in found["prototypes"]) == pytest.approx(1)


def test_coverage_counts_what_a_slow_version_counts(iris):
    selector, X, names, found = iris
    nearest = selector.prototype_labels_[cdist(X, X[selector.prototype_indices_]).argmin(axis=1)]
    assert found["coverage"]["matched"] == pytest.approx((nearest == names).mean())
    for row in found["coverage"]["classes"]:
        own = names == found["classes"][row["class"]]
        assert row["objects"] == own.sum()
        assert row["prototypes"] == (selector.prototype_labels_ == found["classes"][row["class"]]).sum()
        assert row["matched"] == pytest.approx((nearest[own] == names[own]).mean())


def test_classes_without_a_prototype_are_counted():
    X, y = load_iris(return_X_y=True)
    found = summarise(RandomSelector(2, fixed=[0, 1]).fit(X, y), X, y)
    assert found["coverage"]["n_without_prototype"] == 2


def test_errors_are_those_of_scikit_learns_cross_validation_on_the_same_parts(iris, monkeypatch):
    selector, X, names, _ = iris
    parts = {}

    def noted(codes, n_folds, rng):
        folds = [np.arange(len(codes))[i::n_folds] for i in range(n_folds)]
        parts["test_fold"] = np.arange(len(codes)) % n_folds
        return folds

    monkeypatch.setattr(judged, "_folds", noted)
    found = summarise(selector, X, names)["judged"]
    D = cdist(X, X[selector.prototype_indices_[selector.order_]])
    for k, error in zip(found["curve"]["n_prototypes"], found["curve"]["error"], strict=True):
        predicted = cross_val_predict(ldc(), D[:, :k], names, cv=PredefinedSplit(parts["test_fold"]))
        assert error == pytest.approx((predicted != names).mean())
    classes = np.unique(names)
    for true, told, n in found["confusion"]:
        assert n == ((names == classes[true]) & (predicted == classes[told])).sum()
    assert sum(n for _, _, n in found["confusion"]) == len(X)


def test_parts_have_each_class_in_proportion():
    codes = np.repeat([0, 1, 2], [50, 25, 5])
    for fold in judged._folds(codes, 5, np.random.default_rng(0)):
        assert np.bincount(codes[fold]).tolist() == [10, 5, 1]


@pytest.mark.parametrize("k", [1, 2, 7, 20, 200])
def test_errors_are_measured_from_one_prototype_to_all(k):
    sizes = judged.sizes_of(k, 8)
    assert (sizes[0], sizes[-1]) == (1, k)
    assert sizes == sorted(set(sizes))
    assert len(sizes) <= 8


def test_the_classifier_is_the_selectors_own():
    assert judged.name_of(judged.estimator_of(AutoSelector(estimator=SVC()))) == "SVC"
    assert judged.name_of(judged.estimator_of(AutoSelector())) == "qdc"
    assert judged.name_of(judged.estimator_of(AutoSelector(estimator=ldc()))) == "ldc"
    assert judged.name_of(judged.estimator_of(SwapSelector())) == "ldc"


def test_the_classifier_can_be_another():
    X, y = load_iris(return_X_y=True)
    selector = SwapSelector(3, random_state=0).fit(X, y)
    found = summarise(selector, X, y, classifier=KNeighborsClassifier(150))["judged"]
    assert found["estimator"] == "KNeighborsClassifier"
    assert found["failed"] is not None


def test_a_classifier_that_fails_does_not_take_the_report_with_it():
    X, y = load_iris(return_X_y=True)
    selector = AutoSelector(3, estimator=KNeighborsClassifier(100), random_state=0)
    selector.fit(X, y)
    found = summarise(selector.set_params(estimator=KNeighborsClassifier(140)), X, y)
    assert "n_neighbors" in found["judged"]["failed"]
    assert found["coverage"] is not None


def test_the_map_shows_all_prototypes_and_where_each_object_belongs():
    X = np.random.default_rng(0).normal(size=(9000, 3))
    y = (X[:, 0] > 0).astype(int)
    selector = FarthestFirstSelector(5, random_state=0).fit(X, y)
    drawn = summarise(selector, X, y)["map"]
    assert drawn["index"][:5] == selector.prototype_indices_[selector.order_].tolist()
    assert drawn["nearest"][:5] == [0, 1, 2, 3, 4]
    assert drawn["class"] == y[drawn["index"]].tolist()
    assert len(set(drawn["index"])) == drawn["n_objects"] == len(drawn["x"]) == len(drawn["y"])
    assert 3000 <= drawn["n_objects"] <= 3005


def test_few_objects_are_all_on_the_map(iris):
    assert sorted(iris[3]["map"]["index"]) == list(range(150))


def test_a_costly_measure_gets_a_coarser_map(monkeypatch):
    X = np.random.default_rng(0).normal(size=(900, 2))
    selector = RandomSelector(3, metric="manhattan", random_state=0).fit(X)
    reading = read(selector, X)
    clock = iter(np.arange(0, 1e6, 5.0).tolist())
    monkeypatch.setattr(data_map.time, "perf_counter", lambda: next(clock))
    shown, drawn = data_map.data_map(reading, reading.columns(), np.random.default_rng(0))
    assert 400 <= len(shown) <= 403
    assert drawn["n_landmarks"] == 40


def test_map_distances_are_those_of_the_plane():
    X = np.random.default_rng(0).normal(size=(60, 2))
    drawn = summarise(RandomSelector(3, random_state=0).fit(X), X)["map"]
    at = np.column_stack([drawn["x"], drawn["y"]])
    wanted = cdist(X[drawn["index"]], X[drawn["index"]])
    ratio = cdist(at, at)[np.triu_indices(60, 1)] / wanted[np.triu_indices(60, 1)]
    assert np.ptp(ratio) / ratio.mean() < 0.05  # whole numbers
    assert drawn["share"] == pytest.approx(1)


def test_the_contest_of_an_auto_selector_is_told():
    X, y = load_iris(return_X_y=True)
    selector = AutoSelector(4, estimator=qdc(), random_state=0).fit(X, y)
    search = summarise(selector, X, y)["search"]
    assert search["chosen_by"] == selector.chosen_by_
    assert search["results"]["method"] == selector.results_["method"].tolist()
    assert search["results"]["error"] == pytest.approx(selector.results_["error"])
    assert search["curve"]["n_prototypes"] == [4]
    assert search["values"] == pytest.approx(selector.history_)


def test_a_long_search_is_thinned_but_keeps_its_ends():
    X = np.random.default_rng(0).normal(size=(50, 2))
    selector = GeneticSelector(3, n_generations=900, random_state=0).fit(X)
    search = summarise(selector, X)["search"]
    assert (search["steps"][0], search["steps"][-1]) == (1, search["n_steps"])
    assert len(search["steps"]) == 400
    assert search["values"][-1] == pytest.approx(selector.history_[-1])


def test_what_was_run_is_told(iris):
    selector, X, names, _ = iris
    run = summarise(selector, X, names, seconds=1.5, command="protopick pick iris.csv")["run"]
    assert (run["selector"], run["metric"]) == ("SwapSelector", "euclidean")
    assert (run["seed"], run["seconds"]) == (0, 1.5)
    assert run["n_dissimilarities"] == selector.n_dissimilarities_
    assert run["command"] == "protopick pick iris.csv"
    assert run["params"] == {"n_prototypes": "6", "random_state": "0"}


def test_names_of_objects_go_with_them(iris):
    selector, X, names, _ = iris
    found = summarise(selector, X, names, ids=[f"flower {i}" for i in range(150)])
    assert all(one["id"] == f"flower {one['index']}" for one in found["prototypes"])
    assert found["map"]["id"] == [f"flower {i}" for i in found["map"]["index"]]


@pytest.mark.parametrize("ids", [["a"], "abc", 7])
def test_a_wrong_number_of_names_is_refused(iris, ids):
    selector, X, names, _ = iris
    with pytest.raises(ValueError, match=r"ids holds .*150 objects"):
        summarise(selector, X, names, ids=ids)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([True, False], ["False", "True"]),
        ([1.0, 2.0], ["1.0", "2.0"]),
        ([-5, 70000], ["-5", "70000"]),
        ([b"x", b"y"], ["b'x'", "b'y'"]),
        (["", " "], ["", " "]),
    ],
)
def test_labels_of_any_type_have_names(labels, names):
    X = np.arange(20.0)[:, None]
    y = np.repeat(labels, 10)
    found = summarise(KCentersSelector(2, random_state=0).fit(X, y), X, y)
    assert found["classes"] == names
    assert [row["objects"] for row in found["coverage"]["classes"]] == [10, 10]
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (5, 5), (40, 1)])
def test_few_objects_and_few_prototypes_have_a_summary(n, k):
    X = np.arange(float(n))[:, None]
    y = np.arange(n) % 2
    found = summarise(RandomSelector(k, random_state=0).fit(X, y), X, y)
    assert len(found["prototypes"]) == k
    json.dumps(found, allow_nan=False)


@pytest.mark.filterwarnings("always")
def test_a_warning_of_each_fit_is_given_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 50, 60)
    selector = FarthestFirstSelector(5, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="number of unique classes") as given:
        summarise(selector, X, y)
    assert len(given) == 1


def test_one_class_has_coverage_but_no_errors():
    X = np.arange(10.0)[:, None]
    found = summarise(RandomSelector(2, random_state=0).fit(X, ["a"] * 10), X, ["a"] * 10)
    assert found["coverage"]["matched"] == 1
    assert found["judged"] is None


def test_equal_objects_sit_on_one_point():
    found = summarise(RandomSelector(2, random_state=0).fit(np.ones((6, 2))), np.ones((6, 2)))
    assert set(found["map"]["x"]) == {0}


def test_the_report_does_not_change_with_the_number_of_threads():
    X, y = load_digits(return_X_y=True)
    selector = FarthestFirstSelector(5, random_state=0).fit(X, y)
    one = summarise(selector.set_params(n_jobs=1), X, y)
    two = summarise(selector.set_params(n_jobs=2), X, y)
    assert one["map"] == two["map"]
    assert one["prototypes"] == two["prototypes"]
    assert one["judged"] == two["judged"]
