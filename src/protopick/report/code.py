"""The Python code that picks the same prototypes again."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from protopick.classifiers import GaussianClassifier, name_of
from protopick.dissimilarity.composition import Composition
from protopick.report.fitted import Fitted

_LONGEST_LIST = 30
_LIBRARY = "protopick"
_MAKERS = {"weighted_sum", "transformed", "symmetrized"}


def python_code(
    selector: Fitted, *, image_shape: Any = None, has_ids: bool = False, has_labels: bool = False
) -> str:
    """Return the code that fits a selector like this one and writes the report.

    What cannot be written down, such as an array or a function from a script, appears by its name, with
    a comment that says what it was.

    Examples
    --------
    >>> from protopick import SwapSelector
    >>> print(python_code(SwapSelector(20, metric="cosine", random_state=0)))
    from protopick import SwapSelector
    <BLANKLINE>
    # X: the objects
    selector = SwapSelector(20, metric="cosine", random_state=0)
    selector.fit(X)
    selector.report(X, path="report.html")
    """
    imports: set[tuple[str, str]] = {(_LIBRARY, type(selector).__name__)}
    unknown: list[str] = []
    arguments = []
    for name, value in _changed(selector).items():
        text, needed, remark = _written(name, value)
        imports |= needed
        unknown += [] if remark is None else [f"# {remark}"]
        arguments.append(text if name == "n_prototypes" else f"{name}={text}")
    fitted_to = "X, y" if hasattr(selector, "prototype_labels_") else "X"
    reported = ["X, y" if has_labels else "X", 'path="report.html"']
    reported += ["ids=ids"] if has_ids else []
    reported += [f"image_shape={tuple(image_shape)}"] if image_shape is not None else []
    data = ["X: the objects", *(["y: their labels"] if "y" in fitted_to + reported[0] else [])]
    data += ["ids: their names"] if has_ids else []
    lines = [f"from {module} import {names}" for module, names in sorted(_grouped(imports).items())]
    lines += ["", f"# {', '.join(data)}", *unknown]
    lines += _call(f"selector = {type(selector).__name__}", arguments)
    return "\n".join([*lines, f"selector.fit({fitted_to})", f"selector.report({', '.join(reported)})"])


def written_params(selector: Fitted) -> dict[str, str]:
    """Return the parameters that are not at their defaults, as code."""
    return {name: _written(name, value)[0] for name, value in _changed(selector).items()}


def _changed(selector: Fitted) -> dict[str, Any]:
    defaults = inspect.signature(type(selector)).parameters
    values = selector.get_params(deep=False)
    return {name: values[name] for name in defaults if not _same(values[name], defaults[name].default)}


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float)) and bool(value == default))


def _written(name: str, value: Any) -> tuple[str, set[tuple[str, str]], str | None]:
    """Return a value as code, what has to be imported for it, and what to say where it cannot be written."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, GaussianClassifier):
        called = name_of(value)
        return f"{called}()", {(_LIBRARY, called)}, None
    if isinstance(value, BaseEstimator):
        kind = type(value)
        return " ".join(repr(value).split()), {(_public(kind.__module__), kind.__name__)}, None
    if isinstance(value, (np.ndarray, list, tuple)):
        listed = value.tolist() if isinstance(value, np.ndarray) else value
        if len(listed) <= _LONGEST_LIST and _is_plain(listed):
            return _quoted(listed), set(), None
        return name, set(), f"{name}: the {len(listed):,} values that were passed"
    if _is_plain(value):
        return _quoted(value), set(), None
    if isinstance(value, Composition) and (used := _names_in(repr(value))) is not None:
        own = sorted(used - _MAKERS)
        remark = f"{', '.join(own)}: your own function{'s' * (len(own) > 1)}" if own else None
        return _quoted_code(repr(value)), {(_LIBRARY, maker) for maker in used & _MAKERS}, remark
    called = getattr(value, "__name__", "")
    module = getattr(value, "__module__", "__main__")
    if callable(value) and called.isidentifier() and getattr(value, "__qualname__", "") == called:
        if module in ("__main__", None):
            return called, set(), f"{called}: your own function"
        return called, {(_public(module), called)}, None
    return name, set(), f"{name}: what was passed, a {type(value).__name__}"


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, (str, int)) and _is_plain(v) for key, v in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, int, float, bool))


def _names_in(code: str) -> set[str] | None:
    """Return the names that code uses, None where it is none, as with functions that have no name."""
    try:
        return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    except SyntaxError:
        return None


def _quoted(value: Any) -> str:
    """Return a value as code with double quotes, where that is possible."""
    return _quoted_code(repr(value))


def _quoted_code(text: str) -> str:
    return text.replace("'", '"') if '"' not in text and "\\" not in text else text


def _public(module: str) -> str:
    """Return the module that a name of a library is imported from, which has no part with an underscore."""
    parts = module.split(".")
    private = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join(parts[:private]) or module


def _grouped(imports: set[tuple[str, str]]) -> dict[str, str]:
    return {module: ", ".join(sorted(n for m, n in imports if m == module)) for module, _ in imports}


def _call(function: str, arguments: list[str]) -> list[str]:
    one_line = f"{function}({', '.join(arguments)})"
    if len(one_line) <= 76:
        return [one_line]
    return [f"{function}(", *(f"    {argument}," for argument in arguments), ")"]
