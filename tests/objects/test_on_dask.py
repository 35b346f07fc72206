"""Arrays and data frames of Dask as objects: what is taken, what is refused, and that nothing is hurried."""

import logging
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone

import protopick
from protopick.objects import Stored, checked

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

SWAPS = protopick.SwapSelector(4, max_candidates=20, random_state=0)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(600, 5)).astype(np.float32), rng.choice(["ash", "fir"], 600)


def never(block):
    raise AssertionError("computed too early")


def test_transform_is_lazy_and_gives_a_dask_array(data):
    X, y = data
    selector = clone(SWAPS).fit(X, y)
    lazy = selector.transform(da.from_array(X, chunks=(250, 2)))
    assert isinstance(lazy, da.Array)
    assert lazy.chunks == ((250, 250, 100), (4,))
    assert lazy.dtype == np.float32
    np.testing.assert_array_equal(lazy.compute(scheduler="threads"), selector.transform(X))
    untouched = da.from_array(X, chunks=(250, 5)).map_blocks(never, dtype=X.dtype, meta=X[:0])
    assert selector.transform(untouched).shape == (600, 4)


def test_transform_takes_chunks_of_unknown_sizes_and_empty_ones(data):
    X, _ = data
    selector = protopick.RandomSelector(3, random_state=0).fit(X)
    rows = da.from_array(X, chunks=(200, 5))
    some = rows[da.from_array(np.arange(600) > 350, chunks=200)]
    np.testing.assert_array_equal(
        selector.transform(some).compute(scheduler="threads"), selector.transform(X[351:])
    )


def test_transform_of_another_width_is_refused_at_once(data):
    X, _ = data
    selector = protopick.RandomSelector(3).fit(da.from_array(X, chunks=(250, 5)))
    with pytest.raises(ValueError, match="X has 4 features"):
        selector.transform(da.from_array(X[:, :4], chunks=250))


def test_a_fit_on_dask_leaves_plain_arrays(data, tmp_path):
    X, y = data
    local = clone(SWAPS).fit(X, y)
    selector = clone(SWAPS).fit(da.from_array(X, chunks=(250, 5)), da.from_array(y, chunks=250))
    assert type(selector.prototypes_) is np.ndarray
    np.testing.assert_array_equal(selector.transform(X), local.transform(X))
    protopick.save(selector, tmp_path / "picked")
    np.testing.assert_array_equal(protopick.load(tmp_path / "picked").transform(X), local.transform(X))


def test_data_frames_give_frames(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(600) * 2)
    local = clone(SWAPS).fit(frame, y)
    in_parts = dd.from_pandas(frame, npartitions=4)
    selector = clone(SWAPS).fit(in_parts, dd.from_pandas(pd.Series(y, index=frame.index), npartitions=4))
    pd.testing.assert_frame_equal(selector.prototypes_, local.prototypes_)
    assert selector.feature_names_in_.tolist() == list("abcde")
    assert selector.prototype_labels_.tolist() == local.prototype_labels_.tolist()
    lazy = selector.transform(in_parts)
    np.testing.assert_array_equal(lazy.compute(scheduler="threads"), local.transform(frame))
    with pytest.raises(ValueError, match="Pass the same columns"):
        selector.transform(in_parts.rename(columns={"a": "z"}))


@pytest.mark.parametrize("dtype", [np.float64, np.int16, bool])
def test_numbers_of_all_kinds_give_the_same(data, dtype):
    X = np.round(3 * data[0]).astype(dtype)
    selector = protopick.FarthestFirstSelector(5, metric="manhattan", random_state=0)
    local = clone(selector).fit(X)
    there = clone(selector).fit(da.from_array(X, chunks=(250, 5)))
    assert there.prototype_indices_.tolist() == local.prototype_indices_.tolist()


