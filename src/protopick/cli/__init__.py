"""The command line. One module a command."""

from __future__ import annotations

from typing import Annotated

import typer

from protopick import __version__
from protopick.cli.apply import apply
from protopick.cli.catalogue import methods, metrics
from protopick.cli.compare import compare
from protopick.cli.demo import demo
from protopick.cli.describe import describe
from protopick.cli.pick import pick

__all__ = ["app"]

app = typer.Typer(
    name="protopick",
    help="Pick the k objects that stand for n objects, given only how different two of them are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a plain traceback can be pasted into an issue
)
for _command in (pick, compare, describe, apply, demo, metrics, methods):
    app.command()(_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


_Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
]


@app.callback()
def main(version: _Version = False) -> None:
    """Take the options that stand before a command."""
