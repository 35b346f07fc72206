"""What the report asks of a kind of objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from protopick.objects import Chunked, Stored, TensorRows

LINE_CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""A coordinate in the small pictures is one of these letters, the first at the left or at the bottom."""

Line = list[list[float]]


class View(ABC):
    """How objects are shown: in full for prototypes, in short for the many objects of the map."""

    noun: ClassVar[str] = "objects"
    """What several objects are called."""

    @property
    def note(self) -> str | None:
        """What a picture shows, where that does not go without saying."""
        return None

    @property
    def background(self) -> list[Line]:
        """Lines that lie behind every picture."""
        return []

    @abstractmethod
    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        """Return each object as a dict with its ``kind`` and what `pictures.picture` needs for it."""

    @abstractmethod
    def small(self, which: np.ndarray) -> dict[str, Any]:
        """Return all of these objects in short, as the page's script reads it."""


def are_rows(objects: Any) -> bool:
    """Say whether objects are dense rows of numbers, wherever they are: index arrays fetch some of them."""
    kinds = np.ndarray, Stored, Chunked, TensorRows
    return isinstance(objects, kinds) and objects.ndim == 2 and objects.dtype.kind in "biuf"


def evenly(n: int, most: int) -> np.ndarray:
    """Return at most so many positions out of n, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
