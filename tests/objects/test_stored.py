"""Objects in files: the same answer as in memory, and only some of the rows in memory at a time."""

import subprocess
import sys
import threading
import tracemalloc

import h5py
import numpy as np
import pyarrow as pa
import pytest
import zarr
from pyarrow import dataset, parquet
from sklearn import config_context

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    describe,
)
from protopick.dissimilarity import resolve
from protopick.engine import columns_of
from protopick.engine.ahead import ReadAhead
from protopick.objects import Stored
from protopick.objects.stored import as_stored

rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(9_000, 40)) * 8).astype(np.float32)
y = rng.integers(0, 3, len(X))


def as_npy(folder):
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


def as_hdf5(folder):
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(700, 40), compression="gzip")
    return h5py.File(folder / "x.h5")["X"]


def as_zarr(folder):
    array = zarr.open_array(folder / "x.zarr", mode="w", shape=X.shape, chunks=(900, 40), dtype="f4")
    array[:] = X
    return array


def table():
    return pa.table({f"column {j}": X[:, j] for j in range(X.shape[1])})


def as_parquet(folder):
    parquet.write_table(table(), folder / "x.parquet", row_group_size=2_000)
    return parquet.ParquetFile(folder / "x.parquet")


def as_dataset(folder):
    (folder / "parts").mkdir()
    for i, start in enumerate([0, 5_000]):
        part = table().slice(start, 5_000 if i == 0 else None)
        parquet.write_table(part, folder / "parts" / f"{i}.parquet", row_group_size=1_500)
    return dataset.dataset(folder / "parts")


KINDS = {"npy": as_npy, "hdf5": as_hdf5, "zarr": as_zarr, "parquet": as_parquet, "dataset": as_dataset}


@pytest.fixture(params=KINDS)
def stored(request, tmp_path):
    with config_context(working_memory=1):
        yield KINDS[request.param](tmp_path)


