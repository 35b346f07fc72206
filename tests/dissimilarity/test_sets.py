"""Sets and fingerprints: what both have over what either has."""

import pickle
from collections import deque

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import distance

from protopick import FarthestFirstSelector, GeneticSelector, RandomSelector
from protopick.dissimilarity import METRICS, resolve
from protopick.objects import checked

from .test_elementwise import blocks

sets = st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=7)


def of_sets(A, B, name="jaccard"):
    """All sets of B against those of A, where only A is known when the metric is fitted."""
    metric = resolve(name)
    A, B = (checked(X, takes=metric.takes, allows_nan=False) for X in (A, B))
    metric = metric.fit(A)
    out = np.full((len(A), len(B)), np.nan, metric.dtype)
    metric.block(metric.encode(B), metric.encode(A), out, np.arange(len(A)), 0)
    return out


@given(A=sets, B=sets)
@settings(deadline=None)
def test_sets_by_the_definition(A, B):
    jaccard = [[1 - len(a & b) / len(a | b) if a | b else 0 for b in B] for a in A]
    np.testing.assert_allclose(of_sets(A, B), jaccard, rtol=1e-12)
    dice = [[1 - 2 * len(a & b) / (len(a) + len(b)) if a | b else 0 for b in B] for a in A]
    np.testing.assert_allclose(of_sets(A, B, "dice"), dice, rtol=1e-12, atol=1e-15)
    apart = [[2 * len(a ^ b) / (len(a & b) + 2 * len(a ^ b)) if a | b else 0 for b in B] for a in A]
    np.testing.assert_allclose(of_sets(A, B, "sokalsneath"), apart, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, kind in METRICS.items() if "sets" in kind.takes])
def test_every_metric_that_is_said_to_take_sets_takes_them(name):
    assert FarthestFirstSelector(2, metric=name, random_state=0).fit_transform(BASKETS).shape == (6, 2)


BASKETS = [{"milk", "bread"}, {"milk"}, {"beer", "chips"}, frozenset({"beer"}), set(), {"bread", "jam"}]


@pytest.mark.parametrize("kind", [list, tuple, pd.Series])
def test_selectors_take_sets(kind):
    selector = FarthestFirstSelector(3, metric="jaccard", random_state=0).fit(kind(BASKETS))
    assert type(selector.prototypes_) is kind
    assert list(selector.prototypes_) == [BASKETS[i] for i in selector.prototype_indices_]
    space = pickle.loads(pickle.dumps(selector)).transform([{"milk", "wine"}, set()])
    assert space.shape == (2, 3)
    picked = GeneticSelector(2, criterion="label-match", metric="jaccard").fit(
        kind(BASKETS), [0, 0, 1, 1, 0, 1]
    )
    assert len(picked.prototypes_) == 2


@pytest.mark.parametrize("name", ["rogerstanimoto", "russellrao", "yule"])
def test_what_counts_the_features_that_both_lack_takes_rows(name):
    assert METRICS[name].takes == "vectors"
    with pytest.raises(TypeError, match=r"X\[0\] is .* of type set, but metric compares rows of numbers"):
        RandomSelector(1, metric=name).fit([{1, 2}, {3}])


def test_what_is_no_set_is_named():
    with pytest.raises(TypeError, match=r"X\[1\] is \[1, 2\] of type list"):
        RandomSelector(1, metric="jaccard").fit([{1, 2}, [1, 2]])
    with pytest.raises(ValueError, match="cannot compare sets by w, a weight for each column"):
        RandomSelector(1, metric="jaccard", metric_params={"w": [1.0, 2.0]}).fit([{1, 2}, {3}])
    fitted = RandomSelector(1, metric="jaccard").fit([{1, 2}, {3}])
    with pytest.raises(ValueError, match="fitted to sets"):
        fitted.transform(np.zeros((2, 2)))


@given(bits=hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 150))))
@settings(deadline=None)
def test_packed_bits_equal_jaccard(bits):
    packed = np.packbits(bits, axis=1)
    wanted = distance.cdist(bits, bits, "jaccard")
    np.testing.assert_allclose(blocks(packed, packed, "tanimoto"), wanted, rtol=1e-6)
    wide = np.zeros((len(packed), 2 * packed.shape[1]), np.uint8)
    wide[:, ::2] = packed
    np.testing.assert_array_equal(
        blocks(wide[:, ::2], packed, "tanimoto"), blocks(packed, packed, "tanimoto")
    )


def test_packed_bits_of_a_memory_map(tmp_path):
    np.save(tmp_path / "bits.npy", np.random.default_rng(0).integers(0, 256, (300, 16), dtype=np.uint8))
    on_disk = np.load(tmp_path / "bits.npy", mmap_mode="r")
    found = FarthestFirstSelector(5, metric="tanimoto", random_state=0).fit(on_disk)
    in_memory = FarthestFirstSelector(5, metric="tanimoto", random_state=0).fit(np.array(on_disk))
    np.testing.assert_array_equal(found.prototype_indices_, in_memory.prototype_indices_)
    np.testing.assert_array_equal(found.transform(on_disk), in_memory.transform(np.array(on_disk)))


def test_bits_that_are_not_packed_are_refused():
    with pytest.raises(ValueError, match=r"packed bits of dtype uint8, got dtype float64.*np.packbits"):
        RandomSelector(1, metric="tanimoto").fit(np.eye(8))


@pytest.mark.parametrize("rows", [[["a", "b"], ["b", "c"]], [(1, 2), (2, 3)], [[1, 0], [1, 2, 3]]])
def test_lists_that_are_no_flags_are_told_to_be_sets(rows):
    with pytest.raises(
        ValueError, match=r"X\[\d\] is a (list|tuple) that holds .* pass \[set\(x\) for x in X\]"
    ):
        FarthestFirstSelector(1, metric="jaccard").fit(rows)


def test_lists_of_flags_are_rows():
    rows = [[True, False, 1], [0.0, 1.0, 1]]
    space = FarthestFirstSelector(1, metric="jaccard", fixed=[0]).fit_transform(rows)
    assert space.ravel().tolist() == pytest.approx([0, 2 / 3])


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, deque, lambda sets: dict(enumerate(sets)).values()])
def test_a_set_that_is_missing_is_named(kind):
    for sets, place in (([None, {1}], 0), ([{1}, None], 1)):
        with pytest.raises(TypeError, match=rf"X\[{place}\] is missing \(None\), but metric compares sets"):
            RandomSelector(1, metric="jaccard").fit(kind(sets))
    assert RandomSelector(2, metric="jaccard").fit_transform(kind([{1}, {2}])).sum() == 2


def test_a_gap_among_flags_is_no_element():
    with pytest.raises(ValueError, match=r"X\[1\] has no value at place 1"):
        RandomSelector(1, metric="jaccard").fit([[1, 0], [1, None]])
    with pytest.raises(ValueError, match=r"holds 'a' .*pass \[set\(x\) - \{None\} for x in X\]"):
        RandomSelector(1, metric="jaccard").fit([["a", None], ["b"]])