def test_a_matrix_of_dissimilarities_may_be_in_chunks(data):
    D = np.abs(data[0][:200, :1] - data[0][None, :200, 0])
    selector = protopick.SwapSelector(3, metric="precomputed", criterion="coverage", random_state=0)
    local = clone(selector).fit(D)
    there = clone(selector).fit(da.from_array(D, chunks=(80, 50)))
    assert there.prototype_indices_.tolist() == local.prototype_indices_.tolist()
    np.testing.assert_array_equal(
        there.transform(da.from_array(D, chunks=80)).compute(scheduler="threads"), local.transform(D)
    )
    D[90, 3] = -1
    with pytest.raises(ValueError, match=r"X\[90, 3\] is -1.0, but metric needs dissimilarities of 0"):
        clone(selector).fit(da.from_array(D, chunks=80))


def test_functions_of_two_rows_are_compared_by_the_workers(data):
    X = data[0][:120]
    selector = protopick.FarthestFirstSelector(3, metric=_gap, random_state=0)
    there = clone(selector).fit(da.from_array(X, chunks=(50, 5)))
    assert there.prototype_indices_.tolist() == clone(selector).fit(X).prototype_indices_.tolist()


def _gap(a, b):
    return float(np.abs(a - b).max())


def test_describe_pick_and_the_dimension_take_dask_arrays(data):
    X, y = data
    rows, labels = da.from_array(X, chunks=(250, 5)), da.from_array(y, chunks=250)
    here, there = protopick.describe(X, y=y, sample=100), protopick.describe(rows, y=labels, sample=100)
    assert there.nearest_neighbor_error == here.nearest_neighbor_error
    np.testing.assert_array_equal(there.points, here.points)
    assert protopick.intrinsic_dimension(rows) == protopick.intrinsic_dimension(X)
    picked = [protopick.pick(a, b, 3, method="swap", random_state=0) for a, b in [(X, y), (rows, labels)]]
    np.testing.assert_array_equal(*picked)


@pytest.mark.parametrize(
    "labels", [np.array([5, 70000, -3]), np.array([0.0, 1.0, 2.0]), np.array([True, False])]
)
def test_labels_of_all_kinds_are_numbered_alike(data, labels):
    X, _ = data
    y = np.random.default_rng(1).choice(labels, 600)
    local, there = (
        clone(SWAPS).set_params(per_class=1).fit(a, b)
        for a, b in [(X, y), (da.from_array(X, chunks=(250, 5)), da.from_array(y, chunks=250))]
    )
    assert there.prototype_indices_.tolist() == local.prototype_indices_.tolist()
    assert there.prototype_labels_.tolist() == local.prototype_labels_.tolist()


def test_without_a_client_a_large_array_is_computed_block_by_block(data):
    X, y = data
    rows = da.from_array(X, chunks=(250, 5))
    local = clone(SWAPS).fit(X, y)
    with sklearn.config_context(working_memory=0.01):
        assert isinstance(checked(rows, takes="vectors", allows_nan=False), Stored)
        there = clone(SWAPS).fit(rows, da.from_array(y, chunks=250))
    assert there.prototype_indices_.tolist() == local.prototype_indices_.tolist()


def test_empty_chunks_do_no_harm(data):
    X, y = data
    rows = da.concatenate([da.from_array(part, chunks=(250, 5)) for part in (X[:0], X[:100], X[:0], X[100:])])
    labels = da.from_array(y, chunks=(tuple(n for n in rows.chunks[0] if n),))
    there = clone(SWAPS).fit(rows, labels)
    assert there.prototype_indices_.tolist() == clone(SWAPS).fit(X, y).prototype_indices_.tolist()


def test_labels_in_other_chunks_are_refused(data):
    X, y = data
    rows = da.from_array(X, chunks=(250, 5))
    with pytest.raises(ValueError, match=r"y has chunks of 300, 300 labels.*y.rechunk\(X.chunks\[0\]\)"):
        clone(SWAPS).fit(rows, da.from_array(y, chunks=300))
    with pytest.raises(ValueError, match="y has 500 labels, but X has 600 objects"):
        clone(SWAPS).fit(rows, da.from_array(y[:500], chunks=250))
    with pytest.raises(ValueError, match="1d"):
        clone(SWAPS).fit(rows, da.from_array(np.column_stack([y, y]), chunks=250))


