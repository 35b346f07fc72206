import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from protopick import ldc, nearest_neighbor, qdc


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ldc, LinearDiscriminantAnalysis()), (qdc, QuadraticDiscriminantAnalysis())],
)
def test_agrees_with_scikit_learn_where_that_works(ours, theirs):
    X, y = load_iris(return_X_y=True)
    assert (ours().fit(X, y).predict(X) == theirs.fit(X, y).predict(X)).mean() > 0.98


@pytest.mark.parametrize("classifier", [ldc, qdc, nearest_neighbor])
def test_survives_rank_deficient_and_tiny_classes(classifier):
    X, y = load_digits(return_X_y=True)  # has constant pixels
    X, y = np.hstack([X, X]), y.copy()
    y[0] = 77  # a class of one object
    fitted = classifier().fit(X[:300], y[:300])
    assert fitted.score(X[300:], y[300:]) > 0.75
    assert np.isfinite(fitted.predict_proba(X)).all()


@pytest.mark.parametrize("classifier", [ldc, qdc])
def test_survives_constant_data_and_one_object_a_class(classifier):
    assert classifier().fit(np.ones((6, 3)), [0, 0, 0, 0, 1, 1]).predict(np.ones((1, 3))) == 0
    assert classifier().fit([[0.0], [9.0]], ["a", "b"]).predict([[8.0]]) == "b"


@pytest.mark.parametrize("classifier", [ldc, qdc])
def test_labels_that_are_strings_of_any_length(classifier):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"], np.dtypes.StringDType())[y]
    assert classifier().fit(X, names).predict(X[[0, 60, 140]]).tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("gap", [None, float("nan")])
@pytest.mark.parametrize("kind", [list, lambda y: np.array(y, object)])
@pytest.mark.parametrize("classifier", [ldc, qdc])
def test_a_label_that_is_missing_is_named(classifier, kind, gap):
    with pytest.raises(ValueError, match=r"^y\[1\] is (None|nan)\. Drop objects without a label\.$"):
        classifier().fit(np.eye(3), kind(["a", gap, "b"]))
