"""Which columns are kept, and in which rows of the cache."""

import numpy as np
import pytest

from protopick.dissimilarity import resolve
from protopick.engine import cache, columns_of

N = 1000


@pytest.mark.parametrize("wanted", [[2], [1, 2], [2, 1, 3]])
def test_only_rows_that_were_never_written_are_claimed(wanted, monkeypatch):
    monkeypatch.setattr(cache, "_FEW_BYTES", 0)
    these = cache.ColumnCache(N, np.dtype(np.float32), 100 * 4 * N)
    first = these.plan(np.array([1]), keep=True)
    first.kept[first.slots[0], :N] = 7  # as a scan does that found nothing to claim
    second = these.plan(np.array(wanted), keep=True)
    second = these.extend(second, np.array([8, 9]))
    these.claim(second, n_jobs=2)
    assert (these.kept(np.array([1]), np.arange(N)) == 7).all()


def test_rows_that_changed_hands_are_not_claimed(monkeypatch):
    monkeypatch.setattr(cache, "_FEW_BYTES", 0)
    these = cache.ColumnCache(N, np.dtype(np.float32), 2 * 4 * N)
    for pair in ([1, 2], [2, 3], [3, 4]):
        plan = these.plan(np.array(pair), keep=True)
        these.claim(plan, n_jobs=2)
        for candidate, slot, ready in zip(pair, plan.slots, plan.ready, strict=True):
            assert not ready or (plan.kept[slot, :N] == candidate).all()
            plan.kept[slot, :N] = candidate


def test_columns_ahead_are_kept_or_not_asked_for():
    X = np.random.default_rng(0).random((50, 3))
    columns = columns_of(X, resolve("euclidean").fit(X))
    with pytest.raises(ValueError, match="ahead needs keep=True"):
        columns.table(np.array([0]), ahead=lambda most: np.array([1])[:most])
