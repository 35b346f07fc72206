import subprocess
import sys

HEAVY = "numba rich typer pandas polars pyarrow narwhals torch dask rapidfuzz dtaidistance plotly matplotlib"
SCIKIT_LEARN_PARTS = "sklearn.base, sklearn.neighbors, sklearn.metrics, sklearn.preprocessing"


def heavy_after(statement):
    """Return which heavy libraries a fresh interpreter has loaded after ``statement``."""
    code = f"{statement}; import sys; print(*set({HEAVY.split()!r}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_protopick_imports_no_heavy_or_optional_library():
    assert heavy_after("import protopick") <= heavy_after(f"import {SCIKIT_LEARN_PARTS}")
