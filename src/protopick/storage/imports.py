"""Functions and classes by their import path, and who may import what."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

from protopick.checks import shown


class ImportNotAllowedError(ValueError):
    """A file asks for code that it may not import."""


def import_path(value: Any) -> str | None:
    """Return ``"module:name"`` if that is where ``value`` will be found by others, else None.

    Examples
    --------
    >>> import math
    >>> import_path(math.dist)
    'math:dist'
    >>> import_path(lambda a, b: 0) is None
    True
    """
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    while "._" in module and _found(module.rpartition(".")[0], name) is value:
        module = module.rpartition(".")[0]  # the public place of what is defined in a private module
    return f"{module}:{name}" if _found(module, name) is value else None


def _found(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


@dataclass(frozen=True)
class Imports:
    """What a file may import."""

    everything: bool = False
    paths: frozenset[str] = frozenset()  # with a dot between module and name

    @classmethod
    def allowed_by(cls, allow_imports: bool | Iterable[str]) -> Imports:
        """Return what the parameter ``allow_imports`` allows."""
        if isinstance(allow_imports, bool):
            return cls(everything=allow_imports)
        if not isinstance(allow_imports, (list, tuple, set, frozenset)) or not all(
            isinstance(path, str) for path in allow_imports
        ):
            raise ValueError(
                f"allow_imports={shown(allow_imports)} is not allowed. Pass True, False or a list of import "
                "paths such as ['package.module.function']."
            )
        return cls(paths=frozenset(path.replace(":", ".") for path in allow_imports))

    def refuse(self, paths: Iterable[str]) -> None:
        """Raise an error that names all of the paths that are not allowed, if there is one."""
        refused = sorted(path.replace(":", ".") for path in paths if not self._allows(path))
        if refused:
            raise ImportNotAllowedError(
                f"The file needs {' and '.join(refused)}. To import is to run code, so load does it only "
                f"where it is allowed: if you trust this code, pass allow_imports={refused!r}."
            )

    def get(self, path: str) -> Any:
        """Import what is at a path, if it is allowed."""
        self.refuse([path])
        return _imported(path)

    def get_class(self, path: str) -> type:
        """Import a class, if it is allowed; estimators of scikit-learn need no permission."""
        if of_scikit_learn(path):
            found = _imported(path)
            if isinstance(found, type) and issubclass(found, BaseEstimator):
                return found
        found = self.get(path)
        if not isinstance(found, type):
            raise ImportNotAllowedError(
                f"The file takes {path.replace(':', '.')} for a class, which it is not."
            )
        return found

    def _allows(self, path: str) -> bool:
        return self.everything or path.replace(":", ".") in self.paths


def of_scikit_learn(path: str) -> bool:
    """Say whether a path is that of a public module of scikit-learn and a name in it."""
    module, _, name = path.partition(":")
    package, _, part = module.partition(".")
    return package == "sklearn" and part in sklearn.__all__ and name.isidentifier()


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # a module may raise whatever it likes
        raise ImportError(
            f"The file needs {name} of {module}, which cannot be imported ({error}). Install it, or run "
            "from where it can be found."
        ) from error
    return found
