"""Selectors, classifiers and pipelines do after loading what they did before saving."""

import json
import os
from datetime import date, timedelta
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from protopick import (
    AutoSelector,
    ForwardSelector,
    GeneticSelector,
    RandomSelector,
    SwapSelector,
    ldc,
    load,
    nearest_neighbor,
    qdc,
    save,
    weighted_sum,
)
from tests.storage.same import same

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 4))
CODES = RNG.integers(0, 3, 120)
X[:, 0] += 2 * CODES
LABELS = {
    "text": np.array(["red", "green", "blue"])[CODES],
    "objects": np.array(["red", "green", "blue"], object)[CODES],
    "numbers": CODES,
    "booleans": CODES > 0,
}
CLASSIFIERS = {"ldc": ldc, "qdc": qdc, "nearest_neighbor": nearest_neighbor}


def reloaded(model, tmp_path):
    return load(save(model, tmp_path / "model"))


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_predict_the_same(name, kind, tmp_path):
    classifier = CLASSIFIERS[name]().fit(X, LABELS[kind])
    loaded = reloaded(classifier, tmp_path)
    assert same(loaded.predict(X + 0.1), classifier.predict(X + 0.1))
    assert same(loaded.predict_proba(X + 0.1), classifier.predict_proba(X + 0.1))
    assert same(loaded.classes_, classifier.classes_)
    assert loaded.n_features_in_ == 4


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_pipeline_predicts_the_same(name, tmp_path):
    model = make_pipeline(SwapSelector(8, random_state=0), CLASSIFIERS[name]()).fit(X, LABELS["text"])
    loaded = reloaded(model, tmp_path)
    assert type(loaded) is Pipeline
    assert list(loaded.named_steps) == list(model.named_steps)
    assert same(loaded.predict(X + 0.1), model.predict(X + 0.1))
    assert same(loaded[0], model[0])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_names_of_features_pass_through_a_pipeline(name, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(RandomSelector(5, random_state=0), CLASSIFIERS[name]()).set_output(
        transform="pandas"
    )
    loaded = reloaded(model.fit(frame, LABELS["text"]), tmp_path)
    assert same(loaded[-1].feature_names_in_, model[-1].feature_names_in_)
    assert same(loaded.predict(frame), model.predict(frame))


def test_a_pipeline_may_end_with_its_selector(tmp_path):
    model = make_pipeline(RandomSelector(5, random_state=0)).fit(X)
    assert same(reloaded(model, tmp_path).transform(X), model.transform(X))


def test_parameters_of_all_forms(tmp_path):
    selector = GeneticSelector(
        4,
        criterion="label-match",
        candidates=range(60),
        fixed=np.array([3, 5]),
        per_class={"red": (1, 2), "green": 1},
        init=[[3, 5, 7, int(np.flatnonzero(LABELS["text"][:60] == "green")[3])]],
        n_generations=3,
        random_state=np.random.default_rng(4),
        metric="minkowski",
        metric_params={"p": 3, "w": [1.0, 2, np.float32(3), 4]},
        n_jobs=1,
    )
    selector.set_params(init=None).fit(X, LABELS["text"])
    selector.set_params(init=[[3, 5, 7, 9]])
    assert same(reloaded(selector, tmp_path), selector)


@pytest.mark.parametrize(
    "estimator",
    [
        qdc(),
        LogisticRegression(C=0.5),
        make_pipeline(StandardScaler(), SVC(gamma=0.1, class_weight={0: 2.0})),
        make_pipeline(RandomSelector(2, random_state=0), nearest_neighbor()),
    ],
)
def test_the_estimator_that_judges_comes_back_with_its_parameters(estimator, tmp_path):
    selector = AutoSelector(3, estimator=estimator, random_state=0).fit(X, CODES)
    loaded = reloaded(selector, tmp_path)
    assert same(loaded.results_, selector.results_)
    assert same(loaded.curve_, selector.curve_)
    assert (loaded.best_method_, loaded.chosen_by_) == (selector.best_method_, selector.chosen_by_)
    assert same(loaded.estimator, estimator)
    assert same(clone(loaded).fit(X, CODES).prototype_indices_, selector.prototype_indices_)


def test_a_fitted_estimator_of_others_is_refused_not_stripped(tmp_path):
    selector = AutoSelector(3, random_state=0).fit(X, CODES)
    selector.set_params(estimator=LogisticRegression().fit(X, CODES))
    with pytest.raises(TypeError, match=r"estimator is a sklearn.*coef_.*clone"):
        save(selector, tmp_path / "model")
    save(selector.set_params(estimator=clone(selector.estimator)), tmp_path / "model")


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (make_pipeline(StandardScaler(), ForwardSelector(3)), "a step of type sklearn.*StandardScaler"),
        (make_pipeline(RandomSelector(3), LogisticRegression()), "a step of type .*LogisticRegression"),
        (LogisticRegression(), "model is of type .*LogisticRegression"),
    ],
)
def test_models_of_others_are_refused(model, named, tmp_path):
    with pytest.raises(TypeError, match=f"{named}.*Pass a fitted selector"):
        save(model.fit(X, CODES), tmp_path / "model")


