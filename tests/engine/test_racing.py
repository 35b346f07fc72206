import numpy as np
import pytest

from protopick.dissimilarity import resolve
from protopick.engine import RowSample, columns_of, race


def bernoulli(rates, sizes, seed=0):
    """Return a measure of individuals that score with given rates, paired over rows."""
    rng = np.random.default_rng(seed)
    luck = [rng.random(size) for size in sizes]
    asked = []

    def measure(block, individuals):
        asked.append((block, individuals.tolist()))
        return (luck[block] < np.array(rates)[individuals, None]).astype(np.uint8)

    return measure, asked


def test_the_best_wins_and_losers_leave_early():
    measure, asked = bernoulli([0.3, 0.8, 0.5, 0.79], [4096, 4096, 8192, 16384])
    estimates = race(4, 4, measure, tolerance=0.001, error=0.05)
    assert estimates.argmax() == 1
    assert asked[0] == (0, [0, 1, 2, 3])
    assert asked[1] == (1, [1, 3])


def test_a_clear_race_ends_with_the_first_block():
    measure, asked = bernoulli([0.2, 0.9], [4096, 4096])
    estimates = race(2, 2, measure, tolerance=0.01, error=0.05)
    assert len(asked) == 1
    assert estimates == pytest.approx([0.2, 0.9], abs=0.03)


def test_equal_individuals_stay_equal_and_do_not_race_on():
    measure, asked = bernoulli([0.5, 0.5, 0.5], [4096, 4096])
    estimates = race(3, 2, measure, tolerance=0.01, error=0.05)
    assert len(asked) == 1
    assert len(set(estimates)) == 1


def test_who_was_dropped_is_never_ahead():
    def lucky_start(block, individuals):  # 1 looks best on 64 rows, then 0 turns out to be
        rates = np.array([[0.5, 0.0, 0.9], [0.9, 0.0, 0.2]][min(block, 1)])
        rows = (np.arange(64) / 64) < rates[individuals, None]
        return np.repeat(rows, 64, axis=1).astype(np.uint8)

    estimates = race(3, 4, lucky_start, tolerance=0.4, error=0.05)
    assert estimates.argmax() == 2
    assert estimates[0] < estimates[2]


def test_errors_are_as_rare_as_stated():
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rates = [0.5, 0.53, 0.47]
        scores = (rng.random((3, 4096 * 4)) < np.array(rates)[:, None]).astype(np.uint8)
        estimates = race(
            3,
            4,
            lambda block, some, scores=scores: scores[some, block * 4096 : (block + 1) * 4096],
            tolerance=0.0,
            error=0.05,
        )
        wrong += estimates.argmax() != 1
    assert wrong <= 10


def columns(n, d=3):
    X = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
    return columns_of(X, resolve("euclidean").fit(X))


def test_a_sample_doubles():
    sample = RowSample(columns(2_000_000, 1), np.random.default_rng(0))
    assert [len(rows) for rows in sample.rows][:4] == [4096, 4096, 8192, 16384]
    rows = np.concatenate(sample.rows)
    assert len(rows) == 1 << 18
    assert len(np.unique(rows)) > 0.9 * len(rows)
    assert abs(rows.mean() / 2_000_000 - 0.5) < 0.01


def test_a_sample_of_few_objects_holds_them_all():
    sample = RowSample(columns(10_000), np.random.default_rng(0))
    assert np.sort(np.concatenate(sample.rows)).tolist() == list(range(10_000))
    assert sample.block(1).n_rows == len(sample.rows[1])
