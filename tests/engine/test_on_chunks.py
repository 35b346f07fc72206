"""Rows in chunks give what the local run gives, on threads and on a cluster, whatever gets lost."""

import logging
import os

import numpy as np
import pytest
import sklearn
from sklearn.base import clone

import protopick
from benchmarks.cluster.traffic import Traffic
from protopick.criteria import CRITERIA
from protopick.criteria.label_match import LabelMatchObjective
from protopick.engine import visits
from protopick.engine.digits import Digits
from protopick.engine.on_chunks import ChunkedColumns, Sent
from protopick.objects import Chunked, ChunkedValues, checked

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

N, CHUNK = 900, 250
SOME = np.arange(1, N, 2)


def data(dtype=np.float32):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 40)).astype(dtype) + 1
    X[500:520] = X[:20]  # ties
    return X, rng.choice(["ash", "fir", "oak"], N)


def in_chunks(X, y):
    return da.from_array(X, chunks=(CHUNK, 20)), da.from_array(y, chunks=CHUNK)


SELECTORS = {
    "random": protopick.RandomSelector(4),
    "stratified": protopick.RandomSelector(4, stratified=True),
    "farthest first": protopick.FarthestFirstSelector(6),
    "farthest first of some": protopick.FarthestFirstSelector(6, candidates=SOME, fixed=[7, 3]),
    "subsample": protopick.FarthestFirstSelector(6, subsample=0.5),
    "k-centers": protopick.KCentersSelector(4, n_init=2, max_iter=3),
    "forward": protopick.ForwardSelector(3, candidates=SOME[::4]),
    "forward with little memory": protopick.ForwardSelector(2, candidates=SOME[::2]),
    "polished": protopick.GeneticSelector(4, criterion="coverage", n_generations=2, polish=True),
    "not clustered": protopick.GeneticSelector(4, criterion="radius", clustered=False, n_generations=2),
    "per class": protopick.GeneticSelector(6, criterion="label-match", per_class=1, n_generations=2),
    "fixed": protopick.SwapSelector(5, candidates=SOME, fixed=[0, 8], max_candidates=40),
    "best of batch": protopick.SwapSelector(5, improvement="best", init="farthest-first", max_rounds=1),
    "pivots": protopick.GeneticSelector(4, criterion="label-match", n_pivots=40, n_generations=2),
    "pivots, swaps": protopick.SwapSelector(4, n_pivots=8, max_candidates=30),
    "binary pivots": protopick.SwapSelector(4, n_pivots=20, pivot_code="binary", max_candidates=30),
    "automatic number": protopick.SwapSelector(max_candidates=20),
    "manhattan": protopick.SwapSelector(4, metric="manhattan", criterion="coverage", max_candidates=20),
    "mahalanobis": protopick.FarthestFirstSelector(4, metric="mahalanobis"),
    "cosine": protopick.GeneticSelector(4, metric="cosine", criterion="spanning-tree", n_generations=3),
    "auto": protopick.AutoSelector(3),
}
for name in CRITERIA:
    genetic = protopick.GeneticSelector(4, criterion=name, n_generations=3)
    SELECTORS[f"genetic, {name}"] = genetic
    SELECTORS[f"racing, {name}"] = clone(genetic).set_params(evaluation="racing")
    SELECTORS[f"swaps, {name}"] = protopick.SwapSelector(4, criterion=name, max_candidates=20)


def fit(selector, X, y, **more):
    return clone(selector).set_params(random_state=3).fit(X, y, **more)


def assert_same(local, other):
    assert other.prototype_indices_.tolist() == local.prototype_indices_.tolist()
    assert other.criterion_value_ == local.criterion_value_
    assert list(other.history_) == list(local.history_)
    assert other.order_.tolist() == local.order_.tolist()
    assert other.prototype_labels_.tolist() == local.prototype_labels_.tolist()
    np.testing.assert_array_equal(other.prototypes_, local.prototypes_)