SELECTORS = [
    GeneticSelector(6, criterion="label-match", random_state=0),
    GeneticSelector(6, criterion="label-match", evaluation="racing", random_state=0),
    GeneticSelector(6, random_state=0),
    GeneticSelector(6, criterion="label-match", n_pivots=16, random_state=0),
    FarthestFirstSelector(6, random_state=0),
    FarthestFirstSelector(6, metric="mahalanobis", random_state=0),
    SwapSelector(6, max_candidates=60, random_state=0),
    SwapSelector(6, criterion="coverage", metric="cityblock", max_candidates=60, random_state=0),
    KCentersSelector(4, metric="cosine", n_init=1, random_state=0),
    RandomSelector(6, random_state=0),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_the_same_prototypes_as_in_memory(stored, selector):
    expected = selector.fit(X, y).prototype_indices_.tolist()
    space = selector.transform(X)
    selector.fit(stored, y)
    assert selector.prototype_indices_.tolist() == expected
    np.testing.assert_array_equal(selector.prototypes_, X[expected])
    np.testing.assert_array_equal(selector.transform(stored), space)


@pytest.mark.parametrize(
    "selector",
    [AutoSelector(4, random_state=0), ForwardSelector(3, candidates=range(0, 9_000, 90))],
    ids=["auto", "forward"],
)
def test_the_same_prototypes_by_slower_selectors(tmp_path, selector):
    with config_context(working_memory=1):
        expected = selector.fit(X, y).prototype_indices_.tolist()
        assert selector.fit(as_npy(tmp_path), y).prototype_indices_.tolist() == expected


def test_describe_reads_the_sample_only(stored):
    assert describe(stored, sample=50) == describe(X, sample=50)


def test_slices_and_indices_are_those_of_the_array(stored):
    rows = as_stored(stored, allows_nan=False)
    assert isinstance(rows, Stored)
    assert (rows.shape, rows.dtype, len(rows), rows.nbytes) == (X.shape, X.dtype, len(X), X.nbytes)
    for which in (slice(0, 5), slice(8_990, None), slice(7, 7), slice(0, None, 2_500), slice(3, 3_003)):
        np.testing.assert_array_equal(rows[which], X[which])
    for which in ([5, 1, 5, 8_999], [], rng.integers(0, len(X), 3_000)):
        which = np.array(which, dtype=int)
        np.testing.assert_array_equal(rows[which], X[which])


def test_what_fits_into_memory_is_read_at_once(tmp_path):
    for make in (as_hdf5, as_zarr, as_parquet):
        assert type(as_stored(make(tmp_path), allows_nan=False)) is np.ndarray
    mapped = as_npy(tmp_path)
    assert as_stored(mapped, allows_nan=False) is mapped


@pytest.mark.parametrize("make", [as_parquet, as_dataset])
def test_prototypes_of_a_small_parquet_file(tmp_path, make):
    selector = FarthestFirstSelector(3, random_state=0).fit(make(tmp_path))
    np.testing.assert_array_equal(selector.prototypes_, X[selector.prototype_indices_])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_named(tmp_path, value):
    wrong = X.copy()
    wrong[4_321, 7] = value
    np.save(tmp_path / "x.npy", wrong)
    with config_context(working_memory=1):
        mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
        with pytest.raises(ValueError, match=r"X\[4321, 7\] is (nan|inf)"):
            FarthestFirstSelector(3, random_state=0).fit(mapped)
        if np.isnan(value):
            FarthestFirstSelector(3, metric="nan_euclidean", random_state=0).fit(mapped)


def test_other_columns_than_numbers_are_refused(tmp_path):
    parquet.write_table(pa.table({"a": [1.0], "name": ["x"]}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="column 'name' of string"):
        RandomSelector(1).fit(parquet.ParquetFile(tmp_path / "x.parquet"))


def test_another_number_of_columns_is_refused(tmp_path):
    with config_context(working_memory=1):
        selector = RandomSelector(2, random_state=0).fit(as_npy(tmp_path))
        np.save(tmp_path / "other.npy", X[:, :39])
        with pytest.raises(ValueError, match="X has 39 features, but RandomSelector is expecting 40"):
            selector.transform(np.load(tmp_path / "other.npy", mmap_mode="r"))


def test_a_file_that_was_cut_off_is_told(tmp_path):
    with config_context(working_memory=1):
        mapped = as_npy(tmp_path)
        with (tmp_path / "x.npy").open("r+b") as file:
            file.truncate(500_000)
        with pytest.raises(OSError, match=r"is shorter than it was when it was mapped. Map it again"):
            FarthestFirstSelector(3, random_state=0).fit(mapped)


def replace_file(folder):
    np.save(folder / "other.npy", X + 1)
    (folder / "other.npy").replace(folder / "x.npy")


def change_one_row(folder):
    changed = X.copy()
    changed[5] += 99
    np.save(folder / "other.npy", changed)
    (folder / "other.npy").replace(folder / "x.npy")


def shorten_file(folder):
    np.save(folder / "other.npy", X[:100])
    (folder / "other.npy").replace(folder / "x.npy")


def remove_file(folder):
    (folder / "x.npy").unlink()


@pytest.mark.parametrize("change", [replace_file, change_one_row, shorten_file, remove_file])
@pytest.mark.parametrize("memory", [1, 1024])
def test_a_map_outlives_the_name_of_its_file(tmp_path, change, memory):
    if change in (change_one_row, shorten_file) and sys.platform != "linux":
        pytest.skip("only Linux tells which file is mapped")
    mapped = as_npy(tmp_path)
    change(tmp_path)
    selector = FarthestFirstSelector(3, random_state=0)
    expected = selector.fit(X).prototypes_
    with config_context(working_memory=memory):
        np.testing.assert_array_equal(selector.fit(mapped).prototypes_, expected)
        np.testing.assert_array_equal(selector.transform(mapped), selector.transform(X))


def test_a_map_is_read_where_the_system_reads_no_part_of_a_file(tmp_path, monkeypatch):
    monkeypatch.delattr("os.preadv", raising=False)
    with config_context(working_memory=1):
        rows = as_stored(as_npy(tmp_path), allows_nan=False)
        np.testing.assert_array_equal(rows[5:9], X[5:9])


def test_rows_are_read_once_in_order_and_ahead():
    read, begun = [], threading.Event()

    class Rows:
        def __len__(self):
            return 10

        def __getitem__(self, which):
            read.append((which.start, which.stop))
            if which.start == 4:
                begun.set()
            return which.start

    ahead = ReadAhead(Rows(), height=4, depth=1)
    assert ahead[0:4] == 0
    assert begun.wait(timeout=10)  # the second stretch is read before it is asked for
    assert [ahead[4:8], ahead[8:10]] == [4, 8]
    ahead.close()
    assert read == [(0, 4), (4, 8), (8, 10)]


PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from sklearn import set_config
from protopick import GeneticSelector, FarthestFirstSelector
set_config(working_memory=64)
X = np.load(sys.argv[1], mmap_mode="r")
y = np.arange(len(X)) % 5
warm = np.random.default_rng(0).normal(size=(500, X.shape[1])).astype(np.float32)
selectors = [
    FarthestFirstSelector(3, random_state=0),
    GeneticSelector(4, criterion="label-match", n_generations=2, evaluation="exact", random_state=0),
]
for selector in selectors:
    selector.fit(warm, y[:500])
def peak():
    status = Path("/proc/self/status").read_text().split()
    return int(status[status.index("VmHWM:") + 1]) * 1024
Path("/proc/self/clear_refs").write_text("5")
before = peak()
for selector in selectors:
    selector.fit(X, y)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_file_is_never_in_memory_as_a_whole(tmp_path):
    n, width = 200_000, 256  # 205 MB, and 64 MB to work in
    file = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (n, width))
    for start in range(0, n, 10_000):
        file[start : start + 10_000] = rng.random((10_000, width), dtype=np.float32)
    del file
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "x.npy"], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 170e6


wide = rng.random((1_500, 8_000), dtype=np.float32)  # 48 MB


def ahead(most):
    return np.arange(10, 1_500)[:most]


WAYS = {
    "table": lambda columns: columns.table(np.arange(10)),
    "columns ahead": lambda columns: columns.table(np.arange(10), keep=True, ahead=ahead),
    "block": lambda columns: columns.block(np.arange(1_500), np.arange(10)),
    "over": lambda columns: columns.over(np.arange(1, 1_500)).table(np.arange(10)),
    "part": lambda columns: columns.part(np.arange(1, 1_500)).table(np.arange(10)),
}


@pytest.mark.parametrize("n_jobs", [1, 8])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("way", WAYS)
def test_few_of_many_wide_rows_are_in_memory_at_a_time(way, metric, n_jobs):
    measure = resolve(metric).fit(wide)
    how = {"n_jobs": n_jobs, "memory": 32 << 20}
    expected = WAYS[way](columns_of(wide, measure, **how))
    stored = Stored(wide.shape, wide.dtype, lambda start, stop: wide[start:stop].copy())
    tracemalloc.start()
    try:
        found = WAYS[way](columns_of(stored, measure, **how))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(found, expected)
    assert peak < 36 << 20


def test_a_metric_is_fitted_to_few_of_many_wide_rows():
    shape = 4_000, 16_000  # 256 MB
    stored = Stored(shape, np.float32, lambda start, stop: np.ones((stop - start, shape[1]), np.float32))
    tracemalloc.start()
    try:
        resolve("euclidean").fit(stored)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 96 << 20
