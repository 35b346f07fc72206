"""Strings by RapidFuzz: the definitions, the same value in any company, and clear refusals."""

import builtins

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from protopick import FarthestFirstSelector, GeneticSelector, RandomSelector, nearest_neighbor
from protopick.dissimilarity import resolve
from protopick.dissimilarity.strings import Strings
from protopick.objects import checked

words = st.lists(st.text("abcé", max_size=7), min_size=2, max_size=6)


def block(A, B, name, params=None):
    """All strings of A against all of B."""
    metric = resolve(name, params)
    A, B = (checked(X, takes=metric.takes, allows_nan=False) for X in (A, B))
    metric = metric.fit(A)
    out = np.full((len(B), len(A)), np.nan, metric.dtype)
    metric.block(metric.encode(A), metric.encode(B), out, np.arange(len(B)), 0)
    return metric.restore(out).T


def edits(a, b, insert=1, delete=1, substitute=1):
    """The cheapest way from a to b, by the textbook."""
    cost = np.zeros((len(a) + 1, len(b) + 1))
    cost[:, 0] = np.arange(len(a) + 1) * delete
    cost[0] = np.arange(len(b) + 1) * insert
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            kept = cost[i, j] + (p != q) * substitute
            cost[i + 1, j + 1] = min(cost[i, j + 1] + delete, cost[i + 1, j] + insert, kept)
    return cost[-1, -1]


def places(a, b):
    return sum(p != q for p, q in zip(a, b, strict=False)) + abs(len(a) - len(b))


@given(A=words, B=words)
@settings(deadline=None)
def test_edit_distances_by_the_textbook(A, B):
    def all_pairs(d):
        return [[d(a, b) for b in B] for a in A]

    np.testing.assert_array_equal(block(A, B, "levenshtein"), all_pairs(edits))
    np.testing.assert_array_equal(block(A, B, "indel"), all_pairs(lambda a, b: edits(a, b, 1, 1, 2)))
    np.testing.assert_array_equal(block(A, B, "string_hamming"), all_pairs(places))
    weights = {"weights": (2, 3, 4)}
    np.testing.assert_array_equal(
        block(A, B, "levenshtein", weights), all_pairs(lambda a, b: edits(a, b, 2, 3, 4))
    )


@given(A=words)
@settings(deadline=None)
def test_normalized_values_are_shares(A):
    longest = np.maximum(1, [[max(len(a), len(b)) for b in A] for a in A])
    share = block(A, A, "levenshtein", {"normalized": True})
    np.testing.assert_allclose(share, block(A, A, "levenshtein") / longest, rtol=1e-6)
    for name in ("indel", "osa", "damerau_levenshtein", "lcs_seq", "string_hamming"):
        share = block(A, A, name, {"normalized": True})
        assert share.min() >= 0
        assert share.max() <= 1


@pytest.mark.parametrize("name", Strings.names)
@given(A=st.lists(st.text("ab", max_size=40), min_size=2, max_size=40))
@settings(deadline=None, max_examples=30)
def test_symmetric_zero_for_equal_strings_and_the_same_in_any_company(name, A):
    whole = block(A, A, name)
    np.testing.assert_array_equal(whole, whole.T)
    assert (np.diag(whole) == 0).all()
    np.testing.assert_array_equal(block(A[1:], A[:1], name), whole[1:, :1])
    np.testing.assert_array_equal(block(A[:1], A[1:], name), whole[:1, 1:])


def test_a_common_start_brings_strings_closer_in_jaro_winkler():
    plain = block(["martha"], ["marhta"], "jaro")
    assert plain[0, 0] == pytest.approx(1 - 17 / 18, rel=1e-5)
    assert block(["martha"], ["marhta"], "jaro_winkler")[0, 0] == pytest.approx(0.7 * (1 - 17 / 18), rel=1e-5)
    np.testing.assert_allclose(block(["martha"], ["marhta"], "jaro_winkler", {"prefix_weight": 0.0}), plain)


def test_large_weights_are_added_up_exactly():
    weights = {"weights": (2**31, 2**31, 2**31 - 1)}
    np.testing.assert_array_equal(block(["a"], ["b", "ab"], "levenshtein", weights), [[2**31 - 1, 2**31]])


def test_unequal_weights_are_not_symmetric():
    assert not resolve("levenshtein", {"weights": (1, 2, 1)}).symmetric
    assert resolve("levenshtein", {"weights": (2, 2, 1)}).symmetric


def test_no_weights_are_those_of_levenshtein():
    A, B = ["abc", "", "aab"], ["b", "abcd"]
    np.testing.assert_array_equal(block(A, B, "levenshtein", {"weights": None}), block(A, B, "levenshtein"))


