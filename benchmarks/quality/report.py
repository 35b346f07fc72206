"""What stays after a run: RESULTS.md with tables, tests and plots, all made from results.json."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.markdown import table
from benchmarks.quality import plot
from benchmarks.quality.data import (
    FEW,
    FEW_TESTED,
    NUMBERS,
    PICKED_FROM,
    SETS,
    SMALL,
    VERY_SMALL,
    is_possible,
    n_splits,
)
from benchmarks.quality.figures import Cell, EqualCost, average_ranks, cells_of, equal_costs_of
from benchmarks.quality.methods import METHODS
from benchmarks.space import CLASSIFIERS
from benchmarks.store import Store

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
RESULTS_PAGE = FOLDER / "RESULTS.md"
FIGURES = FOLDER / "figures"

_SIGNIFICANT = 0.05
_ASKED = [  # data set, classifier, the highest error at k = 20
    ("Letter", "1-NN", 0.19),
    ("Pendigits", "LDC", 0.07),
    ("Covertype", "LDC", 0.34),
    ("Fashion-MNIST", "QDC", 0.225),
    ("MNIST", "LDC", 0.18),
]
_POINTS_ASKED = {"MNIST": 6, "Letter": 10}
"""How many percentage points of label match swaps have to gain at k = 20, and in every case some."""

_MOST_NEEDED = 0.15
"""The share of the genetic algorithm's dissimilarities with which swaps have to reach its value."""


def write(store: Store) -> None:
    """Write the page of results."""
    cells = cells_of(store)
    parts = [_HEAD]
    if cells:
        parts += ["## What was asked", *_asked(cells)]
        parts += ["## Ranks", *_ranks(cells)]
    parts += ["## Swaps against the genetic algorithm at equal cost", *_equal_cost(store)]
    if cells:
        parts += ["## Mean errors", *_tables(cells)]
    missing = _missing(cells)
    parts += ["## Not run yet", missing] if missing else []
    RESULTS_PAGE.write_text("\n\n".join(parts) + "\n")
    print(f"Wrote {RESULTS_PAGE.relative_to(FOLDER.parent.parent)}, {len(cells)} cells.")


def _asked(cells: list[Cell]) -> Iterator[str]:
    large = [cell for cell in cells if cell.set_name not in SMALL]
    yield (
        f"`AutoSelector` with the classifier as its estimator, in all {len(cells)} cells, and in the "
        f"{len(large)} of sets with {FEW:,} objects or more to pick from and {FEW_TESTED:,} to test on."
    )
    rows = []
    for name, share, must in _SHARES:
        of_all, of_large = share(cells), share(large)
        verdict = _verdict(None if must is None else of_all >= must)
        rows.append(
            [name, f"{of_all:.0%}", f"{of_large:.0%}", "" if must is None else f"{must:.0%}", verdict]
        )
    yield table(["in so many of the cells", "all", "large", "must, all", "verdict"], rows)
    worse = [c for c in cells if c.means["Auto"] > c.means["Random"]]
    if worse:
        names = [
            f"{c.set_name}, k = {c.k}, {c.classifier} (p = {c.p_value('Auto', 'Random'):.2f})" for c in worse
        ]
        yield "Mean error above that of random prototypes: " + "; ".join(names) + "."
    yield from _lost(cells)
    of = {(c.set_name, c.k, c.classifier): c for c in cells}
    lines = []
    for set_name, classifier, limit in _ASKED:
        cell = of.get((set_name, 20, classifier))
        if cell is not None:
            error = cell.means["Auto"]
            lines.append([set_name, classifier, f"{error:.4f}", f"{limit}", _verdict(error <= limit)])
    yield "Errors of `AutoSelector` at k = 20:"
    yield table(["data", "classifier", "error", "must", "verdict"], lines)


def _lost(cells: list[Cell]) -> Iterator[str]:
    """Say where another method does better by more than 2 %, and whether that may be chance."""
    rows = []
    for c in cells:
        other, mean = c.lowest_but("Auto"), c.means["Auto"]
        if not _is_within_2_percent(c):
            above = mean / c.means[other] - 1
            row = [c.set_name, c.k, c.classifier, f"{mean:.4f}", other, f"{c.means[other]:.4f}"]
            rows.append([*row, f"{above:.2%}", f"{c.p_value('Auto', other):.2f}"])
    if rows:
        yield (
            "Where another method has the lower error by more than 2 %, and the p-value of a paired t-test "
            "of the two. The other is the lowest of many, so the p-value is too low."
        )
        yield table(["data", "k", "classifier", "Auto", "lowest", "its error", "above it by", "p"], rows)


