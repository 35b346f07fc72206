"""Functions, which are kept by their import path: a file holds no code."""

from __future__ import annotations

from typing import Any

from protopick.checks import shown
from protopick.dissimilarity.callables import BatchMetric
from protopick.storage.imports import import_path
from protopick.storage.values import Kind, Reader, Writer, exactly


def _write_function(value: Any, to: Writer, where: str) -> str:
    path = import_path(value)
    if path is None:
        raise TypeError(
            f"{where} is {shown(value)}, which no other program can import. save keeps a function by its "
            "import path: define it by def at the top of a module (not in a script, a notebook or another "
            "function), import it from there, and pass what it depends on as metric_params."
        )
    to.imports.add(path)
    return path


def _read_function(body: str, of: Reader) -> Any:
    return of.imports.get(body)


def _write_batch_metric(value: BatchMetric, to: Writer, where: str) -> Any:
    if import_path(value) is not None:
        return {"path": _write_function(value, to, where)}
    return {"function": _write_function(value.function, to, where), "symmetric": value.symmetric}


def _read_batch_metric(body: Any, of: Reader) -> Any:
    if "path" in body:
        return _read_function(body["path"], of)
    return BatchMetric(_read_function(body["function"], of), symmetric=body["symmetric"])


FUNCTIONS = (
    Kind("batch_metric", exactly(BatchMetric), _write_batch_metric, _read_batch_metric),
    Kind("function", callable, _write_function, _read_function),
)
