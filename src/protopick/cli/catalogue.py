"""``protopick metrics`` and ``protopick methods``: what there is, with one line each."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from protopick.cli.command import command
from protopick.cli.options import Json
from protopick.cli.words import in_options
from protopick.criteria import CRITERIA
from protopick.dissimilarity import METRICS
from protopick.selectors.pick import METHODS


@command
def metrics(as_json: Json = False) -> None:
    """List the metrics: their names, what they compare, and what they are.

    Parameters, in brackets, are passed by --metric-param name=value.

    Example: protopick metrics
    """
    rows = [
        {"metric": name, "compares": kind.takes, "is": kind.names[name]} for name, kind in METRICS.items()
    ]
    _list(rows, as_json)


@command
def methods(as_json: Json = False) -> None:
    """List the methods, and the criteria of the methods genetic and swap.

    Example: protopick methods
    """
    rows = [{"method": name, "does": _first_line(selector)} for name, selector in METHODS.items()]
    criteria = [
        {
            "criterion": name,
            "labels": "needed" if criterion.needs_labels else "not used",
            "is": _first_line(type(criterion)),
        }
        for name, criterion in CRITERIA.items()
    ]
    if as_json:
        typer.echo(json.dumps({"methods": rows, "criteria": criteria}, indent=2))
        return
    _list(rows)
    typer.echo()
    _list(criteria)


def _first_line(documented: Any) -> str:
    return in_options(str(documented.__doc__).strip().splitlines()[0])


def _list(rows: list[dict[str, str]], as_json: bool = False) -> None:
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for j, name in enumerate(rows[0]):
        table.add_column(name, no_wrap=j == 0, overflow="fold")
    for row in rows:
        table.add_row(*row.values())
    Console(highlight=False, markup=False).print(table)
