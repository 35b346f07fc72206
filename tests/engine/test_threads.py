import threading

import numpy as np
import pytest
import sklearn
from threadpoolctl import threadpool_info

from protopick import FarthestFirstSelector, GeneticSelector
from protopick.blas import one_blas_thread
from protopick.engine.threads import n_threads, run


def blas_threads():
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]


def test_run_keeps_the_order_and_passes_errors_on():
    assert run(lambda i: i * i, 50, 4) == [i * i for i in range(50)]
    with pytest.raises(ZeroDivisionError):
        run(lambda i: 1 // (i - 7), 50, 4)


def test_a_task_may_run_tasks():
    assert run(lambda i: sum(run(lambda j: i * j, 5, 2)), 6, 2) == [10 * i for i in range(6)]


def test_n_threads():
    assert n_threads(3) == 3
    assert n_threads(-1) >= 1
    assert n_threads(None) >= 1
    with pytest.raises(ValueError, match="n_jobs=0"):
        n_threads(0)


def test_the_limit_does_not_change_how_many_threads_a_fit_takes():
    before = n_threads(None)
    with one_blas_thread(), one_blas_thread():
        assert set(blas_threads()) == {1}
        assert n_threads(None) == before


def test_overlapping_limits_are_set_back():
    before = blas_threads()
    entered, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        assert entered.wait(10)
    assert set(blas_threads()) == {1}
    leave.set()
    thread.join()
    assert blas_threads() == before


@pytest.mark.parametrize("memory", [1024, 4, 1, 0])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_pivots", [16, 40])
def test_a_pivot_table_on_demand_gives_the_same(memory, n_jobs, n_pivots):
    X = np.random.default_rng(0).normal(size=(20_000, 8)).astype(np.float32)
    y = np.arange(20_000) % 3
    selectors = [
        FarthestFirstSelector(5, n_pivots=n_pivots, random_state=0),
        GeneticSelector(
            6, criterion="label-match", n_pivots=n_pivots, n_generations=3, population_size=8, random_state=0
        ),
    ]
    for selector in selectors:
        expected = selector.fit(X, y)
        picked, history = expected.prototype_indices_.tolist(), expected.history_
        with sklearn.config_context(working_memory=memory):
            selector.set_params(n_jobs=n_jobs).fit(X, y)
        assert selector.prototype_indices_.tolist() == picked
        assert selector.history_ == history
