"""A part of a `Ragged` is taken by one index, and is sent and saved without the rest."""

import pickle

import numpy as np
import pytest

from protopick import FarthestFirstSelector, Ragged, load, save
from tests.storage.same import read_again, same

X = Ragged(np.arange(30.0).reshape(15, 2), [0, 3, 7, 12, 15])


@pytest.mark.parametrize("again", [lambda part: pickle.loads(pickle.dumps(part)), read_again])
def test_only_points_that_are_used_are_kept(again):
    found = again(X[1:3])
    assert same(list(found), list(X[1:3]))
    assert len(found.points) == 9


def test_a_selector_of_a_part_is_saved_without_the_rest(tmp_path):
    selector = FarthestFirstSelector(2, metric="dtw", fixed=[0]).fit(X[1:])
    selector.prototypes_ = X[2:]
    assert same(list(load(save(selector, tmp_path / "model")).prototypes_), list(X[2:]))


@pytest.mark.parametrize("which", [(slice(None), 0), (0, 1), ([0, 1], 5), (slice(None), slice(None))])
def test_a_second_index_is_refused(which):
    with pytest.raises(IndexError, match=r"takes one index, got 2.*X\[i\]\[j\]"):
        X[which]


@pytest.mark.parametrize("which", [True, np.True_, None, [[0, 1]]])
def test_what_is_no_index_is_refused(which):
    with pytest.raises(IndexError, match="a position, a slice, a list of positions or a mask"):
        X[which]


def test_an_index_as_scikit_learn_and_numpy_write_it():
    for which in ((1, ...), (1,), np.array(1), np.int64(1)):
        assert same(X[which], X[1])
    assert same(list(X[[2, 0], ...]), [X[2], X[0]])


def test_wrong_offsets_are_shown_in_part():
    with pytest.raises(ValueError, match=r"got \[0.0, 1.0, .*\.\.\.\]") as raised:
        Ragged(np.zeros(9), [float(i) for i in range(10_000)])
    assert len(str(raised.value)) < 300
