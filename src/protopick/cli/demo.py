"""``protopick demo``: the eight methods of the paper, and swaps, on scikit-learn's digits."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from protopick import (
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
from protopick import AutoSelector, qdc
from sklearn.pipeline import make_pipeline

model = make_pipeline(AutoSelector(20, estimator=qdc()), qdc())
model.fit(X, y)  # your own vectors; for other objects pass metric=your_function"""


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the splits and of the methods.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare the eight methods of the paper, and swaps, on scikit-learn's digits, in a few seconds."""
    with Console(stderr=True).status("Starting ...") as status:
        report = measure(seed, tell=status.update)
    if as_json:
        typer.echo(json.dumps(report, indent=2))
    else:
        _show(report, Console())


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
    >>> report = measure(n_splits=1, sizes=[5])
    >>> [row["method"] for row in report["results"]][:3]
    ['Random', 'FFT', 'Kcentres']
    """
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    tell("Compiling the kernels (the first run takes longer) ...")
    _measure_split(X, y, seed, sizes)  # not kept: times must not contain compilation
    splits = []
    for i in range(n_splits):
        tell(f"Split {i + 1} of {n_splits}: {len(METHODS)} methods, k = {' and '.join(map(str, sizes))} ...")
        splits.append(_measure_split(X, y, seed + i, sizes))
    parts = [len(part) for part in _three_parts(X, y, seed)[1::2]]
    return {
        "data": "digits",
        "seed": seed,
        "n_splits": n_splits,
        **dict(zip(("n_selection", "n_training", "n_test"), parts, strict=True)),
        "n_features": X.shape[1],
        "results": [_summary(rows) for rows in zip(*splits, strict=True)],
    }


def _three_parts(X: np.ndarray, y: np.ndarray, seed: int) -> list[np.ndarray]:
    """Return objects and labels to select from (a half), to train on and to test on (a quarter each)."""
    selection, rest, y_selection, y_rest = train_test_split(
        X, y, train_size=0.5, stratify=y, random_state=seed
    )
    training, test, y_training, y_test = train_test_split(
        rest, y_rest, train_size=0.5, stratify=y_rest, random_state=seed
    )
    return [selection, y_selection, training, y_training, test, y_test]


def _measure_split(X: np.ndarray, y: np.ndarray, seed: int, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Return one row for each number of prototypes and method."""
    selection, y_selection, training, y_training, test, y_test = _three_parts(X, y, seed)
    rows = []
    for k in sizes:
        for method, make_selector in METHODS.items():
            selector = make_selector(k, random_state=seed)
            start = perf_counter()
            selector.fit(selection, y_selection)
            seconds = perf_counter() - start
            train_space, test_space = selector.transform(training), selector.transform(test)
            errors = {
                name: 1 - make_classifier().fit(train_space, y_training).score(test_space, y_test)
                for name, make_classifier in CLASSIFIERS.items()
            }
            counted = selector.n_dissimilarities_
            rows.append(
                {"method": method, "k": k, "errors": errors, "seconds": seconds, "n_dissimilarities": counted}
            )
    return rows


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one row for the same method and k over all splits."""
    errors = {name: [row["errors"][name] for row in rows] for name in CLASSIFIERS}
    return {
        "method": rows[0]["method"],
        "k": rows[0]["k"],
        "error": {name: float(np.mean(values)) for name, values in errors.items()},
        "standard_error": {
            name: float(np.std(values) / max(1, len(values) - 1) ** 0.5) for name, values in errors.items()
        },
        "time_ms": 1000 * float(np.median([row["seconds"] for row in rows])),
        "n_dissimilarities": round(np.mean([row["n_dissimilarities"] for row in rows])),
    }


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
    console.print("\nTry it on your own data:\n")
    console.print(_NEXT, highlight=False, markup=False)


def _table(results: list[dict[str, Any]]) -> Table:
    """Return a table with a row for each method and a group of columns for each k."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("\nmethod", no_wrap=True)
    columns = [list(METHODS)]
    for k in sorted({row["k"] for row in results}):
        rows = [row for row in results if row["k"] == k]  # in the order of the methods
        group = {name: _errors(rows, name) for name in CLASSIFIERS}
        group["ms"] = [_number(row["time_ms"]) for row in rows]
        group["pairs"] = [_number(row["n_dissimilarities"]) for row in rows]
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


def _number(value: float) -> str:
    """Return a number of 0 or more in a few characters: 1.2, 24, 950, 18k, 1.2M."""
    if value >= 999_500:
        return f"{value / 1e6:.1f}M"
    if value >= 1000:
        return f"{value / 1000:.0f}k"
    return f"{value:.1f}" if 0 < value < 9.95 else f"{value:.0f}"
