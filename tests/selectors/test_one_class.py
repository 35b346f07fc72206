import warnings

import numpy as np
import pytest

from protopick import AutoSelector, ForwardSelector, GeneticSelector, SwapSelector

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
y = np.where(np.arange(300) < 9, "rare", "usual")  # anywhere among the others


def genetic(**params):
    return GeneticSelector(4, criterion="label-match", random_state=0, **params)


def swap(**params):
    return SwapSelector(4, random_state=0, **params)


@pytest.mark.parametrize(
    ("selector", "way_out"),
    [
        (genetic(), "Pass per_class=1"),
        (swap(n_pivots=5), "Pass per_class=1"),
        (ForwardSelector(4), "Take SwapS"),
    ],
)
def test_prototypes_of_one_class_are_told_where_all_such_sets_are_equally_good(selector, way_out):
    said = f"All 4 prototypes are of class 'usual', like 291 of 300 objects.*{way_out}"
    with pytest.warns(UserWarning, match=said) as told:
        selector.fit(X, y)
    assert (selector.prototype_labels_ == "usual").all()
    assert selector.criterion_value_ == 291
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("selector", "labels"),
    [
        pytest.param(swap(per_class=1), y, id="a quota"),
        pytest.param(swap(per_class={"rare": (0, 0)}), y, id="a quota of one class"),
        pytest.param(genetic(candidates=np.arange(9, 300)), y, id="candidates of one class"),
        pytest.param(swap(criterion="linear-margin"), y, id="a criterion that tells such sets apart"),
        pytest.param(swap(criterion="coverage"), y, id="a criterion without labels"),
        pytest.param(SwapSelector(1, random_state=0), y, id="one prototype"),
        pytest.param(swap(), X[:, 0] > 0, id="prototypes of both classes"),
        pytest.param(AutoSelector(4, random_state=0), y, id="several criteria"),
    ],
)
def test_nothing_is_said(selector, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.fit(X, labels)


def test_weights_bring_prototypes_of_a_rare_class():
    clusters = np.r_[X[:9] / 9 + 2, X[9:]]
    weights = np.where(y == "rare", 291 / 9, 1.0)
    assert "rare" in swap().fit(clusters, y, sample_weight=weights).prototype_labels_
