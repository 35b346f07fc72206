import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from protopick.search import Quota, apportioned
from tests import oracles


@st.composite
def quotas(draw):
    """A quota, and a set that keeps it out of objects of up to three classes."""
    codes = np.array(draw(st.lists(st.integers(0, 2), min_size=2, max_size=14)))
    k = draw(st.integers(1, len(codes) - 1))
    prototypes = np.array(draw(st.permutations(range(len(codes))))[:k])
    counts = np.bincount(codes[prototypes], minlength=3)
    low = counts - np.array(draw(st.lists(st.integers(0, 2), min_size=3, max_size=3)))
    high = counts + np.array(draw(st.lists(st.integers(0, 2), min_size=3, max_size=3)))
    return Quota(codes, np.maximum(low, 0), high), prototypes


def left_of(quota, prototypes):
    return np.setdiff1d(np.arange(len(quota.codes)), prototypes)


@settings(deadline=None, max_examples=100)
@given(quotas())
def test_an_exchange_is_allowed_where_the_set_keeps_the_quota_after_it(case):
    quota, prototypes = case
    assert quota.keeps(prototypes)
    candidates = left_of(quota, prototypes)
    may = oracles.keeps(quota.codes, quota.low, quota.high)
    allowed = quota.allows(prototypes, candidates)
    assert allowed.shape == (len(candidates), len(prototypes))
    for b, candidate in enumerate(candidates):
        for j in range(len(prototypes)):
            after = prototypes.copy()
            after[j] = candidate
            assert allowed[b, j] == quota.keeps(after) == may(prototypes.tolist(), candidate, j)


@settings(deadline=None, max_examples=100)
@given(quotas(), st.data())
def test_a_set_that_only_takes_what_may_join_ends_within_the_quota(case, data):
    quota, prototypes = case
    k = len(prototypes)
    everything = np.arange(len(quota.codes))
    assert quota.can_be_kept(everything, prototypes[:0], k)
    grown = prototypes[: data.draw(st.integers(0, k))]
    assert quota.can_be_kept(everything, grown, k)
    while len(grown) < k:
        left = left_of(quota, grown)
        joining = left[quota.may_join(grown, left, k)]
        grown = np.append(grown, data.draw(st.sampled_from(joining.tolist())))
    assert quota.keeps(grown)


@settings(deadline=None, max_examples=100)
@given(quotas(), st.data())
def test_the_classes_that_a_set_grows_by_are_there_and_keep_the_quota(case, data):
    quota, prototypes = case
    begin = prototypes[: data.draw(st.integers(0, len(prototypes)))]
    left = left_of(quota, begin)
    added = quota.classes_of(begin, left, len(prototypes))
    assert len(added) == len(prototypes) - len(begin)
    counts = np.bincount(np.concatenate([quota.codes[begin], added]), minlength=3)
    assert (counts >= quota.low).all()
    assert (counts <= quota.high).all()
    assert (np.bincount(added, minlength=3) <= np.bincount(quota.codes[left], minlength=3)).all()


@settings(deadline=None, max_examples=100)
@given(quotas())
def test_a_quota_can_be_kept_where_some_set_keeps_it(case):
    quota, prototypes = case
    for k in range(len(quota.codes) + 1):
        counts = np.bincount(quota.codes, minlength=3)
        some = any(
            a + b + c == k
            for a in range(quota.low[0], min(quota.high[0], counts[0]) + 1)
            for b in range(quota.low[1], min(quota.high[1], counts[1]) + 1)
            for c in range(quota.low[2], min(quota.high[2], counts[2]) + 1)
        )
        assert quota.can_be_kept(np.arange(len(quota.codes)), prototypes[:0], k) == some


def test_classes_come_in_proportion_to_their_candidates():
    quota = Quota(np.repeat([0, 1], [30, 10]), np.zeros(2, int), np.full(2, 8))
    added = quota.classes_of(np.empty(0, int), np.arange(40), 8)
    assert np.bincount(added).tolist() == [6, 2]


@given(st.data())
def test_a_set_drawn_by_the_quota_keeps_it(data):
    n_classes = data.draw(st.integers(1, 4))
    sizes = [data.draw(st.integers(0, 12)) for _ in range(n_classes)]
    low = np.array([data.draw(st.integers(0, size)) for size in sizes])
    high = np.array([data.draw(st.integers(int(least), 12)) for least in low])
    most = int(np.minimum(high, sizes).sum())
    k = data.draw(st.integers(int(low.sum()), most))
    classes = apportioned(np.array(sizes), np.zeros(n_classes, int), low, high, k)
    counts = np.bincount(classes, minlength=n_classes)
    assert len(classes) == k
    assert (counts >= low).all()
    assert (counts <= np.minimum(high, sizes)).all()
