"""Which of the sets that were judged is kept, and why."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from protopick.selectors.parts.contest import Entry
from protopick.selectors.parts.held_out import Judge

FITTED, FITTED_SHARE = 1000, 0.8
"""Of fewer objects, what fits them closely has to err at most so many times as much as others to be kept."""

EQUAL = 1e-9  # errors that are so near differ by rounding only


def rank(entry: Entry) -> float:
    """Return the error, or more where a search fits the few objects that judge it."""
    fits = entry.method.fits_few and entry.n_judged < FITTED
    return entry.error / FITTED_SHARE if fits else entry.error


def smallest_good(best: list[Entry]) -> Entry:
    """Return the entry with fewest prototypes whose error is within a standard error of the lowest."""
    lowest = min(best, key=rank)
    spread = 0.0 if np.isnan(lowest.std_error) else lowest.std_error
    return min((e for e in best if rank(e) <= rank(lowest) + spread + EQUAL), key=lambda e: e.k)


def unless_usual(best: Entry, entries: list[Entry]) -> Entry:
    """Return the best of the usual sets with as many prototypes instead, unless that is clearly beaten."""
    usual = [entry for entry in entries if entry.method.is_usual and entry.k == best.k]
    if not usual:
        return best
    preferred = min(usual, key=attrgetter("error"))
    return best if best.clearly_beats(preferred) else preferred


def sentence(best: Entry, best_of: list[Entry], entries: list[Entry], judge: Judge, tested: str) -> str:
    """Say by what the prototypes were chosen. ``tested`` says which objects the judge looked at."""
    chosen = f"{best.method.name}, {best.k} prototype{'s' if best.k > 1 else ''}"
    lowest = min(best_of, key=rank)
    objects = f"{best.n_judged:,} object{'s' if best.n_judged > 1 else ''}"
    said = f"{chosen}: {judge.says(best.error)} on {objects} {tested}"
    if best.k < lowest.k:
        return (
            f"{said}, the fewest within one standard error, {lowest.std_error:.4f}, of the best, "
            f"{judge.says(lowest.error)} with {lowest.k}."
        )
    rival = min((entry for entry in entries if entry.k == best.k), key=attrgetter("error"))
    if best.error <= rival.error:
        return f"{said}, the best of all."
    named = f"{rival.method.name} with {judge.says(rival.error)}"
    if rival.clearly_beats(best):
        return f"{said}. {named} fits so few objects too closely to be believed."
    return f"{said}, which {named} does not clearly beat."


def table(entries: list[Entry]) -> dict[str, np.ndarray]:
    """Return ``results_``: one row for each search."""
    values = [np.nan if e.value is None else float(e.value) for e in entries]
    return {
        "method": np.array([e.method.name for e in entries]),
        "n_prototypes": np.array([e.k for e in entries]),
        "start": np.array([e.start for e in entries]),
        "criterion": np.array([e.method.criterion for e in entries]),
        "criterion_value": np.array(values),
        "error": np.array([e.error for e in entries]),
        "std_error": np.array([e.std_error for e in entries]),
        "seconds": np.array([e.seconds for e in entries]),
        "n_dissimilarities": np.array([e.n_dissimilarities for e in entries]),
    }


def curve(best: list[Entry]) -> dict[str, np.ndarray]:
    """Return ``curve_``: the best search for each number of prototypes."""
    return {
        "n_prototypes": np.array([e.k for e in best]),
        "error": np.array([e.error for e in best]),
        "std_error": np.array([e.std_error for e in best]),
    }
