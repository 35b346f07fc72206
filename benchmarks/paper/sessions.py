"""Who ran what when: the machine and the date of every run whose results are kept."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchmarks.speed.machine import Others, facts, sentence
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


def summary(store: Store) -> list[str]:
    """Say for each setting when and on what it was run; runs that went on from others are taken together."""
    together: dict[str, list[dict[str, Any]]] = {}
    for session in sessions(store):
        key = json.dumps([session["setting"], session["machine"]])
        together.setdefault(key, []).append(session)
    return [_said(some) for some in together.values()]


def _said(some: list[dict[str, Any]]) -> str:
    dates = sorted({session["date"] for session in some})
    minutes = np.array([session["minutes"] for session in some])
    shares = [session["share_of_others"] for session in some]
    share = None if None in shares else float(np.average(shares, weights=minutes + 0.1))
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"Setting *{some[0]['setting']}*, run on {when}, {minutes.sum():.0f} minutes. "
        f"{sentence(some[0]['machine'], share)}"
    )
