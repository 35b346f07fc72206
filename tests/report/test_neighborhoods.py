import numpy as np
import pytest
from scipy.spatial.distance import cdist

from protopick import KCentersSelector, RandomSelector, SwapSelector
from protopick.report import neighborhoods


def slow(selector, X, y):
    """Count by a full table; ties go to the prototype that was picked first."""
    picked = selector.prototype_indices_
    nearest = picked[cdist(X, X[picked]).argmin(axis=1)]
    found = []
    for rank, index in enumerate(picked[selector.order_], start=1):
        labels = y[nearest == index]
        purity = float((labels == y[index]).mean()) if len(labels) else None
        row = {"rank": rank, "index": index, "label": y[index], "size": len(labels), "purity": purity}
        found.append(row)
    return found


def test_sizes_and_purities_are_those_of_the_full_table(integer_data):
    X, y = integer_data
    selector = SwapSelector(7, random_state=0).fit(X, y)
    assert neighborhoods(selector, X, y) == slow(selector, X, y)


def test_every_object_is_counted_once(integer_data):
    X, y = integer_data
    selector = RandomSelector(9, random_state=1).fit(X, y)
    assert sum(found["size"] for found in neighborhoods(selector, X)) == len(X)


def test_without_labels_there_is_no_purity_but_the_labels_that_were_fitted(integer_data):
    X, y = integer_data
    labelled = neighborhoods(RandomSelector(3, random_state=1).fit(X, y), X)
    assert all(found["purity"] is None and found["label"] is not None for found in labelled)
    bare = neighborhoods(RandomSelector(3, random_state=1).fit(X), X)
    assert all(found["purity"] is None and found["label"] is None for found in bare)


def test_a_prototype_that_equals_an_earlier_one_stands_for_nothing():
    X = np.array([[0.0], [0.0], [5.0]])
    selector = RandomSelector(2, fixed=[0, 1], random_state=0).fit(X)
    found = neighborhoods(selector, X, [1, 1, 2])
    assert [(one["size"], one["purity"]) for one in found] == [(3, 2 / 3), (0, None)]


def test_of_the_two_directions_the_one_from_the_object_to_the_prototype_counts():
    D = np.array([[0.0, 9.0, 1.0], [9.0, 0.0, 9.0], [9.0, 1.0, 0.0]])
    selector = RandomSelector(2, metric="precomputed", fixed=[0, 1]).fit(D)
    assert [found["size"] for found in neighborhoods(selector, D)] == [1, 2]


@pytest.mark.parametrize("wrong", [[[9.0], [8.0], [7.0]], [[1.0]]])
def test_other_objects_than_those_fitted_are_refused(wrong):
    selector = KCentersSelector(2, random_state=0).fit([[0.0], [0.1], [5.0]])
    with pytest.raises(ValueError, match="not those that KCentersSelector was fitted to"):
        neighborhoods(selector, wrong)


def test_too_few_labels_are_refused():
    selector = RandomSelector(1, random_state=0).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="y has 3 labels, but X has 2 objects"):
        neighborhoods(selector, [[0.0], [1.0]], [1, 2, 3])
