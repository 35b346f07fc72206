"""Measure a fit in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

DEFAULT_WORKING_MEMORY = 1024


def measure(
    selector: Any, *, n: int, q: int, cap_s: int, working_memory: int = DEFAULT_WORKING_MEMORY
) -> dict[str, float] | None:
    """Return seconds and bytes of fitting ``selector`` to n x q, or None where it passes the cap."""
    job = {
        "selector": type(selector).__name__,
        "params": {name: value for name, value in selector.get_params().items() if value is not None},
        "n": n,
        "q": q,
        "cap_s": cap_s,
        "working_memory": working_memory,
    }
    command = [sys.executable, "-m", "benchmarks.speed.child", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == -signal.SIGALRM:
        return None
    if done.returncode:
        raise RuntimeError(f"{selector} failed on {n} x {q}:\n{done.stderr}")
    return json.loads(done.stdout)
