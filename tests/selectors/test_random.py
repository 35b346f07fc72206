import numpy as np

from protopick import RandomSelector


def test_stratified_takes_each_class_by_its_share():
    y = np.repeat(["a", "b", "c"], [700, 290, 10])
    picked = RandomSelector(10, stratified=True, random_state=0).fit(np.zeros((1000, 1)), y)
    assert [(picked.prototype_labels_ == c).sum() for c in "abc"] == [7, 2, 1]


def test_stratified_counts_fixed_objects():
    y = np.repeat([0, 1], [50, 50])
    picked = RandomSelector(6, stratified=True, fixed=[0, 1, 2], random_state=0).fit(np.zeros((100, 1)), y)
    assert (picked.prototype_labels_ == 0).sum() == 3


def test_needs_no_dissimilarity():
    assert RandomSelector(3, random_state=0).fit(np.zeros((9, 2))).n_dissimilarities_ == 0
