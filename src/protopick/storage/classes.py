"""The classes that a file may name: those of protopick by their names, all others by import path."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from protopick.classifiers import GaussianClassifier
from protopick.selectors.base import BaseSelector
from protopick.storage.archive import DamagedFileError
from protopick.storage.imports import import_path, of_scikit_learn
from protopick.storage.values import Reader, Writer

_METRICS = "protopick.dissimilarity."


def own_classes() -> list[type]:
    """Return all selectors, metrics, parts of metrics and classifiers, also those that are added later.

    Examples
    --------
    >>> sorted(own.__name__ for own in own_classes())[:3]
    ['AutoSelector', 'Boolean', 'Categories']
    """
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith(_METRICS)]
    defined = {found for module in modules for found in module.values() if isinstance(found, type)}
    metrics = [kind for kind in defined if dataclasses.is_dataclass(kind) and _is_in(_METRICS, kind)]
    selectors = [kind for kind in _subclasses(BaseSelector) if _is_in("protopick.", kind)]
    return [*metrics, *selectors, GaussianClassifier]


def write_class(kind: type, to: Writer, where: str) -> str:
    """Return what a file calls a class."""
    if kind in own_classes():
        return kind.__name__
    path = import_path(kind)
    if path is None:
        raise TypeError(
            f"{where} is of the class {kind.__qualname__}, which no other program can import. "
            "Define it at the top of a module, not in a script, a notebook or a function."
        )
    if not of_scikit_learn(path):
        to.imports.add(path)
    return path


def read_class(name: str, of: Reader) -> Any:
    """Return the class that a file means."""
    if ":" in name:
        return of.imports.get_class(name)
    for kind in own_classes():
        if kind.__name__ == name:
            return kind
    raise DamagedFileError(f"its header names the class {name!r}, which protopick does not have")


def _is_in(package: str, kind: type) -> bool:
    return kind.__module__.startswith(package)


def _subclasses(kind: type) -> list[type]:
    direct: list[type] = kind.__subclasses__()
    return [*direct, *(found for one in direct for found in _subclasses(one))]