@pytest.mark.parametrize(
    "model", [RandomSelector(3), ldc(), nearest_neighbor(), make_pipeline(RandomSelector(3))]
)
def test_a_model_that_is_not_fitted_is_refused(model, tmp_path):
    with pytest.raises(NotFittedError):
        save(model, tmp_path / "model")


def test_several_labels_an_object_are_refused(tmp_path):
    with pytest.raises(TypeError, match="several labels"):
        save(nearest_neighbor().fit(X, np.column_stack([CODES, CODES])), tmp_path / "model")


def test_the_same_model_gives_the_same_bytes(tmp_path):
    def content():
        model = make_pipeline(SwapSelector(5, random_state=0), qdc()).fit(X, LABELS["objects"])
        return save(model, tmp_path / "model").read_bytes()

    before = content()
    assert content() == before
    assert save(load(tmp_path / "model"), tmp_path / "again").read_bytes() == before


def test_the_file_is_a_zip_that_other_programs_can_read(tmp_path):
    selector = RandomSelector(3, random_state=0).fit(X)
    with ZipFile(save(selector, tmp_path / "model")) as archive:
        header = json.loads(archive.read("header.json"))
        assert (header["format"], header["format_version"]) == ("protopick model", 1)
        body = header["model"]["estimator"]
        assert body["class"] == "RandomSelector"
        assert body["parameters"]["n_prototypes"] == 3
        with archive.open(body["learned"]["prototypes_"]["array"]["member"]) as member:
            assert same(np.load(member, allow_pickle=False), selector.prototypes_)


def test_members_above_2_gib_have_the_form_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 500)
    selector = RandomSelector(60, random_state=0).fit(X)
    assert same(reloaded(selector, tmp_path), selector)


def test_a_loaded_array_can_be_changed(tmp_path):
    loaded = reloaded(RandomSelector(3, random_state=0).fit(X), tmp_path)
    loaded.prototypes_[0] = 0


def test_saving_leaves_the_old_file_where_it_fails(tmp_path):
    path = save(RandomSelector(3, random_state=0).fit(X), tmp_path / "model")
    before = path.read_bytes()
    with pytest.raises(TypeError, match=r"RandomSelector.metric is <function"):
        save(RandomSelector(3, metric=lambda a, b: 0.0, random_state=0).fit(X), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        save(RandomSelector(3, random_state=0).fit(X), tmp_path / "no" / "model")


def test_objects_that_hold_themselves_are_refused(tmp_path):
    item = []
    item.append(item)
    selector = RandomSelector(1, metric="levenshtein", random_state=0).fit(["a", "b"])
    selector.prototypes_ = item
    with pytest.raises(TypeError, match="nested too deeply"):
        save(selector, tmp_path / "model")


@pytest.mark.parametrize("metric", ["gower", weighted_sum({"t": ("euclidean", 1)})], ids=["gower", "sum"])
@pytest.mark.parametrize("days", [(1, 2), (1, 1)], ids=["range", "constant"])
def test_the_kinds_of_columns_are_kept(metric, days, tmp_path):
    fitted = RandomSelector(1, metric=metric, fixed=[0]).fit(
        pd.DataFrame({"t": [date(2020, 1, day) for day in days]})
    )
    loaded = reloaded(fitted, tmp_path)
    assert same(loaded.transform(pd.DataFrame({"t": [date(2020, 1, 1)]})), np.zeros((1, 1)))
    with pytest.raises(ValueError, match=r"Column 't' of X was fitted .* times, but holds spans of time now"):
        loaded.transform(pd.DataFrame({"t": [timedelta(1)]}))
