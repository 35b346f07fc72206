"""How much memory this process takes, as Linux tells it.

Not by ``getrusage``: its peak is inherited from the parent when a process is started, so a small child
of a large parent looks large.
"""

from __future__ import annotations

from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")

available = _STATUS.exists() and _CLEAR.exists()


def present() -> int:
    """Return the bytes that are resident now."""
    return _read("VmRSS:")


def peak() -> int:
    """Return the most bytes that were resident since `forget_peak`, or since the process began."""
    return _read("VmHWM:")


def forget_peak() -> None:
    """Let `peak` begin anew."""
    _CLEAR.write_text("5")


def _read(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024
