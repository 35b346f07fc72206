"""``protopick pick``: the objects of a file that stand for all of them."""

from __future__ import annotations

import csv
import json
import math
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import IO, Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table
from sklearn.pipeline import Pipeline

from protopick.cli.command import command, outputs, progress_console, result_console, shown_command
from protopick.cli.files import Data
from protopick.cli.options import (
    CLASSIFIERS,
    Comparing,
    Device,
    Json,
    Picking,
    Reading,
    Running,
    check_ending,
    check_report,
    whole_number_or_auto,
)
from protopick.objects import take
from protopick.objects.tensors import check_device, to_device
from protopick.output import whole_file
from protopick.report import neighborhoods, page, summarise
from protopick.selectors.pick import METHODS
from protopick.storage import save as save_model

_SHOWN = 20
_NARROWEST, _WIDEST = 8, 60  # a name or a label that is shown
_NUMBERS = 32  # what the other columns take
_MOST_TRAINED = 100_000
_USUAL_OUT = "prototypes.csv"


@dataclass(frozen=True)
class Writing:
    """Where the results go."""

    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=f"Where to write the prototypes: .csv, or - for standard output; {_USUAL_OUT} by default.",
        ),
    ] = None
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write a page that shows them, such as page.html. It also holds what its map shows of up to "
            "some thousand other objects: names, classes and what they are like.",
        ),
    ] = None
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write what `protopick apply` needs, such as flowers.model."),
    ] = None

    @property
    def table(self) -> str:
        """The file of the prototypes."""
        return self.out or _USUAL_OUT

    def check(self, reading: Reading) -> None:
        """Check that all can be written, before the work."""
        reading.check_outputs({"--out": self.table, "--report": self.report, "--save": self.save})
        check_ending("--out", self.table, ".csv")
        check_report(self.report)
        if self.save is not None:
            check_ending("--save", self.save, ".model", ".protopick", or_stdout=False, or_none=True)
        if self.report is not None and find_spec("plotly") is None:
            raise ImportError(
                "--report needs plotly, which is not installed: pip install 'protopick[report]'"
            )


@dataclass(frozen=True)
class Picked:
    """What was found."""

    selector: Any
    data: Data
    seconds: float
    rows: list[dict[str, Any]]  # one for each prototype


