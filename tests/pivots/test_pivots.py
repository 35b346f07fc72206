import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from protopick import GeneticSelector
from protopick.dissimilarity import resolve
from protopick.engine import Columns, columns_of
from protopick.pivots import PIVOT_CODES
from protopick.pivots.codes import train_pivots
from tests import oracles

X = load_digits().data[:600].astype(np.float32)


def columns(**settings):
    return columns_of(X, resolve("cityblock").fit(X), **settings)


def test_table_holds_the_dissimilarities_to_the_pivots():
    pivots = np.random.default_rng(5).choice(600, 16, replace=False)
    table = np.abs(X[:, None] - X[pivots][None]).sum(axis=2)
    expected = np.linalg.norm(table[:, None] - table[None], axis=2)
    these = columns()
    found = PIVOT_CODES["dissimilarity"](these, 16, np.random.default_rng(5))
    np.testing.assert_allclose(found.block(np.arange(600), np.arange(600)), expected, rtol=1e-4, atol=1e-3)
    assert these.counter.total == 600 * 16


def test_a_table_too_large_for_memory_is_computed_on_demand():
    rng = np.random.default_rng
    held = PIVOT_CODES["dissimilarity"](columns(), 16, rng(5)).block(np.arange(600), np.arange(50))
    lazy = PIVOT_CODES["dissimilarity"](columns(memory=1000), 16, rng(5)).block(np.arange(600), np.arange(50))
    np.testing.assert_allclose(lazy, held, rtol=1e-4, atol=1e-3)


def test_binary_codes_compare_by_spherical_hamming_distance():
    codes = PIVOT_CODES["binary"](columns(), 70, np.random.default_rng(0))
    bits = np.unpackbits(codes._rows.view(np.uint8), axis=1)
    assert bits.shape == (600, 128)  # two words
    block = codes.block(np.arange(20), np.arange(20, 40))
    for i in range(20):
        for j in range(20):
            expected = oracles.spherical_hamming(bits[i], bits[20 + j])
            shared = (bits[i] & bits[20 + j]).any()
            assert block[i, j] == pytest.approx(expected if shared else 2 * expected)


def test_each_sphere_holds_half_of_the_objects():
    codes = PIVOT_CODES["binary"](columns(), 64, np.random.default_rng(0))
    bits = np.unpackbits(codes._rows.view(np.uint8), axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.03


def test_trained_spheres_share_closer_to_a_quarter_than_random_ones():
    def deviation(pivots):
        keys = np.abs(X[:, None] - X[pivots][None]).sum(axis=2)
        inside = keys <= np.median(keys, axis=0)
        shared = (inside.T.astype(float) @ inside) / len(X)
        return np.abs(shared - 0.25)[~np.eye(len(pivots), dtype=bool)].mean()

    trained = train_pivots(columns(), 32, np.random.default_rng(0))
    assert len(set(trained.tolist())) == 32
    random = [np.random.default_rng(seed).choice(600, 32, replace=False) for seed in range(5)]
    assert deviation(trained) < min(map(deviation, random))


@pytest.mark.parametrize("code", ["dissimilarity", "binary"])
def test_searching_on_pivots_costs_their_columns_only(code):
    y = load_digits().target[:600]
    selector = GeneticSelector(
        8, criterion="label-match", metric="cityblock", n_pivots=64, pivot_code=code, random_state=0
    ).fit(X, y)
    trained = 0 if code == "dissimilarity" else 600 * 256
    assert selector.n_dissimilarities_ == 600 * 64 + trained


@pytest.mark.parametrize(
    "settings", [{"n_jobs": 1}, {"n_jobs": 2}, {"sample_weight": np.ones(600)}, {"keys": True}]
)
def test_label_matches_on_pivots_are_the_same_in_each_way(settings, monkeypatch):
    y = load_digits().target[:600]
    flags = np.where(X > 8, "x", ".").astype("U1")
    words = ["".join(row) for row in flags[:, :20]]
    selector = GeneticSelector(
        8, criterion="label-match", metric="string_hamming", n_pivots=16, random_state=0, n_generations=6
    )
    expected = selector.fit(words, y)
    if settings.pop("keys", False):
        monkeypatch.setattr(Columns, "rows_to_compare_again", lambda self: None)
    weights = settings.pop("sample_weight", None)
    found = clone(selector).set_params(**settings).fit(words, y, sample_weight=weights)
    assert found.prototype_indices_.tolist() == expected.prototype_indices_.tolist()
    assert found.history_ == expected.history_


def test_codes_do_not_depend_on_the_budget():
    rng = np.random.default_rng
    wide = PIVOT_CODES["binary"](columns(), 20, rng(0))._rows
    narrow = PIVOT_CODES["binary"](columns(memory=1000), 20, rng(0))._rows
    np.testing.assert_array_equal(wide, narrow)
