"""Who ran what when: the machine and the date of every run whose results are kept."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from benchmarks.speed.machine import Others, facts
from benchmarks.store import Store

_SAME = ("cpu", "cores_used")


class OtherMachineError(Exception):
    """Times of two machines must not be averaged."""


class Session:
    """A run that begins now."""

    def __init__(self, store: Store, setting: str) -> None:
        self._store, self._setting = store, setting
        self._machine = facts()
        self._others, self._start = Others(), time.perf_counter()
        before = sessions(store)
        if any(session["machine"][name] != self._machine[name] for session in before for name in _SAME):
            raise OtherMachineError(
                "results.json holds times of another machine. Name another folder with --into, or remove it."
            )
        self._number = len(before)

    def keep(self) -> None:
        """Write how long it took so far, and on what."""
        result = {
            "date": datetime.now(UTC).date().isoformat(),
            "setting": self._setting,
            "minutes": round((time.perf_counter() - self._start) / 60, 1),
            "machine": self._machine,
            "share_of_others": self._others.share(),
        }
        self._store.put(result, "session", self._number)


def sessions(store: Store) -> list[dict[str, Any]]:
    """Return the runs in their order."""
    found = []
    while result := store.get("session", len(found)):
        found.append(result)
    return found