def cluster():
    return distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def some_client():
    """A client that nobody uses unless asked to, of workers that nobody tidies up."""
    untidied = dask.config.set({"distributed.scheduler.active-memory-manager.start": False})
    with untidied, cluster() as workers, distributed.Client(workers, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(some_client):
    with some_client.as_current():
        yield some_client


@pytest.mark.parametrize("name", SELECTORS)
def test_threads_give_the_same(name):
    X, y = data()
    assert_same(fit(SELECTORS[name], X, y), fit(SELECTORS[name], *in_chunks(X, y)))


@pytest.mark.parametrize("name", SELECTORS)
def test_a_cluster_gives_the_same(name, client):
    X, y = data()
    assert_same(fit(SELECTORS[name], X, y), fit(SELECTORS[name], *in_chunks(X, y)))


@pytest.mark.parametrize("name", ["swaps, coverage", "swaps, label-match", "racing, label-match"])
def test_weights_count_the_same(name):
    X, y = data(np.float64)
    weights = np.random.default_rng(1).random(N)
    local = fit(SELECTORS[name], X, y, sample_weight=weights)
    assert_same(local, fit(SELECTORS[name], *in_chunks(X, y), sample_weight=weights))


def test_labels_in_memory_do_as_well(client):
    X, y = data()
    selector = SELECTORS["swaps, label-match"]
    assert_same(fit(selector, X, y), fit(selector, in_chunks(X, y)[0], y))


@pytest.mark.parametrize("name", ["genetic, label-match", "swaps, coverage", "forward"])
def test_columns_that_do_not_fit_are_computed_again(name, monkeypatch):
    X, y = data()
    local = fit(SELECTORS[name], X, y)
    monkeypatch.setattr("protopick.objects.on_dask._budget", lambda limit: 8 * 4 * N)
    assert_same(local, fit(SELECTORS[name], *in_chunks(X, y)))


def test_many_batches_of_candidates_become_one(monkeypatch):
    X, y = data()
    local = fit(SELECTORS["swaps, radius"], X, y)
    monkeypatch.setattr("protopick.engine.on_chunks._MOST_BATCHES", 1)
    assert_same(local, fit(SELECTORS["swaps, radius"], *in_chunks(X, y)))


def test_a_long_search_begins_anew_now_and_then(monkeypatch):
    X, y = data()
    local = fit(SELECTORS["swaps, coverage"], X, y)
    monkeypatch.setattr("protopick.engine.two_nearest._RENEWED", 2)
    assert_same(local, fit(SELECTORS["swaps, coverage"], X, y))
    assert_same(local, fit(SELECTORS["swaps, coverage"], *in_chunks(X, y)))


@pytest.mark.parametrize("name", ["genetic, label-match", "swaps, label-match", "forward"])
def test_label_matches_are_counted_without_gathering_labels(name, monkeypatch):
    X, y = data()
    selector = clone(SELECTORS[name]).set_params(n_prototypes=3)
    if "genetic" in name:
        selector.set_params(population_size=5)
    local = fit(selector, X, y)
    for module in ("swap", "genetic"):  # which looks at more than an eighth of so few objects
        monkeypatch.setattr(f"protopick.selectors.{module}.by_worth", lambda *problem: local.order_)
    monkeypatch.delattr(ChunkedValues, "__array__")
    assert_same(local, fit(selector, *in_chunks(X, y)))


@pytest.mark.parametrize("name", ["genetic, label-match", "swaps, coverage", "binary pivots"])
def test_a_lost_worker_does_not_change_the_answer(name, monkeypatch):
    X, y = data()
    local = fit(SELECTORS[name], X, y)
    with cluster() as workers, distributed.Client(workers) as client:
        pid = next(iter(client.run(os.getpid).values()))
        run, steps = ChunkedColumns._run, []

        def dying(self, *args):
            steps.append(args)
            if len(steps) == 4:
                os.kill(pid, 9)
            return run(self, *args)

        monkeypatch.setattr(ChunkedColumns, "_run", dying)
        assert_same(local, fit(SELECTORS[name], *in_chunks(X, y)))
        assert len(steps) > 4
        assert pid not in client.run(os.getpid).values()


def test_a_generation_sends_candidates_and_counts_and_hardly_more(client, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 512)).astype(np.float32), rng.integers(0, 3, 2000)
    on_workers = client.persist(da.from_array(X, chunks=(500, 512)))
    distributed.wait(on_workers)
    traffic, moved, rows = Traffic(client), [], []
    send, measure = Sent._send, LabelMatchObjective.__call__

    def counting(self, names):
        rows.extend(names)
        send(self, names)

    def measured(self, population, ahead=None):
        before = traffic.total
        values = measure(self, population)
        if isinstance(self.columns, ChunkedColumns):
            moved.append(traffic.total - before)
        return values

    monkeypatch.setattr(Sent, "_send", counting)
    monkeypatch.setattr(LabelMatchObjective, "__call__", measured)
    selector = protopick.GeneticSelector(20, criterion="label-match", clustered=False, random_state=0)
    selector.fit(on_workers, da.from_array(y, chunks=500))
    assert len(moved) == 21
    n_workers, n_chunks, n_sets = 2, 4, 20
    counts = len(moved) * n_chunks * n_sets * 8
    assert sum(moved) <= 2 * (len(rows) * 512 * 4 + counts) * n_workers


