"""A million objects: memory beyond the input stays within the budget."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
import numpy as np
import protopick
import sklearn
rng = np.random.default_rng(0)
X = rng.random((1_000_000, 32), dtype=np.float32)
y = rng.integers(0, 5, len(X), dtype=np.int8)
def peak():
    status = Path("/proc/self/status").read_text().split()
    return int(status[status.index("VmHWM:") + 1]) * 1024
Path("/proc/self/clear_refs").write_text("5")  # the peak so far may be the parent's
before = peak()
sklearn.set_config(working_memory=int(sys.argv[2]))
selector = eval("protopick." + sys.argv[1]).fit(X, y)
print(len(set(selector.prototype_indices_.tolist())), peak() - before)
"""


COMPILED = 250 << 20  # numba, and the kernels that a fit needs
LABEL_MATCH = "GeneticSelector(20, criterion='label-match', random_state=0"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("selector", "memory"),
    [
        ("GeneticSelector(20, random_state=0)", 64),
        (f"{LABEL_MATCH}, n_pivots=64)", 64),
        (f"{LABEL_MATCH}, evaluation='exact', n_generations=2)", 256),
        (f"{LABEL_MATCH}, polish=True)", 64),
        ("SwapSelector(20, criterion='coverage', max_rounds=1, random_state=0)", 64),
        ("AutoSelector(20, random_state=0)", 64),
        ("FarthestFirstSelector(20, random_state=0)", 64),
        ("RandomSelector(20, random_state=0)", 64),
    ],
)
def test_a_million_objects_stay_within_the_budget(selector, memory):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, selector, str(memory)], capture_output=True, text=True, check=True
    )
    k, extra = map(int, done.stdout.split())
    assert k == 20
    assert extra < (memory << 20) + COMPILED
