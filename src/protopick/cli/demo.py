"""``protopick demo``: the eight methods of the paper, and swaps, on scikit-learn's digits."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    ldc,
    nearest_neighbor,
    qdc,
)
from protopick.cli.command import command, outputs, progress_console, result_console, shown_command
from protopick.cli.comparison import Objects, compare_once, number, parts_of, summary
from protopick.cli.options import Json, check_report
from protopick.output import check_writable

__all__ = ["demo", "measure"]

# The paper's settings for medium sets: without clusters the search gets more generations.
_free = partial(GeneticSelector, clustered=False, mutation_rate=0.02, n_generations=25)
_clustered = partial(GeneticSelector, clustered=True, mutation_rate=0.02, n_generations=20)

METHODS: dict[str, Callable[..., Any]] = {
    "Random": RandomSelector,
    "FFT": FarthestFirstSelector,
    "Kcentres": KCentersSelector,
    "FS": ForwardSelector,
    "GA MST": partial(_free, criterion="spanning-tree"),
    "GA (clust) MST": partial(_clustered, criterion="spanning-tree"),
    "GA sup": partial(_free, criterion="label-match"),
    "GA (clust) sup": partial(_clustered, criterion="label-match"),
    "Swap": partial(SwapSelector, criterion="label-match"),
}
CLASSIFIERS: dict[str, Callable[[], Any]] = {"1-NN": nearest_neighbor, "LDC": ldc, "QDC": qdc}
SIZES = (10, 20)
N_SPLITS = 5

_NEXT = """\
{program} pick your.csv --labels its_column -k 20 --report page.html

or in Python:

from protopick import AutoSelector, qdc
from sklearn.pipeline import make_pipeline

model = make_pipeline(AutoSelector(20, estimator=qdc()), qdc())
model.fit(X, y)  # your own vectors; for other objects pass metric=your_function"""


