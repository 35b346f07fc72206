"""Rows of small whole numbers: compared exactly, on every processor, and whatever comes between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context

from protopick import GeneticSelector, load, save
from protopick.dissimilarity import resolve
from protopick.dissimilarity.kernels import whole_products
from protopick.dissimilarity.whole_numbers import WholeEuclidean, WholeNumbers
from protopick.engine import columns_of

by_processor = pytest.mark.parametrize("byte", [whole_products.BYTE_DTYPE, np.dtype(np.int16)], ids=str)


def keys(X, rows, cols, euclidean):
    out = np.full((len(cols) + 3, len(rows) + 5), -1.0, euclidean.dtype)
    euclidean.block(euclidean.encode(X[rows]), euclidean.encode(X[cols]), out, np.arange(len(cols)) + 2, 4)
    written = out[2:-1, 4:-1].copy()
    out[2:-1, 4:-1] = -1
    assert (out == -1).all(), "written beyond the block"
    return written


def squares(X, rows, cols):
    return ((X[cols].astype(object)[:, None] - X[rows].astype(object)[None]) ** 2).sum(axis=2).astype(float)


@by_processor
@settings(max_examples=40, deadline=None)
@given(
    n_rows=st.integers(1, 140),
    n_cols=st.integers(1, 20),
    width=st.integers(1, 150),
    low=st.sampled_from([0, -128, -3, 5, 1000]),
    span=st.sampled_from([1, 31, 255, 256, 3000]),
    dtype=st.sampled_from([np.float32, np.float64, np.int16, np.int64]),
    seed=st.integers(0, 99),
)
def test_squares_are_exact(byte, n_rows, n_cols, width, low, span, dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(low, low + span + 1, (160, width)).astype(dtype)
    rows, cols = rng.choice(160, n_rows, replace=False), rng.choice(160, n_cols, replace=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_products, "BYTE_DTYPE", byte)
        euclidean = resolve("euclidean").fit(X)
        assert isinstance(euclidean, WholeEuclidean)
        found = keys(X, rows, cols, euclidean)
    np.testing.assert_array_equal(found, squares(X, rows, cols).astype(euclidean.dtype))


@by_processor
@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 400),
    k=st.integers(1, 9),
    width=st.integers(1, 64),
    span=st.sampled_from([1, 3, 31, 255]),
    n_classes=st.sampled_from([1, 3, 2**16 - 1, 2**16 + 9]),
    seed=st.integers(0, 99),
)
def test_matches_are_those_of_the_first_of_the_nearest(byte, n, k, width, span, n_classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, span - 2, (n, width)).astype(np.float32)
    labels = (n_classes - 1 - rng.integers(0, min(n_classes, 4), n)).astype(np.int32)
    labels[rng.random(n) < 0.3] %= 2**16  # what two bytes do not tell apart
    which = rng.choice(n, min(n, k + 4), replace=False)
    k = min(k, len(which))
    sets = np.array([rng.choice(len(which), k, replace=False) for _ in range(6)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_products, "BYTE_DTYPE", byte)
        euclidean = resolve("euclidean").fit(X)
        rows = euclidean.encode(X)
        count = euclidean.count_label_matches(rows, which)
        assert (count is None) == (width * euclidean.numbers.dtype.itemsize > 64)
    if count is None:
        return
    nearest = squares(X, np.arange(n), which)[sets].argmin(axis=1)  # (sets, rows)
    for start in (0, whole_products.HEIGHT):
        here = slice(start, n)
        if start < n:
            found = count(here, sets, labels[which][sets], labels[here])
            expected = [
                (labels[which][one][at] == labels)[here].sum() for one, at in zip(sets, nearest, strict=True)
            ]
            assert found.tolist() == expected


@pytest.mark.parametrize("why", ["long rows", "other numbers", "a lone column"])
def test_matches_are_left_to_keys(why):
    X = np.random.default_rng(0).integers(0, 50, (3000, 65 if why == "long rows" else 20)).astype(np.float32)
    if why == "other numbers":
        X[1001, 3] = 0.5
    euclidean = resolve("euclidean").fit(X)
    which = np.arange(1 if why == "a lone column" else 7)
    assert euclidean.count_label_matches(euclidean.encode(X), which) is None


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.uint16, "F", "strided", "read-only"], ids=str)
def test_every_kind_of_array_is_read(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if kind is bool else 100, (70, 50))
    rows = {
        "F": np.asfortranarray(X, np.float32),
        "strided": np.repeat(X.astype(np.float32), 2, axis=1)[:, ::2],
        "read-only": X.astype(np.float32),
    }.get(kind, None if isinstance(kind, str) else X.astype(kind))
    rows.flags.writeable = kind != "read-only"
    euclidean = resolve("euclidean").fit(rows)
    assert isinstance(euclidean, WholeEuclidean)
    every = np.arange(70)
    np.testing.assert_array_equal(keys(rows, every, every[:7], euclidean), squares(X, every, every[:7]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_other_numbers_are_compared_too_and_wherever_they_stand(dtype):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 90, (2200, 40)).astype(dtype)
    X[[3, 501, 1999], [0, 7, 39]] = 0.25, -1, 1e4
    euclidean = resolve("euclidean").fit(X)
    assert isinstance(euclidean, WholeEuclidean), "none of them is in the sample"
    rows, cols = np.array([0, 3, 4, 1000, 1999, 2100]), np.array([1999, 7, 501, 3])
    found = keys(X, rows, cols, euclidean)
    np.testing.assert_allclose(found, squares(X, rows, cols), rtol=1e-6)
    np.testing.assert_array_equal(found, keys(X, cols, rows, euclidean).T)
    for i, row in enumerate(rows):
        for j, col in enumerate(cols):
            assert keys(X, [row], [col], euclidean)[0, 0] == found[j, i]
    held = euclidean.encode(X)
    np.testing.assert_array_equal(held[1920:2112].plain(np.dtype(dtype)), X[1920:2112])
    np.testing.assert_array_equal(held[5:2000:3].plain(np.dtype(dtype)), X[5:2000:3])
    np.testing.assert_array_equal(held[rows].plain(np.dtype(dtype)), X[rows])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1], WholeNumbers(0, 255)),
        ([0, 255], WholeNumbers(0, 255)),
        ([-128, 127], WholeNumbers(-128, 255)),
        ([990, 1010], WholeNumbers(873, 255)),
        ([0, 3000], WholeNumbers(0, 7327)),
        ([0, 8000], None),
        ([0, 0.5], None),
        ([1e20, 1e20], None),
        ([2.0**52 - 5, 2.0**52], WholeNumbers(2**52 - 130, 255)),
        ([2.0**52 + 1, 2.0**52 + 2], None),
        ([0, np.nan], None),
    ],
)
def test_a_sample_tells_which_numbers_there_are(values, expected):
    sample = np.zeros((30, 40))
    sample[:, 1:] = values[0]
    sample[:, 0] = values[1]
    assert WholeNumbers.of(sample) == expected


def test_numbers_that_floats_cannot_hold_are_left_to_floats():
    assert WholeNumbers.of(np.full((5, 3), 2**23 + 1, np.float32)) is None
    X = 2**60 + np.arange(20)[:, None] * np.ones((1, 3), np.int64)
    assert resolve("euclidean").fit(X).dtype == np.float64


@pytest.mark.parametrize("n", [20_000, 32_768, 60_000])
def test_a_pattern_in_the_rows_is_not_missed(n):
    for step in (2, 3, 4, 7, 8):
        X = np.zeros((n, 3), np.float32)
        X[1::step] = 0.5
        assert not isinstance(resolve("euclidean").fit(X), WholeEuclidean)


def test_squares_never_leave_the_range_of_integers():
    for width in (33, 1000, 33_025, 33_026, 10**6):
        whole = WholeNumbers.of(
            np.broadcast_to(np.float32([0, 255] * (width // 2) + [0] * (width % 2)), (3, width))
        )
        assert (whole is None) == (width * 255**2 >= 2**31)
    X = np.zeros((2, 33_025))
    X[1] = 255
    euclidean = resolve("euclidean").fit(X)
    assert keys(X, [0, 1], [0, 1], euclidean).tolist() == [[0, 33_025 * 255**2], [33_025 * 255**2, 0]]


def test_the_same_prototypes_whatever_holds_the_numbers(tmp_path):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 256, (3000, 300)).astype(np.uint8), rng.integers(0, 4, 3000)
    X[1001, 0] = 255
    np.save(tmp_path / "rows.npy", X.astype(np.float32))
    selector = GeneticSelector(5, criterion="label-match", random_state=0, n_generations=4)
    expected = selector.fit(X, y).prototype_indices_.tolist()
    assert selector.criterion_value_ == selector.history_[-1]
    for same in (X.astype(np.float32), X.astype(np.float64), X.astype(np.int64), np.asfortranarray(X)):
        assert selector.fit(same, y).prototype_indices_.tolist() == expected
    with config_context(working_memory=1):
        stored = np.load(tmp_path / "rows.npy", mmap_mode="r")
        assert selector.fit(stored, y).prototype_indices_.tolist() == expected
    chunked = da.from_array(X.astype(np.float32), chunks=(700, 300))
    assert selector.fit(chunked, y).prototype_indices_.tolist() == expected


def test_a_saved_selector_compares_as_before(tmp_path):
    X = np.random.default_rng(3).integers(0, 256, (200, 50)).astype(np.float32)
    selector = GeneticSelector(4, random_state=0).fit(X)
    loaded = load(save(selector, tmp_path / "model.protopick"))
    new = np.vstack([X[:5], X[:5] + 0.5, X[:5] - 300])
    np.testing.assert_array_equal(loaded.transform(new), selector.transform(new))
    apart = new[:, None].astype(float) - X[selector.prototype_indices_]
    np.testing.assert_allclose(selector.transform(new), np.sqrt((apart**2).sum(axis=2)), rtol=1e-6)


def test_a_lone_column_is_that_of_a_block():
    X = np.random.default_rng(4).integers(0, 256, (1500, 60)).astype(np.float32)
    columns = columns_of(X, resolve("euclidean").fit(X))
    rows = columns.dissimilarity.encode(X)
    out = np.empty((1, 1500), np.float32)
    columns.dissimilarity.lone(rows, rows[np.array([17])], out)
    np.testing.assert_array_equal(np.sqrt(out[0]), columns.table(np.array([17]))[:, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_other_numbers_are_compared_alike_with_columns_that_are_held(dtype):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 90, (2200, 40)).astype(dtype)
    euclidean, which = resolve("euclidean").fit(X), np.array([7, 11, 200, 2003])
    rows = euclidean.encode(X[:100] + dtype(0.1))
    found = np.empty((2, len(which), len(rows)), dtype)
    for out, cols in zip(found, (euclidean.encode(X)[which], euclidean.encode(X[which])), strict=True):
        euclidean.block(rows, cols, out, np.arange(len(which)), 0)
    np.testing.assert_array_equal(found[0], found[1])