def _is_within_2_percent(cell: Cell) -> bool:
    return cell.means["Auto"] <= 1.02 * cell.means[cell.lowest_but("Auto")]


def _within_2_percent(cells: list[Cell]) -> float:
    return _share(_is_within_2_percent(c) for c in cells)


def _not_told_apart(cells: list[Cell]) -> float:
    return _share(
        _is_within_2_percent(c) or c.p_value("Auto", c.lowest_but("Auto")) >= _SIGNIFICANT for c in cells
    )


def _strictly_lowest(cells: list[Cell]) -> float:
    return _share(c.means["Auto"] < c.means[c.lowest_but("Auto")] for c in cells)


def _below_all_but_swap(cells: list[Cell]) -> float:
    return _share(c.means["Auto"] < c.means[c.lowest_but("Auto", "Swap")] for c in cells)


def _not_worse_than_random(cells: list[Cell]) -> float:
    return _share(c.means["Auto"] <= c.means["Random"] for c in cells)


def _share(which: Iterable[bool]) -> float:
    found = list(which)
    return float(np.mean(found)) if found else float("nan")


_SHARES: list[tuple[str, Callable[[list[Cell]], float], float | None]] = [
    ("lowest mean error of all, or within 2 % of it", _within_2_percent, 0.9),
    ("the same, or not told from the lowest at 5 %", _not_told_apart, None),
    ("strictly lowest mean error of all", _strictly_lowest, 0.6),
    ("strictly lower than all but Swap", _below_all_but_swap, None),
    ("not above random", _not_worse_than_random, 1.0),
]


def _ranks(cells: list[Cell]) -> Iterator[str]:
    FIGURES.mkdir(exist_ok=True)
    yield (
        "Mean ranks over data sets. The cells of a data set depend on each other, so its ranks are averaged "
        "over k first and it counts once: N is the number of data sets. Methods under one bar are not told "
        "apart by Nemenyi's test at 5 %. Data sets that are no vectors are left out here, since "
        f"{_and(_VECTORS_ONLY)} cannot take them."
    )
    for classifier in CLASSIFIERS:
        some = [c for c in cells if c.classifier == classifier and len(c.errors) == len(METHODS)]
        n_sets = len({c.set_name for c in some})
        if n_sets < 2:
            continue
        ranks, difference = average_ranks(some)
        path = FIGURES / f"ranks_{classifier.lower().replace('-', '')}.png"
        plot.critical_difference(ranks, difference, path, f"{classifier}, N = {n_sets} data sets")
        yield f"![Mean ranks of the methods for {classifier}](figures/{path.name})"


def _equal_cost(store: Store) -> Iterator[str]:
    found = list(equal_costs_of(store))
    yield (
        "Label matches, as a share of the objects, with no more dissimilarities than the paper's GA (clust) "
        "sup computed; in brackets the worst of the seeds. Last, the share of the GA's dissimilarities with "
        "which swaps reach the GA's value."
    )
    yield table(
        ["data", "k", "GA", "swaps", "points gained", "within the GA's count", "needed to reach the GA"],
        [
            [
                cost.set_name,
                cost.k,
                f"{cost.genetic.mean():.3f}",
                f"{cost.swap.mean():.3f}",
                f"{cost.points.mean():+.1f} ({cost.points.min():+.1f})",
                "yes" if cost.is_within else "no",
                f"{cost.needed.mean():.1%} ({cost.needed.max():.1%})",
            ]
            for cost in found
        ],
    )
    if found:
        yield _equal_cost_asked(found)


