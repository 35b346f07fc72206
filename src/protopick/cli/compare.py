"""``protopick compare``: several methods and numbers of prototypes side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from protopick.cli.command import command, note, progress_console, result_console
from protopick.cli.comparison import Maker, Objects, compare_once, number, summary
from protopick.cli.files import Data
from protopick.cli.options import (
    CLASSIFIERS,
    USUAL_CLASSIFIER,
    Comparing,
    Json,
    Picking,
    Reading,
    Running,
)
from protopick.report.text import several
from protopick.selectors.parts.verdict import EQUAL
from protopick.selectors.pick import METHODS

_FORWARD_BELOW = 4_000
_CENTERS_BELOW = 50_000
_BAR = 40


@command
def compare(
    reading: Reading,
    comparing: Comparing,
    running: Running,
    k: Annotated[
        str, typer.Option("-k", "--k", metavar="N,N,...", help="Numbers of prototypes, such as 5,10,20,40.")
    ] = "10,20",
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C", help="Which methods, such as random,swap,auto. By default all that suit."
        ),
    ] = None,
    classifier: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose error counts, with --labels: ldc, qdc or 1-nn; qdc by default.",
            rich_help_panel="How to pick",
        ),
    ] = None,
    pivots: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Search on so many pivots: 64 for a slow metric.",
            rich_help_panel="How to pick",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Random splits that are averaged.")] = 3,
    as_json: Json = False,
) -> None:
    """Compare methods on a file, and recommend a number of prototypes.

    Prototypes are picked from one half of the objects; with --labels, a classifier is trained on a
    quarter and tested on the last quarter. Without labels, what counts is how near the objects of the
    last quarter are to their nearest prototype.

    Example: protopick compare flowers.csv --labels species --k 5,10,20,40
    """
    comparing.check()
    Picking(classifier=classifier).check(reading.labels is not None)
    judge = classifier or USUAL_CLASSIFIER
    sizes = _numbers(k)
    with running.limits():
        data = reading.data(comparing.metric)
        chosen = comparing.chosen(data)
        _check_sizes(sizes, data.n)
        makers = _makers(_names(methods, data), data, chosen, judge, pivots, running.jobs)
        objects = Objects(data.X, data.labels, data.n, chosen["metric"] == "precomputed")
        rows = _compared(objects, makers, sizes, judge, repeats, running.seed)
    choose = recommended if data.labels is not None else last_worthwhile
    result = {
        "data": data.name,
        "n_objects": data.n,
        "metric": chosen["metric"],
        "judged_by": f"error of {judge}" if data.labels is not None else "mean dissimilarity",
        "repeats": repeats,
        "seed": running.seed,
        "results": rows,
        "recommended": choose(rows),
    }
    if as_json:
        typer.echo(json.dumps(result, indent=2))
    else:
        _show(result)


def _compared(
    objects: Objects, makers: dict[str, Maker], sizes: list[int], classifier: str, repeats: int, seed: int
) -> list[dict[str, Any]]:
    """Return what each method did with each number of prototypes, over several splits."""
    judged = {classifier: CLASSIFIERS[classifier]}
    splits = []
    with progress_console().status("Comparing ...") as status:
        for i in range(repeats):
            tell = partial(_tell, status, f"Split {i + 1} of {repeats}: ")
            splits.append(compare_once(objects, makers, sizes, judged, seed + i, tell))
    return [_flat(summary(same), classifier) for same in zip(*splits, strict=True)]


def recommended(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the row with fewest prototypes whose error is within a standard error of the lowest.

    Examples
    --------
    >>> few = {"k": 5, "error": 0.11, "standard_error": 0.01}
    >>> recommended([few, {"k": 9, "error": 0.10, "standard_error": 0.02}])["k"]
    5
    """
    lowest = min(rows, key=lambda row: row["error"])
    limit = lowest["error"] + lowest["standard_error"] + EQUAL
    good = [row for row in rows if row["error"] <= limit]
    return min(good, key=lambda row: (row["k"], row["error"]))


