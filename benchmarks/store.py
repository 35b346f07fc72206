"""Results of cells on disk, so that a run goes on where the last one ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protopick.output import whole_file


class Store:
    """Results by the names of a cell, such as data set, k, method and seed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cells: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}

    def has(self, *cell: object) -> bool:
        return _key(cell) in self.cells

    def put(self, result: dict[str, Any] | None, *cell: object) -> None:
        self.cells[_key(cell)] = {} if result is None else result
        lines = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(self.cells.items())
        )
        with whole_file(self._path) as file:
            file.write("{\n" + lines + "\n}\n")

    def get(self, *cell: object) -> dict[str, Any]:
        return self.cells.get(_key(cell), {})


def _key(cell: tuple[object, ...]) -> str:
    return " | ".join(map(str, cell))
