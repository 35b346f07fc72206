"""What stays after a run: RESULTS.md with every table and figure, all made from results.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.markdown import table
from benchmarks.paper import (
    claims_page,
    figure_convergence,
    figure_digits,
    figure_errors,
    figure_hashing,
    figure_maps,
    figure_times,
    sessions,
    table_complexity,
    table_medium,
    table_svhn2,
    table_youtube,
)
from benchmarks.paper.claims import all_claims
from benchmarks.paper.published import PUBLISHED
from benchmarks.paper.results import Results
from benchmarks.paper.sets import SETS
from benchmarks.store import Store
from protopick.output import whole_file


def write(store: Store, folder: Path) -> Path:
    """Write the page of results into a folder, with the pictures beside it."""
    results, figures = Results(store), folder / "figures"
    claims = all_claims(results)
    parts = [
        *_head(store),
        "## The claims",
        *claims_page.summary(claims),
        "## Medium data sets",
        *table_medium.section(results),
        "## Error against the number of prototypes",
        f"The paper's Figures 2 and 3. {PUBLISHED['without_numbers']['figures']} FS is not run on large "
        "sets, as in the paper.",
        *figure_errors.section(results, figures),
        "## Times",
        "The paper's Figure 5: seconds of the selection, geometric means over the repeats. Auto is the mean "
        "of its fits for three classifiers.",
        *figure_times.section(results, figures),
        "## Digits picked as prototypes",
        "The paper's Figure 4, one run on MNIST; sorted by digit.",
        *figure_digits.section(store, figures),
        "## Maps",
        "The paper's Figure 6: landmark MDS of the objects to pick from, of which 3,000 are shown, with the "
        "20 prototypes of one run of two methods.",
        *figure_maps.section(store, figures),
        "## With and without hashing",
        "The paper's Figures 7 and 8: the search compares objects by their dissimilarities to 64 random "
        "pivots (LSH), or by 64 bits of Spherical Hashing. Classifiers see the true dissimilarities.",
        *figure_hashing.section(results, figures),
        "## Convergence",
        "Best value of each generation with 20 prototypes, mean over the repeats.",
        *figure_convergence.section(results, figures),
        "## Complexity",
        *table_complexity.section(store),
        "## SVHN2",
        *table_svhn2.section(results),
        "## YouTube Faces",
        *table_youtube.section(results),
        "## The tests of the claims",
        *claims_page.details(claims),
        "## Data, and what the paper leaves open",
        *_data(store, results),
    ]
    path = folder / "RESULTS.md"
    with whole_file(path) as file:
        file.write("\n\n".join(parts) + "\n")
    return path


def _head(store: Store) -> Iterator[str]:
    yield "# The paper's experiments"
    yield (
        f"{PUBLISHED['source']}. Written by `python -m benchmarks.paper` from `results.json` and, for the "
        "paper's own figures, `published.json`; no number is typed in."
    )
    yield from sessions.summary(store)


def _data(store: Store, results: Results) -> Iterator[str]:
    run = results.sets("medium", "large", "huge")
    rows = [
        [
            name,
            store.get("source", name).get("source", "-"),
            results.n_repeats(name) if name in run else 0,
            one.divided,
            one.left_open,
        ]
        for name, one in SETS.items()
    ]
    yield table(["data", "read from", "repeats", "divided", "what is left open"], rows)
    missing = [f"- {name}: {one.get}." for name, one in SETS.items() if name not in run]
    if missing:
        yield "To run the rest, put into the folder that `PROTOPICK_DATA` names:"
        yield "\n".join(missing)
