"""Values as JSON and back: what JSON knows stays as it is, all else is ``{kind: body}``.

A kind of values is a `Kind`: how to tell them, how to write one and how to read it again. A body may
hold other values, of any kind.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protopick.checks import shown
from protopick.storage.archive import Archive, array_member
from protopick.storage.imports import Imports

_AS_THEY_ARE = (type(None), bool, int, str)


@dataclass(frozen=True)
class Kind:
    """How values of one kind are written and read."""

    name: str
    holds: Callable[[Any], bool]
    write: Callable[[Any, Writer, str], Any]
    read: Callable[[Any, Reader], Any]


class Writer:
    """Turns values into JSON, and collects the arrays and the import paths in them."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = tuple(kinds)
        self.arrays: list[np.ndarray] = []
        self.imports: set[str] = set()

    def value(self, value: Any, where: str) -> Any:
        """Return ``value`` as JSON; ``where`` says what it is, for the error."""
        if type(value) in _AS_THEY_ARE or (type(value) is float and math.isfinite(value)):
            return value
        if type(value) is list:
            return self.items(value, where)
        for kind in self._kinds:
            if kind.holds(value):
                return {kind.name: kind.write(value, self, where)}
        raise TypeError(
            f"{where} is {_spoken(value)}, which save does not know how to keep. It keeps numbers, "
            "text, arrays, CSR matrices, Ragged, data frames, and lists, tuples, dicts and sets of these. "
            "Turn it into one of them before fitting."
        )

    def items(self, values: Iterable[Any], where: str) -> list[Any]:
        """Return several values as JSON."""
        return [self.value(item, f"{where}[{i}]") for i, item in enumerate(values)]

    def named(self, values: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return parameters or attributes as JSON."""
        return {name: self.value(value, f"{where}.{name}") for name, value in values.items()}

    def array(self, array: np.ndarray) -> str:
        """Keep an array of numbers; return the name of its member."""
        self.arrays.append(array)
        return array_member(len(self.arrays) - 1)


@dataclass(frozen=True)
class Reader:
    """Turns JSON into values again."""

    kinds: Mapping[str, Kind]
    archive: Archive
    imports: Imports

    def value(self, node: Any) -> Any:
        """Return the value that ``node`` stands for."""
        if isinstance(node, list):
            return [self.value(item) for item in node]
        if not isinstance(node, dict):
            return node
        ((name, body),) = node.items()
        return self.kinds[name].read(body, self)

    def named(self, nodes: Any) -> dict[str, Any]:
        """Return parameters or attributes."""
        return {name: self.value(node) for name, node in nodes.items()}


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module unless that is Python's own."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _spoken(value: Any) -> str:
    of_dtype = f" and dtype {value.dtype}" if isinstance(value, np.ndarray) else ""
    return f"of type {type_name(value)}{of_dtype}"


def exactly(*types: type) -> Callable[[Any], bool]:
    """Tell values of these types, not of a subclass, which may know more than its base."""
    return lambda value: type(value) in types


def _write_set(value: set[Any] | frozenset[Any], to: Writer, where: str) -> Any:
    """Sort the elements by their text, as the order of a set changes from run to run."""
    return sorted((to.value(element, f"an element of {where}") for element in value), key=json.dumps)


def _write_dict(value: dict[Any, Any], to: Writer, where: str) -> Any:
    return [
        [to.value(key, f"a key of {where}"), to.value(item, f"{where}[{shown(key)}]")]
        for key, item in value.items()
    ]


VALUES = (
    Kind("float", exactly(float), lambda value, to, where: repr(value), lambda body, of: float(body)),
    Kind("bytes", exactly(bytes), lambda value, to, where: value.hex(), lambda body, of: bytes.fromhex(body)),
    Kind(
        "tuple",
        exactly(tuple),
        lambda value, to, where: to.items(value, where),
        lambda body, of: tuple(of.value(body)),
    ),
    Kind("set", exactly(set), _write_set, lambda body, of: set(of.value(body))),
    Kind("frozenset", exactly(frozenset), _write_set, lambda body, of: frozenset(of.value(body))),
    Kind("dict", exactly(dict), _write_dict, lambda body, of: dict(of.value(body))),
    Kind(
        "range",
        exactly(range),
        lambda value, to, where: [value.start, value.stop, value.step],
        lambda body, of: range(*body),
    ),
)
