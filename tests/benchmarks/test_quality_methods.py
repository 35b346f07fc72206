"""Peers that take dissimilarities, on objects that are no vectors."""

import numpy as np
import pytest

from benchmarks.quality import cells, data, methods
from benchmarks.space import Task

WORDS = np.array(["a", "ab", "abc", "abcd", "xyz", "xy", "x", "zzzzz"])


def _tasks():
    """Return a task of each kind, and its matrix where that is plain."""
    rng = np.random.default_rng(0)
    y = np.arange(8) % 2
    D = rng.integers(1, 100, (8, 8)).astype(float)  # not symmetric
    np.fill_diagonal(D, 0)
    levels = np.array([1.0, 2, 3, 4, 3, 2, 1, 5])
    series = np.repeat(levels[:, np.newaxis], 4, axis=1)
    return {
        "strings": (Task(WORDS, y, 2, 0, "levenshtein", None), None),
        "matrix": (Task(D, y, 2, 0, "precomputed", None), D),
        "series": (
            Task(series, y, 2, 0, "dtw", {"window": 0.5}),
            2 * np.abs(np.subtract.outer(levels, levels)),
        ),
    }


@pytest.mark.parametrize("kind", ["strings", "matrix", "series"])
def test_a_block_holds_the_dissimilarities_of_rows_to_columns_in_the_order_asked_for(kind):
    task, D = _tasks()[kind]
    some, to = np.array([5, 0, 3]), np.array([7, 2, 6, 1])
    block = task.block(some, to)
    whole = task.block(np.arange(8), np.arange(8))
    np.testing.assert_array_equal(block, whole[np.ix_(some, to)])
    if D is not None:
        np.testing.assert_allclose(whole, D)
    else:
        assert whole[0, 3] == 3  # "a" to "abcd"


@pytest.mark.parametrize("kind", ["strings", "matrix", "series"])
def test_peers_get_the_dissimilarities_of_candidates_to_objects(kind, monkeypatch):
    task, _ = _tasks()[kind]
    D = task.block(np.arange(8), np.arange(8))  # (objects, candidates)
    batch, part = np.array([6, 1, 4]), np.array([3, 7, 5, 0])
    given = {}

    def one_batch(X, k, seed, distance):
        given["batch"] = distance(X, X[batch], None)
        return [2, 5]

    def faster(D, k, seed):
        given["part"] = D
        return np.array([1, 3], dtype=np.uint64)

    monkeypatch.setattr(methods.peers, "onebatch", one_batch)
    monkeypatch.setattr(methods.peers, "kmedoids_of", faster)
    monkeypatch.setattr(Task, "some", lambda task, size: part)
    np.testing.assert_array_equal(methods.METHODS["OneBatchPAM"].pick(task), [2, 5])
    np.testing.assert_array_equal(given["batch"], D[batch].T)  # a row is a candidate
    np.testing.assert_array_equal(methods.METHODS["FasterPAM"].pick(task), part[[1, 3]])
    np.testing.assert_array_equal(given["part"], D[np.ix_(part, part)])


@pytest.mark.parametrize("kind", ["strings", "matrix", "series"])
@pytest.mark.parametrize(("name", "module"), [("OneBatchPAM", "onebatch"), ("FasterPAM", "kmedoids")])
def test_peers_pick_what_no_exchange_mends(kind, name, module):
    pytest.importorskip(module)
    task, _ = _tasks()[kind]
    D = task.block(np.arange(8), np.arange(8))
    picked = methods.METHODS[name].pick(task)
    assert len(set(picked)) == 2
    if name == "FasterPAM":
        cost = D[:, picked].min(axis=1).sum()
        others = [[a, b] for a in picked for b in range(8)]
        assert cost <= min(D[:, pair].min(axis=1).sum() for pair in others)


@pytest.fixture
def of_65(tmp_path, monkeypatch):
    """Return a function that writes a file in place of the set with the fewest objects, and reads it."""

    def made(n=65):
        D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
        np.savez(tmp_path / "D_catcortex65.npz", D=D, y=(np.arange(n) % 4).astype(np.uint8))
        monkeypatch.setenv("PROTOPICK_DATA", str(tmp_path))
        data.objects.cache_clear()
        return data.objects("catcortex65")

    yield made
    data.objects.cache_clear()


def test_the_set_with_the_fewest_objects_is_run_with_10_and_20_prototypes(of_65):
    made = of_65()
    assert len(data.split(made, 0).selection) == data.PICKED_FROM["catcortex65"]
    assert [k for k in data.NUMBERS if data.is_possible("catcortex65", k)] == [10, 20]
    assert data.is_possible("MNIST", 40)
    assert data.n_splits("catcortex65") == 40
    assert cells.run("catcortex65", 20, 0, "Random")["errors"].keys() == {"1-NN", "LDC", "QDC"}
    assert cells.run("catcortex65", 20, 0, "fpsample") is None
    assert cells.run("catcortex65", 40, 0, "Random") is None


def test_a_wrong_number_of_objects_to_pick_from_is_told(of_65):
    with pytest.raises(ValueError, match=r"has 32 objects to pick from\. Mend PICKED_FROM"):
        of_65(60)
