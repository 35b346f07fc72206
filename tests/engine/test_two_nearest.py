"""The two nearest prototypes against sorting, while prototypes are exchanged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from protopick.dissimilarity import resolve
from protopick.engine import TwoNearest, columns_of, look_again
from tests import oracles

matrices = st.integers(2, 14).flatmap(
    lambda n: hnp.arrays(np.float64, (n, n), elements=st.integers(0, 3).map(float))
)


def assert_sorted(near, D):
    w = near.prototypes.tolist()
    first, second = oracles.two_nearest(D, w)
    assert near.at.tolist() == first
    assert near.second_at.tolist() == second
    rows = np.arange(len(D))
    assert near.key.tolist() == D[rows, np.array(w)[first]].tolist()
    if len(w) == 1:
        assert np.isinf(near.second_key).all()
    else:
        assert near.second_key.tolist() == D[rows, np.array(w)[second]].tolist()


@pytest.mark.parametrize("tile", [None, 3])
@settings(deadline=None, max_examples=100)
@given(D=matrices, data=st.data())
def test_ties_go_to_the_lowest_position_through_all_exchanges(tile, D, data):
    columns = columns_of(D, resolve("precomputed").fit(D), candidates=np.arange(len(D)))
    if tile is not None:
        columns._tile_rows = lambda wanted, lone: tile
    order = data.draw(st.permutations(range(len(D))))
    k = data.draw(st.integers(1, len(D)))
    inside, outside = order[:k], order[k:]
    near = TwoNearest(columns, np.array(inside))
    near.scan(look_again)
    assert_sorted(near, D)
    for _ in range(data.draw(st.integers(0, 6)) if outside else 0):
        position = data.draw(st.integers(0, k - 1))
        which = data.draw(st.integers(0, len(outside) - 1))
        inside[position], outside[which] = outside[which], inside[position]
        near.replace(position, inside[position])
        near.scan(look_again)
        assert near.prototypes.tolist() == inside
        assert_sorted(near, D)


def test_the_set_that_was_passed_stays_as_it_was():
    X = np.arange(5.0)[:, None]
    prototypes = np.array([0, 4])
    TwoNearest(columns_of(X, resolve("euclidean").fit(X)), prototypes).replace(0, 2)
    assert prototypes.tolist() == [0, 4]
