import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # lets scikit-learn's array API check run

from pathlib import Path

import numpy as np
import pytest

from protopick.engine.on_host import HostColumns


@pytest.fixture
def integer_data():
    """Whole numbers in a small range: ties and repeated objects are real."""
    rng = np.random.default_rng(42)
    X = rng.integers(0, 4, size=(90, 4)).astype(np.float64)
    y = (X.sum(axis=1) + rng.integers(0, 3, size=90)).astype(int) % 3
    return X, y


@pytest.fixture
def tiles_of(monkeypatch):
    """Let tiles have so many rows; as many as the engine chooses where that is None."""

    def set_rows(rows):
        if rows is not None:
            monkeypatch.setattr(HostColumns, "_tile_rows", lambda self, wanted, lone: rows)

    return set_rows


@pytest.fixture
def real_data():
    """Load a file of the folder PROTOPICK_DATA, or skip."""

    def load(name):
        folder = os.environ.get("PROTOPICK_DATA")
        if not folder:
            pytest.skip("PROTOPICK_DATA is not set")
        path = Path(folder) / name
        if not path.exists():
            pytest.skip(f"{name} is not in PROTOPICK_DATA")
        return np.load(path, allow_pickle=False)

    return load