@command
def pick(
    reading: Reading,
    comparing: Comparing,
    picking: Picking,
    running: Running,
    writing: Writing,
    k: Annotated[str, typer.Option("-k", "--k", metavar="N", help="How many prototypes, or auto.")] = "20",
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Pick the k objects of a file that stand for all of them.

    Writes prototypes.csv: rank, index (from 0), id, label, size (how many objects are nearest to it)
    and purity (the share of these that have its label). Rank 1 is the prototype that is worth most; what
    `protopick apply` writes as prototype1 is the dissimilarity to it.

    Example: protopick pick flowers.csv --labels species -k 6 --report flowers.html
    """
    comparing.check()
    picking.check(reading.labels is not None)
    number = whole_number_or_auto(k)
    writing.check(reading)
    if device is not None:
        check_device(device, "--device")
    with running.limits(), outputs(None if writing.out else writing.table):
        data = reading.data(comparing.metric)
        if isinstance(number, int) and number > data.n:
            raise ValueError(f"-k {number} is above the number of objects. Pass at most {data.n}.")
        selector = METHODS[picking.method](
            number,
            **comparing.chosen(data),
            **picking.parameters(data.labels is not None),
            random_state=running.seed,
            n_jobs=running.jobs,
            verbose=int(progress_console().is_terminal),
        )
        X = data.X if device is None else to_device(data.X, device, "--device")
        start = perf_counter()
        selector.fit(X, data.labels)
        seconds = perf_counter() - start
        picked = Picked(selector, data, seconds, _rows(selector, data))
        written = _write(picked, writing, picking.trains, as_json)
        if as_json:
            typer.echo(json.dumps({**_result(picked), "written": written}, indent=2))
        elif writing.out != "-":
            _show(picked, written)


def _rows(selector: Any, data: Data) -> list[dict[str, Any]]:
    """Return what is written of each prototype."""
    rows = []
    for found in neighborhoods(selector, data.X, data.labels):
        index = found["index"]
        rows.append(
            {
                "rank": found["rank"],
                "index": index,
                "id": data.called(index),
                "label": "" if data.labels is None else str(data.labels[index]),
                "size": found["size"],
                "purity": "" if found["purity"] is None else round(found["purity"], 4),
            }
        )
    return rows


def _write(picked: Picked, writing: Writing, classifier: str, as_json: bool) -> dict[str, str]:
    """Write what is asked for, the prototypes last. Return which file is what."""
    written = {}
    console = progress_console()
    data, selector = picked.data, picked.selector
    if writing.report is not None:
        with console.status(f"Writing {writing.report} ..."):
            summary = summarise(
                selector,
                data.X,
                data.labels,
                ids=data.ids,
                names=data.found.headings,
                image_shape=data.found.image_shape,
                title=data.name,
                classifier=None if data.labels is None else CLASSIFIERS[classifier](),
                command=shown_command(sys.argv[1:]),
                seconds=picked.seconds,
            )
            with whole_file(writing.report, name="--report") as file:
                file.write(page(summary))
        written["report"] = writing.report
    if writing.save is not None:
        with console.status(f"Writing {writing.save} ..."):
            save_model(_model(picked, classifier), writing.save)
        written["model"] = writing.save
    if writing.out == "-":
        if not as_json:  # which holds them too
            _write_rows(picked.rows, sys.stdout)
        return written
    with whole_file(writing.table, name="--out") as file:
        _write_rows(picked.rows, file)
    return {"prototypes": writing.table, **written}


def _write_rows(rows: list[dict[str, Any]], file: IO[str]) -> None:
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _model(picked: Picked, classifier: str) -> Any:
    """Return the selector, with a classifier behind it where there are labels."""
    data, selector = picked.data, picked.selector
    trained = None
    if data.labels is not None:
        some = np.arange(data.n)
        if data.n > _MOST_TRAINED:
            rng = np.random.default_rng(selector.random_state)
            some = np.sort(rng.choice(data.n, _MOST_TRAINED, replace=False))
        trained = CLASSIFIERS[classifier]()
        trained.fit(selector.transform(take(data.X, data.X, some)), data.labels[some])
    if data.found.names is not None:
        selector.feature_names_in_ = np.array(data.found.names, dtype=object)  # apply looks them up
    return selector if trained is None else Pipeline([("prototypes", selector), ("classifier", trained)])


def _result(picked: Picked) -> dict[str, Any]:
    """Return what was found, ready for JSON."""
    selector = picked.selector
    return {
        "data": picked.data.name,
        "n_objects": picked.data.n,
        "metric": selector.metric,
        "selector": " ".join(repr(selector).split()),
        "seed": selector.random_state,
        "seconds": round(picked.seconds, 3),
        "n_dissimilarities": int(selector.n_dissimilarities_),
        "criterion_value": _number(selector.criterion_value_),
        "chosen_by": getattr(selector, "chosen_by_", None),
        "prototypes": picked.rows,
    }


def _number(value: float | None) -> float | None:
    """Return a number that JSON has."""
    return None if value is None or not math.isfinite(value) else float(value)


def _show(picked: Picked, written: dict[str, str]) -> None:
    console = result_console()
    selector, data, rows = picked.selector, picked.data, picked.rows
    why = f" ({data.found.why})" if data.found.why and selector.metric == data.found.metric else ""
    console.print(
        f"\n[bold]{len(rows)} of {data.n:,} object{'s' if data.n > 1 else ''} "
        f"{'stand' if len(rows) > 1 else 'stands'} for {escape(data.name)}[/]. Compared by "
        f"{selector.metric}{escape(why)}: {selector.n_dissimilarities_:,} dissimilarities, "
        f"{picked.seconds:.1f} s.\n",
        soft_wrap=True,
    )
    console.print(_table(rows, console.width))
    if len(rows) > _SHOWN:
        console.print(f"... and {len(rows) - _SHOWN} more in the file.")
    if hasattr(selector, "chosen_by_"):
        console.print(f"\nChosen: {escape(selector.chosen_by_)}", soft_wrap=True)
    console.print()
    for what, path in written.items():
        console.print(f"{what.capitalize():<11} {escape(path)}", soft_wrap=True)


def _table(rows: list[dict[str, Any]], width: int) -> Table:
    """Return the prototypes as a table that fits, without the columns that say nothing."""
    shown = [name for name in rows[0] if any(row[name] != "" for row in rows)]
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    texts = [name for name in shown if name in ("id", "label")]
    widest = max(_NARROWEST, min(_WIDEST, (width - _NUMBERS) // max(1, len(texts))))
    for name in shown:
        table.add_column(name, justify="left" if name in texts else "right", no_wrap=True)
    for row in rows[:_SHOWN]:
        cells = {**row, "size": f"{row['size']:,}"}
        if row["purity"] != "":
            cells["purity"] = f"{100 * row['purity']:.0f} %"
        table.add_row(*(escape(_in_a_line(cells[name], widest)) for name in shown))
    return table


def _in_a_line(value: Any, widest: int) -> str:
    """Return what a cell shows: lines run on, and an end that is far off is cut."""
    text = " ".join(str(value).split())
    return text if len(text) <= widest else f"{text[: widest - 1]}…"