@pytest.mark.parametrize(
    ("name", "params", "word"),
    [
        ("levenshtein", {"weights": (1, 2)}, "three whole numbers"),
        ("levenshtein", {"weights": (1, -2, 1)}, "three whole numbers"),
        ("levenshtein", {"weights": (1, 2**70, 1)}, "three whole numbers from 0 to 2,147,483,648"),
        ("levenshtein", {"normalized": "yes"}, "normalized='yes'"),
        ("jaro_winkler", {"prefix_weight": 0.5}, "prefix_weight=0.5"),
        ("jaro", {"normalized": True}, "takes no parameters"),
    ],
)
def test_wrong_parameters_are_refused(name, params, word):
    with pytest.raises(ValueError, match=word):
        resolve(name, params)


@pytest.mark.parametrize(
    ("X", "word"),
    [
        (["a", None, "b"], r"X\[1\] is missing \(None\).*replace them by ''"),
        (["a", "b", float("nan")], r"X\[2\] is nan of type float.*Drop missing"),
        (["a", 3, "b"], r"X\[1\] is 3 of type int"),
        (["a", b"bytes", "b"], r"X\[1\] is .*bytes.*Decode"),
        (pd.Series(["a", None, "b"]), r"X\[1\]"),
        (pl.Series(["a", None, "b"]), r"X\[1\] is missing"),
        (np.array([["a", "b"], ["c", "d"], ["e", "f"]]), "weighted_sum"),
    ],
)
def test_what_is_no_string_is_named_with_its_position(X, word):
    with pytest.raises((TypeError, ValueError), match=word):
        RandomSelector(2, metric="levenshtein").fit(X)
    fitted = RandomSelector(2, metric="levenshtein").fit(["a", "b"])
    with pytest.raises((TypeError, ValueError), match=word):
        fitted.transform(X)


def test_without_rapidfuzz_the_error_names_the_extra(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("rapidfuzz"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'protopick\[strings\]'"):
        RandomSelector(2, metric="levenshtein").fit(["a", "b"])


NAMES = ["anna", "anne", "bob", "rob", "robert", "carla", "carl", "karl", "dora", "doris", "ed", "edward"]
KINDS = {
    "list": list,
    "tuple": tuple,
    "fixed width": np.array,
    "object array": lambda names: np.array(names, object),
    "pandas": pd.Series,
    "pandas frame": lambda names: pd.DataFrame({"name": names}),
    "polars": pl.Series,
    "Arrow": pa.array,
    "chunked Arrow": lambda names: pa.chunked_array([names[:5], names[5:]]),
}


def as_list(X):
    if isinstance(X, pd.DataFrame):
        return X["name"].tolist()
    return X.to_pylist() if hasattr(X, "to_pylist") else list(X)


@pytest.mark.parametrize("kind", KINDS)
def test_prototypes_come_back_in_the_kind_that_went_in(kind):
    X = KINDS[kind](NAMES)
    selector = FarthestFirstSelector(4, metric="levenshtein", random_state=0).fit(X)
    assert type(selector.prototypes_) is type(X)
    assert as_list(selector.prototypes_) == [NAMES[i] for i in selector.prototype_indices_]
    space = selector.transform(X)
    np.testing.assert_array_equal(space, block(NAMES, as_list(selector.prototypes_), "levenshtein"))


def test_a_memory_map_of_strings_within_little_memory(tmp_path):
    many = np.array([f"{name}{i}" for i in range(300) for name in NAMES])
    np.save(tmp_path / "names.npy", many)
    on_disk = np.load(tmp_path / "names.npy", mmap_mode="r")
    wanted = FarthestFirstSelector(4, metric="levenshtein", random_state=0).fit(many.tolist())
    with config_context(working_memory=0.01):
        found = FarthestFirstSelector(4, metric="levenshtein", random_state=0).fit(on_disk)
        np.testing.assert_array_equal(found.transform(on_disk), wanted.transform(many))
    np.testing.assert_array_equal(found.prototype_indices_, wanted.prototype_indices_)


@pytest.mark.parametrize("kind", ["list", "fixed width", "pandas", "pandas frame", "polars"])
def test_grid_search_and_set_output(kind):
    X, y = KINDS[kind](NAMES * 3), np.arange(36) % 3
    selector = GeneticSelector(2, criterion="label-match", metric="levenshtein", random_state=0)
    pipeline = make_pipeline(selector.set_output(transform="pandas"), nearest_neighbor())
    grid = GridSearchCV(pipeline, {"geneticselector__metric": ["jaro", "levenshtein"]}, cv=2).fit(X, y)
    assert len(grid.predict(X)) == 36


def test_surnames(real_data):
    data = real_data("strings_names18.npz")
    X, y = data["X"], data["y"]
    selector = GeneticSelector(20, criterion="label-match", n_pivots=64, metric="levenshtein", random_state=0)
    selector.fit(X, y)
    assert selector.n_dissimilarities_ <= (64 + 2 * 20) * len(X)
    assert selector.prototypes_.dtype.kind == "U"
    other = GeneticSelector(20, criterion="label-match", n_pivots=64, metric="levenshtein", random_state=0)
    other.set_params(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(other.prototype_indices_, selector.prototype_indices_)