@command
def demo(
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the splits and of the methods.")] = 0,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where to write the page that shows 20 prototypes of the digits."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare the eight methods of the paper, and swaps, on scikit-learn's digits, in a few seconds.

    No file is needed.

    Example: protopick demo --report digits.html
    """
    if report is not None:
        check_writable(report, "--report")
        check_report(report)
    with outputs():
        with progress_console().status("Starting ...") as status:
            found = measure(seed, tell=status.update)
            if report is not None:
                status.update(f"Writing {report} ...")
                write_page(seed, report)
                found["report"] = report
        if as_json:
            typer.echo(json.dumps(found, indent=2))
        else:
            _show(found, result_console())


def measure(
    seed: int = 0,
    *,
    n_splits: int = N_SPLITS,
    sizes: Sequence[int] = SIZES,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Pick prototypes of the digits by every method and classify in the dissimilarity space.

    Each split cuts the digits into three parts with the same share of each class. Prototypes are
    picked out of the first part, classifiers are trained on the second and tested on the third.

    Parameters
    ----------
    seed : int
        Seed of the first split; the others take the numbers that follow.
    n_splits : int
        Splits that are averaged.
    sizes : sequence of int
        Numbers of prototypes.
    tell : callable
        Gets a line of text on what happens now.

    Returns
    -------
    dict
        Plain numbers, strings, lists and dicts. Errors are means over the splits, from 0 to 1, and
        times are medians.

    Examples
    --------
    >>> found = measure(n_splits=1, sizes=[5])
    >>> [row["method"] for row in found["results"]][:3]
    ['Random', 'FFT', 'Kcentres']
    """
    X, y = load_digits(return_X_y=True)
    objects = Objects(X.astype(np.float32), y, len(X))
    tell("Compiling the kernels (the first run takes longer) ...")
    compare_once(objects, METHODS, sizes, CLASSIFIERS, seed)  # not kept: times must not contain compilation
    splits = []
    for i in range(n_splits):
        tell(f"Split {i + 1} of {n_splits}: {len(METHODS)} methods, k = {' and '.join(map(str, sizes))} ...")
        splits.append(compare_once(objects, METHODS, sizes, CLASSIFIERS, seed + i))
    parts = parts_of(objects, seed)
    return {
        "data": "digits",
        "seed": seed,
        "n_splits": n_splits,
        "n_selection": len(parts.selection),
        "n_training": len(parts.training),
        "n_test": len(parts.test),
        "n_features": X.shape[1],
        "results": [summary(same) for same in zip(*splits, strict=True)],
    }


def write_page(seed: int, path: str) -> None:
    """Pick 20 of the digits and write the page that shows them."""
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    selector = AutoSelector(20, random_state=seed).fit(X, y)
    command = shown_command(["demo", "--seed", str(seed), "--report", path])
    selector.report(X, y, path, image_shape=(8, 8), title="Handwritten digits", command=command)


def _show(report: dict[str, Any], console: Console) -> None:
    """Print the report as one table, with what it means and what to try next."""
    console.print(
        f"\nPick k of {report['n_selection']} {report['data']}, describe every digit by its k "
        f"dissimilarities to them, train on {report['n_training']}, test on {report['n_test']}. "
        f"Averages of {report['n_splits']} splits.\n",
        highlight=False,
    )
    console.print(_table(report["results"]))
    for line in _remarks(report, shows_bold=console.is_terminal):
        console.print(line, highlight=False)
    if "report" in report:
        console.print(
            f"\nThe page {report['report']} shows 20 prototypes of all digits. Open it in a browser."
        )
    console.print("\nTry it on your own data:\n")
    console.print(_NEXT.format(program=_program()), highlight=False, markup=False, soft_wrap=True)


def _table(results: list[dict[str, Any]]) -> Table:
    """Return a table with a row for each method and a group of columns for each k."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("\nmethod", no_wrap=True)
    columns = [list(METHODS)]
    for k in sorted({row["k"] for row in results}):
        rows = [row for row in results if row["k"] == k]  # in the order of the methods
        group = {name: _errors(rows, name) for name in CLASSIFIERS}
        group["ms"] = [number(row["time_ms"]) for row in rows]
        group["pairs"] = [number(row["n_dissimilarities"]) for row in rows]
        above = f"k={k}"
        for name, cells in group.items():
            table.add_column(f"{above}\n{name}", justify="right", no_wrap=True, min_width=len(above) + 1)
            columns.append(cells)
            above = ""
    for line in zip(*columns, strict=True):
        table.add_row(*line)
    return table


def _errors(rows: list[dict[str, Any]], classifier: str) -> list[str]:
    """Return errors in %, the lowest in bold."""
    errors = [round(100 * row["error"][classifier], 1) for row in rows]
    return [f"[bold]{error:.1f}[/bold]" if error == min(errors) else f"{error:.1f}" for error in errors]


def _remarks(report: dict[str, Any], shows_bold: bool) -> list[str]:
    """Return what the columns are and what the numbers say."""
    results = report["results"]
    chance = 200 * float(np.median([list(row["standard_error"].values()) for row in results]))
    error, classifier, row = min(
        ((row["error"][name], name, row) for row in results for name in CLASSIFIERS),
        key=lambda found: found[0],
    )
    bold = ", the lowest of each column in [bold]bold[/bold]" if shows_bold else ""
    return [
        f"\n1-NN, LDC, QDC: error in %{bold}. Differences below about {chance:.1f} may be chance.",
        "ms: time to pick. pairs: dissimilarities computed to pick.",
        f"\nLowest here: {classifier} with {row['k']} prototypes by {row['method']}, {100 * error:.1f} %. "
        f"It sees {row['k']} numbers a digit instead of {report['n_features']} pixels.",
        'FS, the two "sup" methods and Swap use the labels, the others do not. FS compares all pairs, so it '
        "suits a few thousand objects. GA MST compares only prototypes, however many objects there are.",
    ]


def _program() -> str:
    """Return how to call this program from here: by its path where the shell does not find it."""
    return "protopick" if shutil.which("protopick") else os.path.relpath(sys.argv[0])
