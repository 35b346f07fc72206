"""What is written is read again, to the last bit and type; what cannot be is refused."""

import datetime
import math
from collections import Counter, OrderedDict
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from protopick.storage.models import KINDS
from protopick.storage.values import Writer
from tests.storage.same import read_again, same

keys = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.floats(allow_nan=False))
arrays = stn.arrays(
    st.one_of(
        stn.boolean_dtypes(),
        stn.integer_dtypes(endianness="?"),
        stn.floating_dtypes(endianness="?"),
        stn.complex_number_dtypes(),
        stn.unicode_string_dtypes(),
        stn.byte_string_dtypes(),
        stn.datetime64_dtypes(),
        stn.timedelta64_dtypes(),
    ),
    stn.array_shapes(min_dims=0, min_side=0, max_side=4),
)
values = st.recursive(
    st.one_of(keys, st.floats(), arrays, st.frozensets(keys), st.sets(keys)),
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.one_of(keys, st.tuples(keys)), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_any_value_is_read_as_it_was_written(value):
    assert same(read_again(value), value)


@given(arrays)
def test_every_element_of_an_array_is_read_as_it_was_written(array):
    for element in array.ravel()[:3]:
        assert same(read_again(element), element)


@given(stn.arrays(object, stn.array_shapes(min_side=0, max_side=3), elements=st.lists(keys)))
def test_arrays_of_objects_keep_their_shape_and_take_no_list_apart(array):
    assert same(read_again(array), array)


@given(st.lists(st.text(), unique=True), st.randoms())
def test_a_set_is_written_in_the_same_order_however_it_was_made(elements, random):
    shuffled = random.sample(elements, len(elements))
    assert Writer(KINDS).value(set(elements), "") == Writer(KINDS).value(set(shuffled), "")


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_random_numbers_go_on_where_they_were(kind):
    generator = np.random.Generator(getattr(np.random, kind)(5))
    generator.integers(9, size=3, dtype=np.int32)
    loaded = read_again(generator)
    assert same(loaded.random(10), generator.random(10))
    assert same(loaded.integers(9, size=5, dtype=np.int32), generator.integers(9, size=5, dtype=np.int32))


def test_the_old_random_numbers_go_on_too():
    generator = np.random.RandomState(5)
    generator.normal()
    assert same(read_again(generator).normal(size=5), generator.normal(size=5))


class Pair(NamedTuple):
    a: int
    b: int


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Pair(1, 2),
        OrderedDict(a=1),
        Counter("aab"),
        datetime.date(2020, 1, 1),
        1 + 2j,
        np.ma.masked_array([1, 2], [True, False]),
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        np.array([1, object()], object),
        {"deep": [1, (2, {3: object()})]},
        memoryview(b"abc"),
        range,
        math,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_would_not_come_back_as_it_was_is_refused(value):
    if value is range:  # a class is found by its import path
        assert read_again(value, allow_imports=["builtins.range"]) is range
        return
    with pytest.raises(TypeError, match=r"it.* is of type .*which save does not know how to keep"):
        read_again(value)


def test_the_error_says_where_the_value_is():
    with pytest.raises(TypeError, match=r"it\['deep'\]\[1\]\[0\] is of type object"):
        read_again({"deep": [1, (object(),)]})


@pytest.mark.parametrize(
    "function", [lambda a, b: 0, partial(max, 1), "abc".join], ids=["lambda", "partial", "method"]
)
def test_a_function_that_cannot_be_imported_is_refused(function):
    with pytest.raises(TypeError, match=r"no other program can import.*at the top of a module"):
        read_again(function)