def test_chunks_of_unknown_sizes_are_refused(data):
    X, y = data
    rows = da.from_array(X, chunks=(250, 5))
    unknown = rows[rows[:, 0] > 0]
    with pytest.raises(ValueError, match=r"X has chunks of unknown sizes.*X.compute_chunk_sizes\(\)"):
        clone(SWAPS).fit(unknown)
    labels = da.from_array(y, chunks=250)
    with pytest.raises(ValueError, match=r"y has chunks of unknown sizes.*y.compute_chunk_sizes\(\)"):
        clone(SWAPS).fit(rows, labels[labels == "ash"])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_row_of_a_value_that_is_not_finite_is_named(data, value):
    X, _ = data
    X[411, 2] = value
    with pytest.raises(ValueError, match=rf"X\[411, 2\] is {value}"):
        clone(SWAPS).fit(da.from_array(X, chunks=(250, 5)))


def test_missing_values_are_taken_where_the_metric_takes_them(data):
    X, _ = data
    X[411, 2] = np.nan
    selector = protopick.FarthestFirstSelector(4, metric="nan_euclidean", random_state=0)
    there = clone(selector).fit(da.from_array(X, chunks=(250, 5)))
    assert there.prototype_indices_.tolist() == clone(selector).fit(X).prototype_indices_.tolist()


@pytest.mark.parametrize(
    ("X", "metric", "message"),
    [
        (da.zeros((0, 3)), "euclidean", r"X has the shape \(0, 3\)"),
        (da.zeros((9, 0)), "euclidean", r"X has the shape \(9, 0\)"),
        (da.zeros(9), "euclidean", r"shape \(9,\).*two dimensions"),
        (da.zeros((9, 2), dtype=complex), "euclidean", "dtype complex128"),
        (da.zeros((9, 2)), "levenshtein", r"metric compares strings.*X.compute\(\)"),
        (da.zeros((9, 2)), "gower", r"metric compares table.*X.compute\(\)"),
        (da.zeros((9, 8)), "precomputed", "needs a square matrix"),
    ],
)
def test_what_cannot_be_compared_is_refused(X, metric, message):
    with pytest.raises(ValueError, match=message):
        protopick.RandomSelector(2, metric=metric).fit(X)


def test_a_column_of_text_is_named():
    frame = dd.from_pandas(pd.DataFrame({"age": [1.0, 2.0], "eyes": ["blue", "brown"]}), npartitions=1)
    with pytest.raises(ValueError, match=r"column 'eyes'.*gower"):
        protopick.RandomSelector(1).fit(frame)
    with pytest.raises(ValueError, match="series"):
        protopick.RandomSelector(1).fit(frame["age"])


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def test_rows_of_a_client_that_is_closed_are_refused(data, client):
    rows = client.persist(da.from_array(data[0], chunks=(250, 5)))
    client.close()
    with pytest.raises(ValueError, match="a Dask client that is closed"):
        clone(SWAPS).fit(rows)


def test_a_client_that_is_closed_in_the_middle_says_so(data, client, monkeypatch):
    solve = protopick.SwapSelector._solve

    def closing(self, problem):
        client.close()
        return solve(self, problem)

    monkeypatch.setattr(protopick.SwapSelector, "_solve", closing)
    with pytest.raises(RuntimeError, match="client that holds the chunks is closed"):
        clone(SWAPS).fit(da.from_array(data[0], chunks=(250, 5)))


def test_rows_are_found_by_the_client_that_holds_them(data, cluster):
    X, y = data
    with distributed.Client(cluster, set_as_default=False) as client:
        rows = client.persist(da.from_array(X, chunks=(250, 5)))
        there = clone(SWAPS).fit(rows, da.from_array(y, chunks=250))
    assert there.prototype_indices_.tolist() == clone(SWAPS).fit(X, y).prototype_indices_.tolist()


def test_dask_is_not_imported_before_it_is_needed():
    code = "import protopick, sys; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
