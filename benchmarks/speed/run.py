"""The command line: measure, show, keep."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console

from benchmarks.speed import (
    blocks,
    budget,
    ceilings,
    farthest,
    genetic,
    machine,
    memory,
    others,
    plots,
    racing,
    report,
    scaling,
    start,
    stored,
    swaps,
)
from benchmarks.speed.data import mnist
from benchmarks.speed.row import Row
from benchmarks.speed.table import cells, for_terminal

Parts = dict[str, Callable[[bool], Iterator[Row]]]
PARTS: Parts = {
    "genetic": genetic.rows,
    "swaps": swaps.rows,
    "farthest": farthest.rows,
    "blocks": blocks.rows,
    "racing": racing.rows,
    "budget": budget.rows,
    "start": start.rows,
    "others": others.rows,
}


def main() -> None:
    """Run what the command line asks for. Only a full run is kept."""
    asked = _arguments()
    terminal = Console()
    console = terminal if terminal.is_terminal else Console(width=140)
    full = not asked.quick and not asked.only
    if asked.only != ["none"]:
        result = _table({part: PARTS[part] for part in asked.only or PARTS}, asked.quick, console)
        if full:
            report.keep("table", result)
    if asked.scaling and not memory.available:
        console.print("[yellow]The scaling plots need Linux, which tells the peak memory of a process.[/]")
    elif asked.scaling:
        result = _scaling(asked.quick, console)
        if not asked.quick:
            result["pictures"] = plots.draw(result["points"], report.FIGURES)
            report.keep("scaling", result)
    if asked.stored:
        result = _table({"stored": stored.rows}, asked.quick, console)
        if not asked.quick:
            report.keep("stored", result)
    if full:
        console.print("Kept in benchmarks/speed/results.json and benchmarks/README.md.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller and extrapolated; nothing is kept")
    parser.add_argument("--scaling", action="store_true", help="also draw the scaling plots")
    parser.add_argument("--stored", action="store_true", help="also fit a file of 20 GB, and keep that")
    parser.add_argument(
        "--only", nargs="+", choices=[*PARTS, "none"], help="these parts of the table, or none; not kept"
    )
    return parser.parse_args()


def _table(parts: Parts, quick: bool, console: Console) -> dict[str, Any]:
    """Measure the rows of the table and show them."""
    others_busy, limits, rows = machine.Others(), ceilings.measure(), []
    for part, measure in parts.items():
        console.print(f"[dim]{part} ...[/]")
        for row in measure(quick):
            console.print("[dim]  " + "  ".join(filter(None, cells(row))) + "[/]", highlight=False)
            rows.append(row)
    result = {
        **_circumstances(others_busy),
        "data": mnist().name,
        "ceilings": limits,
        "rows": [row.as_dict() for row in rows],
    }
    console.print(for_terminal(rows, _title(result) + (", quick" if quick else "")))
    return result


def _scaling(quick: bool, console: Console) -> dict[str, Any]:
    """Measure the points of the plots."""
    others_busy, points = machine.Others(), []
    for point in scaling.points(quick):
        text = "{axis}: {method}, n={n:,} k={k} q={q}: {seconds:.3f} s".format(**point)
        console.print(f"[dim]{text}, {point['bytes'] / 1e6:.1f} MB[/]", highlight=False)
        points.append(point)
    return {**_circumstances(others_busy), "points": points}


def _circumstances(others_busy: machine.Others) -> dict[str, Any]:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"date": today, "machine": machine.facts(), "share_of_others": others_busy.share()}


def _title(result: dict[str, Any]) -> str:
    limits, others_share = result["ceilings"], result["share_of_others"]
    title = (
        f"{result['data']}; ceilings: {limits['product_gflops']:.0f} GFLOP/s matrix product, "
        f"{limits['read_gb_per_s']:.0f} GB/s read, {limits['copy_gb_per_s']:.0f} GB/s copy"
    )
    return title if others_share is None else f"{title}; other processes took {others_share:.0%} of the cores"
