"""Where the figures come from: the machine and the versions, without names or paths."""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_info

_PACKAGES = [
    "protopick",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "fpsample",
    "k-center",
    "onebatch",
    "kmedoids",
    "apricot-select",
]


def facts() -> dict[str, Any]:
    """Return what a reader needs to compare these figures with others."""
    libraries = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    blas = next((lib for lib in libraries if "numpy" in lib["filepath"]), libraries[0] if libraries else {})
    return {
        "cpu": _cpu_model(),
        "cores_used": joblib.cpu_count(),
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": " ".join(
            str(blas[key]) for key in ("internal_api", "version", "architecture") if blas.get(key)
        ),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
    }


def sentence(facts: dict[str, Any], share_of_others: float | None) -> str:
    """Say the facts in a sentence, and how much of the machine others had."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    text = (
        f"{facts['cpu']}, {facts['cores_used']} cores used, {facts['memory_gib']} GiB; "
        f"Python {facts['python']}, {facts['blas']}, {versions}."
    )
    if share_of_others is None:
        return text
    return f"{text} Other processes took {share_of_others:.0%} of the cores meanwhile."


class Others:
    """How much of the machine other processes take, from when this is made."""

    def __init__(self) -> None:
        self._start = self._measure()

    def share(self) -> float | None:
        """Return the share of all cores' time, None where the system does not tell."""
        start, end = self._start, self._measure()
        if start is None or end is None:
            return None
        (busy, own, wall), n_cpus = np.subtract(end, start), os.cpu_count() or 1
        return round(max(0.0, float(busy - own)) / (wall * n_cpus), 3)

    def _measure(self) -> tuple[float, float, float] | None:
        """Return how long all processes were busy, how long this one with its children, and the time."""
        path = Path("/proc/stat")
        if not path.exists():
            return None
        user, nice, system, _, _, irq, softirq, steal = map(int, path.read_text().split()[1:9])
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return busy, sum(os.times()[:4]), time.perf_counter()


def _cpu_model() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