def last_worthwhile(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the row of the best method after which more prototypes bring less than a tenth.

    Examples
    --------
    >>> rows = [{"k": k, "method": "swap", "error": e} for k, e in ((5, 4.0), (10, 3.0), (20, 2.9))]
    >>> last_worthwhile(rows)["k"]
    10
    """
    largest = max(row["k"] for row in rows)
    best = min((row for row in rows if row["k"] == largest), key=lambda row: row["error"])["method"]
    own = sorted((row for row in rows if row["method"] == best), key=lambda row: row["k"])
    for row, following in pairwise(own):
        if following["error"] > 0.9 * row["error"]:
            return row
    return own[-1]


def _tell(status: Any, before: str, text: str) -> None:
    status.update(before + text)


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f"--k={text} is not allowed. Pass whole numbers of at least 1, such as 5,10,20,40.")
    return sorted({int(part) for part in parts})


def _check_sizes(sizes: list[int], n: int) -> None:
    if n < 8:
        raise ValueError(
            f"The file holds {several(n, 'object')}. At least 8 are needed to compare methods on parts of "
            "them."
        )
    if sizes[-1] > n // 2:
        raise ValueError(
            f"--k={sizes[-1]} is above half of the {n:,} objects, from which prototypes are picked here. "
            f"Pass at most {n // 2}."
        )


def _names(text: str | None, data: Data) -> list[str]:
    if text is not None:
        names = [name.strip() for name in text.split(",") if name.strip()]
        strangers = [name for name in names if name not in METHODS]
        if strangers:
            raise ValueError(f"--methods: {strangers[0]} is not known. Allowed are {', '.join(METHODS)}.")
        if "forward" in names and data.labels is None:
            raise ValueError("--methods: forward needs labels. Pass --labels, or leave it out.")
        return list(dict.fromkeys(names))
    left_out = []
    if data.labels is None or data.n // 2 > _FORWARD_BELOW:
        left_out.append("forward")
    if data.n // 2 > _CENTERS_BELOW:
        left_out.append("k-centers")
    slow = [name for name in left_out if data.labels is not None or name != "forward"]
    if slow:
        note(
            f"Left out, since slow on so many objects: {', '.join(slow)}. Name them by --methods to run them."
        )
    return [name for name in METHODS if name not in left_out]


def _makers(
    names: list[str],
    data: Data,
    chosen: dict[str, Any],
    classifier: str,
    pivots: int | None,
    jobs: int | None,
) -> dict[str, Maker]:
    makers: dict[str, Maker] = {}
    for name in names:
        with_pivots = pivots if "n_pivots" in METHODS[name]().get_params() else None
        picking = Picking(method=name, classifier=classifier, pivots=with_pivots)
        more = picking.parameters(data.labels is not None)
        makers[name] = partial(METHODS[name], **chosen, **more, n_jobs=jobs)
    return makers


def _flat(row: dict[str, Any], classifier: str) -> dict[str, Any]:
    """Return a row with one error."""
    if "error" not in row:
        return {**row, "error": row["mean"]}
    errors = {name: row[name][classifier] for name in ("error", "standard_error")}
    return {**row, **errors}


def _show(result: dict[str, Any]) -> None:
    console = result_console()
    rows = result["results"]
    labelled = "match" in rows[0]
    console.print(
        f"\n{escape(result['data'])}: {result['n_objects']:,} objects, {result['metric']}, "
        f"{result['repeats']} random split{'s' * (result['repeats'] > 1)}.\n",
        soft_wrap=True,
    )
    console.print(_table(rows, labelled))
    if labelled:
        said = (
            f"error: of {result['judged_by'].removeprefix('error of ')} on objects that no method saw, in %."
        )
        console.print(f"\n{said} match: objects selected from whose nearest prototype has their label.")
    else:
        console.print(
            "\nmean, largest: dissimilarity of objects that no method saw to their nearest prototype."
        )
        if any(row["method"] == "auto" for row in rows):
            console.print(
                "auto goes by something else where there are no labels: that distances in the space of the "
                "prototypes follow the dissimilarities.",
                soft_wrap=True,
            )
    console.print("ms: time to pick. pairs: dissimilarities computed to pick.")
    best = result["recommended"]
    _draw(console, [row for row in rows if row["method"] == best["method"]], labelled)
    if labelled:
        reason = f"error {100 * best['error']:.1f} %: the fewest within one standard error of the lowest."
    else:
        reason = f"mean dissimilarity {best['error']:.4g}: more bring less than a tenth."
        if best["k"] == max(row["k"] for row in rows):
            reason = f"mean dissimilarity {best['error']:.4g}, the lowest. More may bring more."
    console.print(
        f"\n[bold]Recommended: k = {best['k']} by {best['method']}[/], {reason}",
        soft_wrap=True,
    )


def _table(rows: list[dict[str, Any]], labelled: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    names = (
        ["k", "method", "error", "+/-", "match"] if labelled else ["k", "method", "mean", "+/-", "largest"]
    )
    for name in [*names, "ms", "pairs"]:
        table.add_column(name, justify="left" if name == "method" else "right", no_wrap=True)
    lowest = {k: min(row["error"] for row in rows if row["k"] == k) for k in {row["k"] for row in rows}}
    shown = 0
    for row in rows:
        k = "" if row["k"] == shown else str(row["k"])
        if k and shown:
            table.add_section()
        shown = row["k"]
        if labelled:
            cells = [f"{100 * row[name]:.1f}" for name in ("error", "standard_error", "match")]
        else:
            cells = [f"{row[name]:.4g}" for name in ("error", "standard_error", "largest")]
        if row["error"] == lowest[row["k"]]:
            cells[0] = f"[bold]{cells[0]}[/]"
        table.add_row(k, row["method"], *cells, number(row["time_ms"]), number(row["n_dissimilarities"]))
    return table


def _draw(console: Console, rows: list[dict[str, Any]], labelled: bool) -> None:
    """Draw the error against k as bars."""
    if len(rows) < 2:
        return
    what = "error" if labelled else "mean dissimilarity"
    console.print(f"\n{what.capitalize()} against k, {rows[0]['method']}:")
    most = max(row["error"] for row in rows) or 1.0
    for row in rows:
        bar = "█" * max(1, round(_BAR * row["error"] / most))
        value = f"{100 * row['error']:.1f} %" if labelled else f"{row['error']:.4g}"
        console.print(f"{row['k']:>5} {bar} {value}")
