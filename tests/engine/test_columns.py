import os
import threading
from concurrent.futures import BrokenExecutor

import numpy as np
import pytest
import scipy.sparse
from rapidfuzz.distance import Levenshtein

from protopick import FarthestFirstSelector, GeneticSelector
from protopick.dissimilarity import resolve
from protopick.dissimilarity.elementwise import Elementwise
from protopick.engine import columns_of
from protopick.objects import Subset
from protopick.objects.sizes import nbytes_of

X = np.random.default_rng(0).integers(0, 9, size=(5000, 3)).astype(np.float32)
D = np.linalg.norm(X[:, None].astype(float) - X[None, :60].astype(float), axis=2)


def copy(tile, out):
    out[:] = np.sqrt(tile.columns()).T


def columns(**settings):
    return columns_of(X, resolve("euclidean").fit(X), **settings)


def columns_by(metric):
    return columns_of(X, resolve(metric).fit(X))


def scanned(these, wanted, **how):
    out = np.empty((len(X), len(wanted)), np.float32)
    these.scan(np.array(wanted), copy, out, **how)
    return out


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scan_shows_every_tile_once(n_jobs):
    np.testing.assert_allclose(scanned(columns(n_jobs=n_jobs), range(60)), D, rtol=1e-6)


def test_kept_columns_are_not_computed_again():
    these = columns()
    scanned(these, [1, 2, 3], keep=True)
    np.testing.assert_allclose(scanned(these, [3, 4, 1], keep=True), D[:, [3, 4, 1]], rtol=1e-6)
    assert these.counter.total == 4 * len(X)
    scanned(these, [2], keep=True)
    assert these.counter.total == 4 * len(X)  # 2 was not wanted for a while, but there was room


def test_many_columns_that_are_kept_on_several_threads_stay_as_they_are():
    these, wanted = columns(n_jobs=2), np.arange(60)
    for known in (range(2), range(58), range(60)):  # one and then more than a MB of new room
        scanned(these, known, keep=True)
    assert these.counter.total == 60 * len(X)
    np.testing.assert_allclose(scanned(these, wanted[::-1], keep=True), D[:, ::-1], rtol=1e-6)
    assert these.counter.total == 60 * len(X)


def test_a_scan_that_keeps_nothing_still_uses_what_is_kept():
    these = columns()
    scanned(these, [1, 2], keep=True)
    np.testing.assert_allclose(scanned(these, [2, 7]), D[:, [2, 7]], rtol=1e-6)
    scanned(these, [1, 2], keep=True)
    assert these.counter.total == 3 * len(X)


@pytest.mark.parametrize("kept", [0, 1, 2, 5])
def test_a_small_budget_recomputes_and_changes_nothing(kept):
    these = columns(memory=kept * 4 * len(X) + 4)
    assert these.capacity <= kept
    for wanted in ([1, 2, 3], [2, 3, 4, 5], [2, 6]):
        np.testing.assert_allclose(scanned(these, wanted, keep=True), D[:, wanted], rtol=1e-6)


def test_columns_ahead_are_computed_along_and_only_once():
    these = columns()
    scanned(these, [1, 2], keep=True, ahead=lambda m: np.array([7, 8, 9, 8])[:m])
    assert these.counter.total == 5 * len(X)
    np.testing.assert_allclose(scanned(these, [2, 8], keep=True), D[:, [2, 8]], rtol=1e-6)
    np.testing.assert_allclose(scanned(these, [7, 9], keep=True), D[:, [7, 9]], rtol=1e-6)
    assert these.counter.total == 5 * len(X)


def test_columns_ahead_give_way_where_room_is_short():
    these = columns(memory=4 * 4 * len(X) + 4)
    scanned(these, [1, 2], keep=True, ahead=lambda m: np.array([7, 8, 9])[:m])
    assert these.counter.total == 4 * len(X)
    for wanted in ([1, 2, 3, 4], [3, 5, 7, 8, 9]):
        np.testing.assert_allclose(scanned(these, wanted, keep=True), D[:, wanted], rtol=1e-6)


@pytest.mark.parametrize("wanted", [[4, 5, 6, 7], [7, 5, 6], [3], []])
def test_a_table_has_the_columns_in_the_order_asked_for(wanted):
    these = columns()
    these.table(np.array([3, 4, 5, 6, 7]), keep=True)
    np.testing.assert_allclose(these.table(np.array(wanted, int)), D[:, wanted], rtol=1e-6)
    these.table(np.array([3, 8]), keep=True)  # some in the cache, some not
    np.testing.assert_allclose(these.table(np.array([5, 9, 4])), D[:, [5, 9, 4]], rtol=1e-6)


def test_a_failed_scan_leaves_no_half_filled_columns():
    these = columns(n_jobs=2)

    def fail(tile, out):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        these.scan(np.array([1, 2]), fail, np.empty(len(X)), keep=True)
    np.testing.assert_allclose(scanned(these, [1, 2], keep=True), D[:, [1, 2]], rtol=1e-6)


def test_columns_over_some_rows_count_together():
    these = columns()
    part = these.over(np.array([5, 50, 500]))
    assert part.n_rows == 3
    np.testing.assert_allclose(part.block(np.arange(3), np.arange(60)), D[[5, 50, 500]], rtol=1e-6)
    assert these.counter.total == 180


