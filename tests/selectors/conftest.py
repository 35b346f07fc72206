import numpy as np
import pytest
from sklearn.datasets import make_blobs

from protopick.selectors.parts import contest


@pytest.fixture
def few_are_many(monkeypatch):
    """So that the way of many objects can be tested with few."""
    monkeypatch.setattr(contest, "FEW", 4000)


@pytest.fixture(scope="session")
def many():
    X, y = make_blobs(4500, 3, centers=9, cluster_std=1.5, random_state=0)
    return X.astype(np.float32), y % 3
