"""The progress bar that ``verbose=1`` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(verbose: int, what: str, total: int | None) -> Iterator[Callable[[str], None]]:
    """Show a bar of ``total`` steps. The function that is yielded ends a step, with a remark."""
    if not verbose:
        yield lambda remark: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    console = Console(stderr=True)  # standard output is for results
    with Progress(*shown, TextColumn("{task.fields[remark]}"), console=console) as bar:
        task = bar.add_task(what, total=total, remark="")
        yield lambda remark: bar.update(task, advance=1, remark=remark)
