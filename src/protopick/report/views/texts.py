"""Strings, sets and objects of which nothing but their representation can be shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from protopick.report.views.base import View, shortened

_CARD_LENGTH, _SMALL_LENGTH = 160, 100
_CARD_ITEMS, _SMALL_ITEMS = 12, 8
_ITEM_LENGTH = 40


@dataclass(frozen=True)
class Strings(View):
    """Strings as they are, cut where they are long."""

    item: Callable[[int], str]

    noun: ClassVar[str] = "strings"

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        texts = [self.item(i) for i in which.tolist()]
        return [{"kind": "text", "text": shortened(t, _CARD_LENGTH), "length": len(t)} for t in texts]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        return {"kind": "texts", "texts": [shortened(self.item(i), _SMALL_LENGTH) for i in which.tolist()]}


@dataclass(frozen=True)
class Sets(View):
    """The first elements of sets, in alphabetical order."""

    item: Callable[[int], Any]

    noun: ClassVar[str] = "sets"

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        return [self._card(self.item(i)) for i in which.tolist()]

    def _card(self, elements: Any) -> dict[str, Any]:
        items = _sorted(elements)
        shown = [shortened(item, _ITEM_LENGTH) for item in items[:_CARD_ITEMS]]
        return {"kind": "set", "items": shown, "left_off": len(items) - len(shown)}

    def small(self, which: np.ndarray) -> dict[str, Any]:
        texts = []
        for i in which.tolist():
            items = _sorted(self.item(i))
            more = ["…"] if len(items) > _SMALL_ITEMS else []
            texts.append("{" + shortened(", ".join(items[:_SMALL_ITEMS] + more), _SMALL_LENGTH) + "}")
        return {"kind": "texts", "texts": texts}


@dataclass(frozen=True)
class Anything(View):
    """Objects of unknown kind, as Python represents them."""

    item: Callable[[int], Any]

    noun: ClassVar[str] = "objects"

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        texts = [_representation(self.item(i)) for i in which.tolist()]
        shown = [shortened(text, _CARD_LENGTH) for text in texts]
        return [{"kind": "code", "text": s, "length": len(t)} for s, t in zip(shown, texts, strict=True)]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        texts = [shortened(_representation(self.item(i)), _SMALL_LENGTH) for i in which.tolist()]
        return {"kind": "texts", "texts": texts}


@dataclass(frozen=True)
class Matrix(View):
    """Objects of which only the dissimilarities are known."""

    noun: ClassVar[str] = "objects"

    def cards(self, which: np.ndarray) -> list[dict[str, Any]]:
        return [{"kind": "nothing"} for _ in which]

    def small(self, which: np.ndarray) -> dict[str, Any]:
        return {"kind": "nothing"}


def _sorted(elements: Any) -> list[str]:
    return sorted(map(str, elements))


def _representation(item: Any) -> str:
    try:
        return repr(item)
    except Exception as error:  # whatever the user's class does there
        return f"<{type(item).__name__}, whose repr raised {type(error).__name__}>"
