"""The table, for the terminal and for Markdown."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from benchmarks.speed.row import Row

HEADINGS = ["figure", "ours", "other", "value", "must", "aim", ""]


def cells(row: Row) -> list[str]:
    """Return the row as text, one for each heading."""
    return [
        row.figure,
        _amount(row.ours, row.unit),
        _amount(row.other, row.unit),
        _amount(row.value, row.value_unit),
        _limit(row, row.must),
        _limit(row, row.aim),
        verdict(row),
    ]


def verdict(row: Row) -> str:
    """Say in a word how the figure stands."""
    if row.passes is None:
        return "" if row.must is None else "not measured"
    if row.passes and row.reaches_aim:
        return "aim"
    return "pass" if row.passes else "no"


def for_terminal(rows: list[Row], title: str) -> Table:
    """Return the table for the terminal, with the notes below the figures."""
    table = Table(title=title, title_justify="left")
    for heading in HEADINGS:
        table.add_column(
            heading, justify="left" if heading in ("figure", "") else "right", no_wrap=heading != "figure"
        )
    styles = {"aim": "bold green", "pass": "green", "no": "bold red", "not measured": "yellow"}
    for row in rows:
        figure, *middle, word = cells(row)
        text = Text(figure)
        if row.note:
            text.append(f"\n  {row.note}", style="dim")
        table.add_row(text, *middle, Text(word, styles.get(word, "")))
    return table


def for_markdown(rows: list[Row]) -> str:
    """Return the table for the README, with the notes in a last column."""
    head = [heading or "verdict" for heading in HEADINGS] + ["note"]
    rule = ["---", *["---:"] * 5, "---", "---"]
    lines = [head, rule, *([*cells(row), row.note] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "s" and value < 0.1:
        return f"{1000 * value:.1f} ms"
    digits = 0 if unit in ("MB", "objects") or value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}" + ("" if unit in ("x", "objects") else f" {unit}")


def _limit(row: Row, limit: float | None) -> str:
    return "" if limit is None else f"{'≥' if row.at_least else '≤'} {limit:g}"
