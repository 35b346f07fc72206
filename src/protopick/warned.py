"""Warnings at the user's line, however many of our own functions lie between; each of them once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def once() -> Iterator[None]:
    """Give each warning once, at the end, however often it came up.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as given:
    ...     with once():
    ...         for _ in range(3):
    ...             warnings.warn("again")
    >>> len(given)
    1
    """
    given: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as given:
            yield
    finally:
        for one in {str(warning.message): warning for warning in given}.values():
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