@pytest.mark.parametrize("criterion", ["label-match", "spanning-tree"])
def test_python_functions_in_processes_give_the_same(criterion):
    words = [f"{i * i:x}" for i in range(400)]
    labels = [len(w) for w in words]

    def differ(a, b):  # a closure, which plain pickle cannot send
        return abs(len(a) - len(b)) + len(set(a) ^ set(b))

    fits = [
        GeneticSelector(
            4, metric=differ, criterion=criterion, clustered=False, n_jobs=n_jobs, random_state=0
        ).fit(words, labels)
        for n_jobs in (None, 2)
    ]
    assert fits[0].prototype_indices_.tolist() == fits[1].prototype_indices_.tolist()
    assert fits[0].n_dissimilarities_ == fits[1].n_dissimilarities_
    np.testing.assert_array_equal(fits[0].transform(words), fits[1].transform(words))


def test_errors_come_back_from_processes():
    def bad(a, b):
        raise RuntimeError("cannot compare")

    with pytest.raises(RuntimeError, match="cannot compare"):
        FarthestFirstSelector(3, metric=bad, n_jobs=2).fit(["a", "b", "c", "d"])


def test_what_no_process_can_read_is_named_before_any_work():
    words, calls, lock = ["a", "bb", "ccc", "dddd"], [], threading.Lock()

    def locked(a, b):
        calls.append(lock)
        return abs(len(a) - len(b))

    class Unsendable(str):
        def __reduce__(self):
            raise RuntimeError("stays here")

    for metric in (Levenshtein.distance, locked):
        with pytest.raises(
            ValueError, match=r"metric cannot be sent .*Pass a def that imports .* n_jobs=1\."
        ):
            FarthestFirstSelector(3, metric=metric, n_jobs=2).fit(words)
    with pytest.raises(
        ValueError, match=r"an object of X cannot be sent there: stays here\. Pass n_jobs=1\."
    ):
        FarthestFirstSelector(3, metric=lambda a, b: 0, n_jobs=2).fit([*map(Unsendable, words)])
    assert calls == []


def test_a_process_that_dies_spoils_one_fit_only():
    words = ["a", "bb", "ccc", "dddd"]

    def deadly(a, b):
        os._exit(1)

    def differ(a, b):
        return abs(len(a) - len(b))

    with pytest.raises(BrokenExecutor):
        FarthestFirstSelector(3, metric=deadly, n_jobs=2).fit(words)
    after = FarthestFirstSelector(3, metric=differ, n_jobs=2, random_state=0).fit(words)
    alone = FarthestFirstSelector(3, metric=differ, random_state=0).fit(words)
    assert after.prototype_indices_.tolist() == alone.prototype_indices_.tolist()


def test_some_objects_take_what_the_columns_of_all_keep():
    these, rows = columns(), np.array([5, 50, 500, 4999])
    scanned(these, [1, 2, 3], keep=True)
    before = these.counter.total
    part = these.over(rows)
    np.testing.assert_array_equal(
        part.table(np.array([2, 7, 3]), keep=True), these.table(np.array([2, 7, 3]))[rows]
    )
    assert these.counter.total == before + len(rows) + len(X)  # column 7, of the part and of all
    part.table(np.array([7, 2]), keep=True)
    assert these.counter.total == before + len(rows) + len(X)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_many_columns_of_many_objects_are_taken_whole(n_jobs):
    these, rows = columns(n_jobs=n_jobs), np.arange(4999)
    kept, wanted = np.arange(0, 400, 2), np.arange(400)
    these.table(kept, keep=True)
    part = these.over(rows)
    np.testing.assert_array_equal(part.table(wanted, keep=True), columns().table(wanted)[rows])
    assert part.counter.total == len(kept) * len(X) + (len(wanted) - len(kept)) * len(rows)


def test_a_part_is_numbered_anew():
    these, rows = columns(), np.array([4999, 5, 50, 500])
    part = these.part(rows)
    np.testing.assert_array_equal(part.table(np.array([1, 0])), these.table(rows[[1, 0]])[rows])


def test_what_is_asked_ahead_may_fail():
    these = columns(memory=10 * 4 * len(X) + X.nbytes)

    def fails(limit):
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            these.table(np.arange(3), keep=True, ahead=fails)
    these.table(np.arange(these.capacity), keep=True)
    before = these.counter.total
    these.table(np.arange(these.capacity), keep=True)
    assert these.counter.total == before


@pytest.mark.parametrize(
    "rows",
    [X, scipy.sparse.csr_array(X), Subset(X, np.arange(len(X)))],
    ids=["array", "CSR", "subset"],
)
@pytest.mark.parametrize("how", ["over", "part"])
def test_some_objects_are_copied_only_where_there_is_memory_for_it(rows, how):
    some = np.arange(0, len(X), 2)
    plenty, little = 8 * nbytes_of(rows), nbytes_of(rows)
    parts = {}
    for memory in (plenty, little):
        these = columns_of(rows, resolve("cityblock").fit(X), candidates=X, memory=memory)
        parts[memory] = getattr(these, how)(some, memory)
    assert parts[plenty].memory <= plenty - nbytes_of(X[some]) // 2  # the copy counts
    assert isinstance(parts[little]._rows, Subset)
    few = np.arange(20)
    np.testing.assert_array_equal(parts[plenty].table(few), parts[little].table(few))
    assert 0 < nbytes_of(Subset(rows, some)) <= nbytes_of(rows) // 2 + len(X)


def test_held_rows_are_encoded_by_all_threads():
    together = threading.Barrier(2, timeout=20)

    class Shared(Elementwise):
        def encoded_bytes(self, objects):
            return objects.nbytes

        def encode_all(self, objects, run):
            run(lambda i: together.wait(), 2)  # in vain where one thread does one part after the other
            return objects

    measure = Shared(dtype=X.dtype, fold="cityblock")
    part = columns_of(X, measure, n_jobs=2).over(np.arange(len(X)))
    np.testing.assert_array_equal(part.table(np.arange(2)), columns_by("cityblock").table(np.arange(2)))
