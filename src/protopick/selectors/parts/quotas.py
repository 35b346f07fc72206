"""``per_class``: how many prototypes of each class the user wants."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from protopick.checks import shown
from protopick.search import Candidates, Quota

_ALLOWED = (
    "Pass a whole number (at least so many of each class), a pair (low, high), where high may be None, "
    "or a dict of one of these for each label."
)


def check_per_class(per_class: Any) -> None:
    """Check the form of ``per_class``."""
    for bounds in per_class.values() if isinstance(per_class, dict) else [per_class]:
        _bounds(bounds, per_class)


def quota_of(
    per_class: Any, labels: np.ndarray, codes: np.ndarray, candidates: Candidates, fixed: np.ndarray
) -> tuple[Quota, int, int]:
    """Return the quota that ``per_class`` stands for, and how few and how many prototypes can keep it."""
    n_codes = int(codes.max()) + 1
    names, first = np.unique(codes, return_index=True)
    label_of = dict(zip(names.tolist(), labels[first].tolist(), strict=True))
    low, high = np.zeros(n_codes, np.intp), np.full(n_codes, len(codes))
    code_of = {label: code for code, label in label_of.items()}
    if isinstance(per_class, dict):
        for label, bounds in per_class.items():
            if label not in code_of:
                some = ", ".join(map(repr, list(code_of)[:10]))
                raise ValueError(
                    f"per_class names the label {label!r}, which no object has. There are {some}."
                )
            low[code_of[label]], top = _bounds(bounds, per_class)
            high[code_of[label]] = len(codes) if top is None else top
    else:
        low[names], top = _bounds(per_class, per_class)
        high[:] = len(codes) if top is None else top
    pool = np.concatenate([np.asarray(candidates), fixed]).astype(np.intp)
    available = np.bincount(codes[pool], minlength=n_codes)
    held = np.bincount(codes[fixed], minlength=n_codes)
    for code, label in label_of.items():
        if available[code] < low[code]:
            more = ", or allow more candidates" if len(pool) < len(codes) else ""
            raise ValueError(
                f"per_class asks for {low[code]} prototypes of class {label!r}, but only "
                f"{available[code]} candidates have it. Ask for fewer{more}."
            )
        if held[code] > high[code]:
            raise ValueError(
                f"per_class allows {high[code]} prototypes of class {label!r}, but fixed holds {held[code]}. "
                "Allow more, or fix fewer."
            )
    return Quota(codes, low, high), int(np.maximum(low, held).sum()), int(np.minimum(high, available).sum())


def _bounds(bounds: Any, per_class: Any) -> tuple[int, int | None]:
    low, high = bounds if isinstance(bounds, (tuple, list)) and len(bounds) == 2 else (bounds, None)
    if not _is_count(low) or not (high is None or (_is_count(high) and high >= low)):
        raise ValueError(f"per_class={shown(per_class)} is not allowed. {_ALLOWED}")
    return int(low), None if high is None else int(high)


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 1 << 62
