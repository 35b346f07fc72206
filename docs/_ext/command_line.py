"""The help of every command, as the command line itself prints it."""

from __future__ import annotations

import typer.main

from protopick.cli import app

_COLUMNS = 80


def command_line() -> str:
    """Return what ``--help`` shows: first of all commands, then a section for each in the same order."""
    shown, app.rich_markup_mode = app.rich_markup_mode, None  # plain text, no boxes
    try:
        group = typer.main.get_command(app)
        commands = group.commands  # type: ignore[attr-defined]
        for command in commands.values():
            command.short_help = command.help.split("\n\n")[0]  # else it is cut to one line
        whole = typer.Context(group, info_name="protopick", terminal_width=_COLUMNS)
        parts = [_shown(group.get_help(whole))]
        for name, command in commands.items():
            own = typer.Context(command, info_name=name, parent=whole)
            parts.append(f"## `protopick {name}`\n\n{_shown(command.get_help(own))}")
    finally:
        app.rich_markup_mode = shown
    return "\n".join(parts)


def _shown(text: str) -> str:
    return f"```text\n{text.strip()}\n```\n"
