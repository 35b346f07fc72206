"""City block and the like: SciPy's values by our loops, for short, long and sparse vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial import distance

from protopick.dissimilarity import resolve
from protopick.dissimilarity.boolean import Boolean
from protopick.dissimilarity.elementwise import Elementwise
from protopick.dissimilarity.euclidean import Euclidean
from protopick.dissimilarity.kernels.folds import FOLDS
from protopick.dissimilarity.scipy_vectors import SciPyVectors

NAMES = ["cityblock", "chebyshev", "braycurtis", "canberra", "hamming", "jensenshannon"]
EXPONENTS = [0.5, 0.7, 1, 1.5, 1.7, 2, 2.5, 3, 4, 7, 15, 15.5, 16, np.inf]
METRICS = [(name, {}) for name in NAMES] + [("minkowski", {"p": p}) for p in EXPONENTS]
every_metric = pytest.mark.parametrize(("name", "params"), METRICS)
KINDS = {"short": (7, 0), "long": (70, 0), "sparse": (200, 0.985), "less sparse": (70, 0.7)}
every_kind = pytest.mark.parametrize("kind", KINDS)


def blocks(A, B, name, params=None):
    """All rows of A against all rows of B."""
    metric = resolve(name, params).fit(A)
    out = np.full((B.shape[0], A.shape[0]), np.nan, metric.dtype)
    metric.block(metric.encode(A), metric.encode(B), out, np.arange(B.shape[0]), 0)
    return metric.restore(out).T


def vectors(kind, n=60, dtype=np.float64):
    d, zeros = KINDS[kind]
    rng = np.random.default_rng(3)
    X = rng.random((n, d)).astype(dtype)
    X[rng.random((n, d)) < zeros] = 0
    X[:, 1] = 0.5  # not a row without mass
    X[7] = X[9]
    return sparse.csr_array(X) if "sparse" in kind else X


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@every_metric
@every_kind
def test_same_as_scipy(name, params, kind):
    X = vectors(kind)
    wanted = distance.cdist(dense(X), dense(X)[:11], name, **params)
    np.testing.assert_allclose(blocks(X, X[:11], name, params), wanted, rtol=1e-12, atol=1e-7)


@every_metric
@every_kind
def test_same_as_scipy_in_float32(name, params, kind):
    X = vectors(kind, dtype=np.float32)
    wanted = distance.cdist(dense(X), dense(X)[:11], name, **params)
    block = blocks(X, X[:11], name, params)
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, wanted, rtol=3e-6, atol=3e-4 if params.get("p") == 2 else 1e-7)


@pytest.mark.parametrize(("name", "params"), [m for m in METRICS if m[0] != "jensenshannon"])
@every_kind
def test_signed_values(name, params, kind):
    X = vectors(kind)
    X = X - X[:, [0]] if kind in ("short", "long") else X * -1.0
    wanted = distance.cdist(dense(X), dense(X)[:11], name, **params)
    np.testing.assert_allclose(blocks(X, X[:11], name, params), wanted, rtol=1e-12, atol=1e-7)


@pytest.mark.parametrize(("name", "params"), [m for m in METRICS if m[1].get("p") != 2])
@every_kind
def test_equal_rows_are_at_zero_and_both_directions_are_alike(name, params, kind):
    for dtype in (np.float32, np.float64):
        X = vectors(kind, dtype=dtype)
        block = blocks(X, X, name, params)
        assert (np.diag(block) == 0).all()
        assert block[7, 9] == 0
        np.testing.assert_array_equal(block, block.T)


@every_metric
@pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("d", [4, 40])
def test_rows_of_zeros(name, params, format, d):
    X = np.zeros((4, d))
    X[1, 2] = X[2, 1] = X[3, 1] = 1
    if name == "jensenshannon":
        with pytest.raises(ValueError, match="a row of zeros"):
            blocks(format(X), format(X), name, params)
        return
    with np.errstate(invalid="ignore"):
        wanted = np.nan_to_num(distance.cdist(X, X, name, **params))  # equal rows, not 0/0
    np.testing.assert_array_equal(blocks(format(X), format(X), name, params), wanted)


@given(
    X=hnp.arrays(np.int64, st.tuples(st.integers(1, 9), st.integers(1, 40)), elements=st.integers(-3, 3)),
    name=st.sampled_from(NAMES[:-1]),
    as_sparse=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64, np.int8]),
)
@settings(deadline=None)
def test_small_whole_numbers_are_exact(X, name, as_sparse, dtype):
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = distance.cdist(X.astype(float), X.astype(float), name)
    wanted[np.isnan(wanted)] = 0
    block = blocks(sparse.csr_array(X.astype(dtype)) if as_sparse else X.astype(dtype), X.astype(dtype), name)
    if name in ("cityblock", "chebyshev"):
        np.testing.assert_array_equal(block, wanted)
    else:
        np.testing.assert_allclose(block, wanted, rtol=1e-15 if block.dtype == np.float64 else 1e-6)


@given(
    X=hnp.arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(1, 30)), elements=st.integers(-4, 4)),
    p=st.one_of(st.integers(1, 20), st.floats(0.3, 20)),
)
@settings(deadline=None)
def test_minkowski_of_any_exponent(X, p):
    wanted = distance.cdist(X, X, "minkowski", p=p)
    np.testing.assert_allclose(blocks(X, X, "minkowski", {"p": p}), wanted, rtol=1e-12, atol=1e-7)


def test_great_powers_of_float32_neither_overflow_nor_vanish():
    for scale in (1e-6, 1e6):
        X = (vectors("long") * scale).astype(np.float32)
        for p in (3, 4.5, 12, 20):
            wanted = distance.cdist(X, X, "minkowski", p=p)
            np.testing.assert_allclose(blocks(X, X, "minkowski", {"p": p}), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", [*NAMES[:-1], "minkowski"])
@pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_weights(name, format):
    X = vectors("long")
    w = np.random.default_rng(0).random(70)
    block = blocks(format(X), format(X), name, {"w": w.tolist()})
    np.testing.assert_allclose(block, distance.cdist(X, X, name, w=w), rtol=1e-12)


def test_wrong_parameters_are_refused():
    X = vectors("short")
    wrong = {
        "of shape": np.ones(6),
        "from -1": -np.ones(7),
        "from 0 to 0": np.zeros(7),
        "with NaN or infinity": np.full(7, np.inf),
        "that holds no numbers": ["a"] * 7,
    }
    for said, w in wrong.items():
        with pytest.raises(ValueError, match=rf"w {said}.*7 features"):
            resolve("cityblock", {"w": w}).fit(X)
    for p in (0, -1, np.nan, "3"):
        with pytest.raises(ValueError, match=f"p={p!r}.*above 0"):
            resolve("minkowski", {"p": p})


def test_the_fast_kind_is_taken():
    X = vectors("short")
    for name in (*NAMES, "l1", "manhattan", "matching"):
        assert isinstance(resolve(name).fit(X), Elementwise)
    assert isinstance(resolve("minkowski").fit(X), Euclidean)
    assert isinstance(resolve("hamming").fit(X > 0.5), Boolean)
    assert isinstance(resolve("cityblock", {"w": np.ones(7)}).fit(X), SciPyVectors)


@pytest.mark.parametrize("fold", sorted(set(FOLDS) - {"nan_euclidean"}))  # which counts zeros too
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_loops_of_a_fold_agree(fold, dtype):
    X = sparse.csr_array(vectors("sparse", dtype=dtype))
    X = X.multiply(1 / X.sum(axis=1)[:, None]).tocsr().astype(dtype)
    results = np.empty((3, 60, 60), dtype)
    at = np.arange(60)
    FOLDS[fold].of_short(X.toarray(), X.toarray(), 2.5, results[0], at, 0)
    FOLDS[fold].of_long(X.toarray(), X.toarray(), 2.5, results[1], at, 0)
    parts = X.data, X.indices, X.indptr
    FOLDS[fold].of_sparse(*parts, *parts, 200, 2.5, results[2], at, 0)
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-5 if dtype == np.float32 else 1e-12, atol=1e-6)


@every_metric
def test_layout_does_not_matter(name, params):
    X = vectors("long")
    wide = np.zeros((60, 140))
    wide[:, ::2] = X
    wanted = blocks(X, X, name, params)
    for layout in (np.asfortranarray(X), wide[:, ::2]):
        metric = resolve(name, params).fit(layout)
        if name != "jensenshannon" and params.get("p") != 2:
            assert metric.encoded_bytes(layout) == X.nbytes
            assert metric.encoded_bytes(X) == 0
            assert np.shares_memory(metric.encode(X), X)
        np.testing.assert_array_equal(blocks(layout, layout, name, params), wanted)


@every_metric
@pytest.mark.parametrize("kind", ["sparse", "less sparse"])
def test_csr_with_repeated_unsorted_and_stored_zero_entries(name, params, kind):
    X = vectors(kind)
    data, indices, indptr = [], [], [0]
    for row in X.toarray():
        features = np.flatnonzero(row)[::-1]
        data += [*(row[features] / 2), *(row[features] / 2), 0.0]
        indices += [*features, *features, 4]
        indptr.append(len(indices))
    messy = sparse.csr_array((data, indices, indptr), shape=X.shape)
    np.testing.assert_allclose(blocks(messy, messy, name, params), blocks(X, X, name, params), rtol=1e-14)
    assert len(messy.data) == len(data)  # the user's matrix is left alone


def test_jensenshannon_of_other_bases():
    X = vectors("long")
    block = blocks(X, X, "jensenshannon", {"base": 2})
    assert block[0, 1] == pytest.approx(distance.jensenshannon(X[0], X[1], base=2))


@pytest.mark.parametrize("format", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_jensenshannon_refuses_negative_numbers(format):
    X = np.array([[0.5, 0.5], [-0.5, 1.5]])
    with pytest.raises(ValueError, match=r"X\[1\] holds -0.5"):
        blocks(format(X), format(X), "jensenshannon")


def test_jensenshannon_of_close_float32_rows():
    rng = np.random.default_rng(0)
    X = rng.random((20, 300))
    for change, rtol in ((1e-1, 1e-5), (1e-2, 1e-4), (1e-3, 1e-3)):
        Y = X * (1 + change * rng.random(X.shape))
        P, Q = ((A / A.sum(axis=1, keepdims=True)).astype(np.float32) for A in (X, Y))
        wanted = distance.cdist(P, Q, "jensenshannon")
        np.testing.assert_allclose(blocks(P, Q, "jensenshannon"), wanted, rtol=rtol)


@pytest.mark.parametrize("base", [1, 0.5, 0, -2, True, np.inf, np.nan, "x", [2]], ids=repr)
def test_jensenshannon_refuses_a_base_that_is_none(base):
    with pytest.raises(ValueError, match=r"metric_params has base=.* needs a finite number above 1"):
        resolve("jensenshannon", {"base": base})
