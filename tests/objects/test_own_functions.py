"""What a function of two batches raises or returns is told with the objects that it was called with."""

import numpy as np
import pytest

from protopick import FarthestFirstSelector, batch_metric

WORDS = ["a", "bb", "ccc", "dddd"]


def fitted_with(function):
    return FarthestFirstSelector(2, metric=batch_metric(function), fixed=[1]).fit(WORDS)


def test_what_it_raises_has_a_note_with_the_ends_of_the_batches():
    def broken(A, B):
        raise ZeroDivisionError("own words")

    with pytest.raises(ZeroDivisionError, match="own words") as raised:
        fitted_with(broken)
    (note,) = raised.value.__notes__
    assert note.startswith("This was raised by metric=")
    assert note.endswith("broken for batches of 4 and 1 objects, from 'a' to 'dddd' and from 'bb' to 'bb'.")


def test_rows_of_several_lengths_are_refused():
    def ragged(A, B):
        return [[0.0] * len(a) for a in A]

    with pytest.raises(ValueError, match=r"for batches of 4 and 1 objects.*several lengths.*shape \(4, 1\)"):
        fitted_with(ragged)


def test_a_long_object_is_shown_in_part():
    def negative(a, b):
        return -1.0

    with pytest.raises(ValueError, match=r"returned -1.0 for the pair \[0, 1, .*\.\.\.\]") as raised:
        FarthestFirstSelector(1, metric=negative, fixed=[0]).fit([list(range(10_000))] * 3).transform(
            [list(range(10_000))]
        )
    assert len(str(raised.value)) < 500


def test_a_mark_of_no_function_shows_it_in_part():
    with pytest.raises(TypeError, match="marks a function of two batches") as raised:
        batch_metric(np.arange(999.0).tolist())
    assert len(str(raised.value)) < 300
