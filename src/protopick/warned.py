"""Warnings that point to the user's line, however many of our own functions lie between."""

from __future__ import annotations

import sys
import warnings

_BETWEEN = ("protopick", "sklearn", "joblib")
"""Packages whose functions call ours on behalf of the user."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of what the user can act on, at the line that called into the library.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn("All objects are equal.")
    >>> print(told[0].message)
    All objects are equal.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
