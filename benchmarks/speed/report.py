"""What stays after a run: results.json, and its figures in the README."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import sentence
from benchmarks.speed.row import Row
from benchmarks.speed.table import for_markdown

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
FIGURES = FOLDER / "figures"
README = FOLDER.parent / "README.md"
BEGIN, END = "<!-- figures: begin (written by benchmarks/speed) -->", "<!-- figures: end -->"


def keep(part: str, result: dict[str, Any]) -> None:
    """Put the result of a run into results.json, under the name ``part``, and renew the README."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[part] = result
    _write_whole(RESULTS, json.dumps(results, indent=1, sort_keys=False) + "\n")
    text = README.read_text()
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"README.md lacks the lines {BEGIN!r} and {END!r}, between which the figures go.")
    _write_whole(README, f"{before}{BEGIN}\n\n{_figures(results)}\n\n{END}{after}")


def _figures(results: dict[str, Any]) -> str:
    parts = []
    if "table" in results:
        parts += _table(results["table"])
    if "stored" in results:
        parts += _stored(results["stored"])
    if "scaling" in results:
        parts += _scaling(results["scaling"])
    return "\n\n".join(parts)


def _stored(result: dict[str, Any]) -> list[str]:
    return [
        f"### A file larger than memory\n\nMeasured on {result['date']}. {_machine(result)} Reading is timed "
        "as a program would that does nothing else; the system keeps in memory what it can of the file.",
        for_markdown(_rows(result)),
    ]


def _rows(result: dict[str, Any]) -> list[Row]:
    return [
        Row(**{key: value for key, value in row.items() if key not in ("passes", "reaches_aim")})
        for row in result["rows"]
    ]


def _table(result: dict[str, Any]) -> list[str]:
    ceilings = result["ceilings"]
    return [
        f"Measured on {result['date']}, data: {result['data']}. {_machine(result)}",
        f"Ceilings of the same run: matrix product {ceilings['product_gflops']:.0f} GFLOP/s (float32), "
        f"reading memory {ceilings['read_gb_per_s']:.0f} GB/s, copying {ceilings['copy_gb_per_s']:.0f} GB/s.",
        for_markdown(_rows(result)),
    ]


def _scaling(result: dict[str, Any]) -> list[str]:
    pictures = [f"![scaling with {name[8]}](speed/figures/{name})" for name in result["pictures"]]
    return [
        f"### Scaling\n\nMeasured on {result['date']}. {_machine(result)}",
        *pictures,
    ]


def _machine(result: dict[str, Any]) -> str:
    return sentence(result["machine"], result["share_of_others"])


def _write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False) as part:
        try:
            part.write(text)
            part.close()
            os.chmod(part.name, 0o644)  # temporary files are private
            os.replace(part.name, path)
        except BaseException:
            os.unlink(part.name)
            raise
