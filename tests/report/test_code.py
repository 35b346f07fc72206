import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    GeneticSelector,
    SwapSelector,
    ldc,
    transformed,
    weighted_sum,
)
from protopick.report.code import python_code

SELECTORS = [
    SwapSelector(5, random_state=0),
    SwapSelector(4, metric="minkowski", metric_params={"p": 3}, per_class=(1, 2), random_state=7),
    FarthestFirstSelector(np.int64(3), candidates=np.arange(20), random_state=1),
    GeneticSelector(4, criterion="label-match", crossover_rate=0.25, n_generations=5, random_state=2),
    AutoSelector(3, estimator=ldc(), random_state=0),
    AutoSelector(3, estimator=SVC(C=2.5, kernel="linear"), random_state=0),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_the_code_picks_the_same_prototypes(selector, tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    selector.fit(X, y)
    monkeypatch.chdir(tmp_path)
    names = {"X": X, "y": y, "ids": list(range(150))}
    exec(python_code(selector, has_labels=True, has_ids=True), names)
    np.testing.assert_array_equal(names["selector"].prototype_indices_, selector.prototype_indices_)
    assert (tmp_path / "report.html").exists()


def test_without_labels_the_code_has_none():
    code = python_code(SwapSelector(3).fit([[0.0], [1.0], [2.0]]))
    assert "selector.fit(X)" in code
    assert "selector.report(X, path=" in code


def own_measure(a, b):
    return abs(a - b)


def test_a_metric_made_of_others_is_written_as_it_was_made():
    code = python_code(SwapSelector(3, metric=weighted_sum({"a": ("euclidean", 1), "b": (own_measure, 2)})))
    assert 'metric=weighted_sum({"a": ("euclidean", 1), "b": (own_measure, 2)})' in code
    assert "import SwapSelector, weighted_sum" in code
    assert "# own_measure: your own function" in code


def test_what_cannot_be_written_is_named_and_said():
    many = python_code(SwapSelector(3, candidates=np.arange(1000)))
    assert "# candidates: the 1,000 values that were passed" in many
    assert "candidates=candidates" in many
    assert "# metric: what was passed, a" in python_code(SwapSelector(3, metric=lambda a, b: 0.0))
    assert "metric=metric" in python_code(SwapSelector(3, metric=transformed(lambda a, b: 0.0, "sqrt")))
    assert "# random_state: what was passed" in python_code(
        SwapSelector(3, random_state=np.random.default_rng())
    )


def test_a_function_of_a_module_is_imported():
    code = python_code(SwapSelector(3, metric=own_measure))
    assert f"from {own_measure.__module__} import own_measure" in code
    assert "metric=own_measure" in code


def test_quotes_in_parameters_stay_valid():
    for text in ["it's", 'say "x"', "back\\slash", "new\nline"]:
        code = python_code(SwapSelector(3, metric_params={"name": text}))
        line = next(line for line in code.splitlines() if line.startswith("selector = "))
        assert eval(line.removeprefix("selector = "), {"SwapSelector": dict_of}) == {"name": text}


def dict_of(n, metric_params):
    return metric_params