def _equal_cost_asked(found: list[EqualCost]) -> str:
    """Say what was asked of swaps, where it is missed, and where a figure of the table may mislead."""
    points = _and([f"{points} on {name}" for name, points in _POINTS_ASKED.items()])
    missed = [cost.name for cost in found if not _is_met(cost)]
    unsure = [
        f"{cost.name} needs {cost.needed.max():.1%} at its worst"
        for cost in found
        if cost.needed.mean() <= _MOST_NEEDED < cost.needed.max()
    ]
    fewer = [
        f"{cost.name} gains {cost.points.mean():.1f} points, fewer than {_POINTS_ASKED[cost.set_name]}"
        for cost in found
        if cost.k != 20
        and cost.set_name in _POINTS_ASKED
        and cost.points.mean() < _POINTS_ASKED[cost.set_name]
    ]
    text = (
        f"Asked were a gain in every case, at k = 20 of at least so many points: {points}; and to need at "
        f"most {_MOST_NEEDED:.0%} to reach the GA. The means over the seeds "
    )
    text += f"miss this for {_and(missed)}." if missed else "meet this."
    if unsure:
        text += f" A single seed may not: {_and(unsure)}."
    if fewer:
        text += f" The points asked at k = 20 are not reached at every k: {_and(fewer)}."
    return text


def _is_met(cost: EqualCost) -> bool:
    asked = _POINTS_ASKED.get(cost.set_name, 0) if cost.k == 20 else 0
    gain = cost.points.mean()
    return gain > 0 and gain >= asked and cost.is_within and cost.needed.mean() <= _MOST_NEEDED


def _tables(cells: list[Cell]) -> Iterator[str]:
    yield (
        "Mean error over the splits, with its standard error; the lowest of a row is bold. A star marks "
        "errors that a paired t-test over the splits tells from that of Auto at 5 %."
    )
    for classifier in CLASSIFIERS:
        yield f"### {classifier}"
        some = [cell for cell in cells if cell.classifier == classifier]
        some.sort(key=lambda cell: (list(SETS).index(cell.set_name), cell.k))
        rows = []
        for cell in some:
            row = [cell.set_name, cell.k]
            for name in METHODS:
                row.append(_entry(cell, name) if name in cell.errors else "")
            rows.append(row)
        yield table(["data", "k", *METHODS], rows)


def _entry(cell: Cell, name: str) -> str:
    errors = cell.errors[name]
    text = f"{errors.mean():.4f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.4f}"
    text = f"**{text}**" if name == cell.lowest else text
    return text + ("\\*" if name != "Auto" and cell.p_value(name, "Auto") < _SIGNIFICANT else "")


def _missing(cells: list[Cell]) -> str:
    """Say for which data sets and numbers of prototypes figures are missing, nothing where all are there."""
    found = {(cell.set_name, cell.k) for cell in cells}
    missing = {name: [k for k in NUMBERS if is_possible(name, k) and (name, k) not in found] for name in SETS}
    named = [f"{name} (k = {', '.join(map(str, ks))})" for name, ks in missing.items() if ks]
    return "; ".join(named) + "." if named else ""


def _verdict(passed: bool | None) -> str:
    return "" if passed is None else "met" if passed else "not met"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_VECTORS_ONLY = [name for name, method in METHODS.items() if method.vectors_only]

_TOO_FEW = " ".join(
    f"{name} leaves {n} objects to pick from, so it is not run with k = "
    f"{_and([str(k) for k in NUMBERS if k >= n])}; fewer still train and test, and its errors are rough."
    for name, n in PICKED_FROM.items()
)

_HEAD = f"""# Quality of prototypes

Written by `python -m benchmarks.quality` from `results.json`; no figure is typed in. Each data set is split
into objects to pick from (at most 20,000), objects that train the classifier (2 % of 50,000 or more, else
25 %, at most 6,000) and objects that test it (at most 10,000). The test part is the official one of MNIST,
Fashion-MNIST, SVHN and USPS, else a random 30 %; those of the series leave fewer than {FEW:,} objects to
train and to pick from, and are not used. No method sees the last two parts.

The same splits serve all methods: {n_splits("MNIST")} of them. One says little where objects are few:
there are {n_splits(SMALL[-1])} where fewer than {FEW_TESTED:,} are to test on, and {n_splits(SMALL[0])}
where fewer than {FEW:,} are to pick from
({", ".join(VERY_SMALL)}). FS picks out of 1,000
random candidates, Kcentres and FasterPAM out of 5,000 random objects, where there are more: they
compare all pairs.

{_TOO_FEW}

OneBatchPAM and FasterPAM take dissimilarities, so they are run on strings, series and matrices too, on
those that protopick computes. {_and(_VECTORS_ONLY)} take vectors only."""
