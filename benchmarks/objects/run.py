"""Print what was asked of each kind of object beside what was measured, and write the page."""

from __future__ import annotations

import argparse
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks.data import MissingDataError
from benchmarks.markdown import table
from benchmarks.objects import functions, matrices, series, streamlines, strings, tables
from benchmarks.objects.line import Line
from protopick.output import whole_file

PAGE = Path(__file__).with_name("RESULTS.md")
PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "strings": strings.lines,
    "series": series.lines,
    "streamlines": streamlines.lines,
    "matrices": matrices.lines,
    "tables": tables.lines,
    "functions": functions.lines,
}
_HOW = """# Any object

Written by `python -m benchmarks.objects --keep` on two cores; needs the files in `PROTOPICK_DATA`. Times that
are compared were taken in turns, the best of several. Errors are means over 20 splits: 30 % of the objects
test, a quarter of the rest trains, and prototypes are picked from what is left.

Of the molecules of HIV 96.5 % are of one class. By label matches no set beats prototypes of that class alone,
so searches on it go by nothing there, and a fit warns of that. Hence these lines stand a second time, with as
many prototypes of each class, for the mean of the errors of both classes.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), metavar="PART")
    parser.add_argument("--keep", action="store_true", help=f"write {PAGE.name}")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore", "All .* prototypes are of class")  # what that costs is measured
    found = []
    for part in asked.only:
        try:
            for line in PARTS[part]():
                print(*line.cells, sep=" | ", flush=True)
                found.append(line.cells)
        except MissingDataError as error:
            print(f"{part} are left out. {error}", file=sys.stderr)
    if asked.keep:
        libraries = ", ".join(f"{name} {version(name)}" for name in ("rapidfuzz", "dtaidistance", "numba"))
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        measured = f"Measured on {date.today()}: {machine}, {libraries}."
        with whole_file(PAGE) as file:
            file.write("\n".join([_HOW, measured, "", table(Line.head, found), ""]))
