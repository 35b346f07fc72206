"""One fit in a process of its own, so that its peak memory is its own.

Run by `apart.measure`: reads a job as JSON from its argument, prints the result as JSON.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

import sklearn

import protopick
from benchmarks.speed import memory
from benchmarks.speed.clock import seconds
from benchmarks.speed.data import mixture

_WARM_UP = 2_000
_SHORT = 2.0


def main(job: dict[str, Any]) -> dict[str, float]:
    """Fit a small part to load the compiled kernels, then all; return seconds and bytes."""
    X, y = mixture(job["n"], job["q"])
    sklearn.set_config(working_memory=job["working_memory"])
    selector = getattr(protopick, job["selector"])(**job["params"])
    before = memory.present()
    selector.fit(X[:_WARM_UP], y[:_WARM_UP])
    loaded = memory.present()
    memory.forget_peak()
    signal.alarm(job["cap_s"])  # ends this process
    time = seconds(lambda: selector.fit(X, y))
    peak = memory.peak()
    signal.alarm(0)
    if time < _SHORT:  # short times are noisy
        time = min(time, *(seconds(lambda: selector.fit(X, y)) for _ in range(2)))
    return {"seconds": time, "bytes": peak - loaded, "bytes_with_library": peak - before}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
