"""The help of every command, as the command line itself prints it."""

from __future__ import annotations

import typer.main
from typer.testing import CliRunner

from protopick.cli import app


def command_line() -> str:
    """Return a section for each command with what ``--help`` shows."""
    shown, app.rich_markup_mode = app.rich_markup_mode, None  # plain text, no boxes
    try:
        commands = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
        parts = [_help([])] + [f"## `protopick {name}`\n\n{_help([name])}" for name in commands]
    finally:
        app.rich_markup_mode = shown
    return "\n".join(parts)


def _help(command: list[str]) -> str:
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="protopick", env={"COLUMNS": "88"})
    assert result.exit_code == 0, result.output
    return f"```text\n{result.output.strip()}\n```\n"