def test_a_step_is_one_task_for_each_chunk(client, monkeypatch):
    X, y = data()
    rows = checked(in_chunks(X, y)[0], takes="vectors", allows_nan=False)
    each, begun = type(rows.workers).each, []

    def counting(self, function, *chunks, **same):
        begun.append((function.__name__, len(chunks[0])))
        return each(self, function, *chunks, **same)

    monkeypatch.setattr(type(rows.workers), "each", counting)
    columns = protopick.engine.columns_of(rows, protopick.dissimilarity.resolve("euclidean").fit(rows))
    begun.clear()
    objective = CRITERIA["radius"].bind(protopick.criteria.Data(columns))
    objective(np.arange(40).reshape(10, 4))
    assert [(name, n) for name, n in begun if name != "_taken"] == [("visited", 4)]


def test_a_visit_that_writes_unannounced_is_found_out():
    X, y = data()
    rows = checked(in_chunks(X, y)[0], takes="vectors", allows_nan=False)
    columns = protopick.engine.columns_of(rows, protopick.dissimilarity.resolve("euclidean").fit(rows))
    with pytest.raises(ValueError, match="read-only"):
        columns.each(_write_zero, columns.full(1, np.int32))
    written = columns.full(1, np.int32)
    columns.each(visits(writes=(0,))(_write_zero_too), written)
    assert not columns.gathered(written).any()


def _write_zero(tile, part):
    part[:] = 0


def _write_zero_too(tile, part):
    part[:] = 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_middle_of_spread_values_is_exact(dtype):
    X, y = data()
    rows = checked(in_chunks(X, y)[0], takes="vectors", allows_nan=False)
    columns = ChunkedColumns(rows, protopick.dissimilarity.resolve("euclidean").fit(rows))
    values = np.random.default_rng(0).normal(size=(N, 3)).astype(dtype)
    values[:, 2] = np.round(values[:, 2])
    aligned = columns.aligned(values)
    aligned.shape = (3,)
    np.testing.assert_array_equal(columns.middle(aligned), np.sort(values, axis=0)[(N - 1) // 2])


def test_digits_are_in_the_order_of_the_numbers():
    values = np.array([-np.inf, -2.5, -1e-40, 0, 1e-40, 3, np.inf], np.float32)
    digits = Digits(values.dtype)
    assert (np.diff(digits.of(values).astype(np.int64)) > 0).all()
    np.testing.assert_array_equal(digits.values(digits.of(values)), values)


def test_rows_are_looked_up_in_any_order():
    X, y = data()
    rows = checked(in_chunks(X, y)[0], takes="vectors", allows_nan=False)
    which = np.array([899, 3, 250, 249, 3, 0])
    assert isinstance(rows, Chunked)
    np.testing.assert_array_equal(rows[which], X[which])
    np.testing.assert_array_equal(rows[10:700:7], X[10:700:7])
    np.testing.assert_array_equal(rows.part(SOME)[:], X[SOME])
    assert rows[np.empty(0, np.intp)].shape == (0, 40)


@pytest.mark.parametrize("stays", [True, False])
def test_a_part_is_numbered_anew(stays):
    X, y = data()
    rows = checked(in_chunks(X, y)[0], takes="vectors", allows_nan=False)
    columns = ChunkedColumns(rows, protopick.dissimilarity.resolve("euclidean").fit(rows))
    with sklearn.config_context(working_memory=1e-3 if stays else 1024):
        part = columns.part(SOME)
        assert isinstance(part, ChunkedColumns) == stays
        table = part.table(np.array([2, 0]))
    expected = np.linalg.norm(X[SOME, None] - X[SOME[[2, 0]]], axis=2)
    np.testing.assert_allclose(table, expected, atol=1e-4)


@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize("start", [0, 300, 700])
def test_an_object_that_cannot_be_encoded_has_its_number_in_all_of_x(start, stays):
    X = np.abs(data()[0])
    rows = checked(in_chunks(X, data()[1])[0], takes="vectors", allows_nan=False)
    columns = ChunkedColumns(rows, protopick.dissimilarity.resolve("hellinger").fit(X))
    X[600] = 0
    rows = checked(in_chunks(X, data()[1])[0], takes="vectors", allows_nan=False)
    columns = ChunkedColumns(rows, columns.dissimilarity)
    with sklearn.config_context(working_memory=1e-3 if stays else 1024):
        over, part = (kind(np.arange(start, N)) for kind in (columns.over, columns.part))
        assert isinstance(over, ChunkedColumns) == stays
        with pytest.raises(ValueError, match=r"^X\[600\] is a row of zeros"):
            over.table(np.array([3, 600]))
        if start <= 600:
            with pytest.raises(ValueError, match=r"^X\[600\] is a row of zeros"):
                part.table(np.array([1, 2]))
