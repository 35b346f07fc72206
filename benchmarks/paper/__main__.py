"""python -m benchmarks.paper: repeat the paper's experiments, and write the page of results."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.data import MissingDataError
from benchmarks.paper import figure_digits, figure_maps, overlap, report, runs, table_complexity
from benchmarks.paper.sessions import Session
from benchmarks.paper.sets import SETS, objects
from benchmarks.paper.settings import FULL, QUICK, Setting
from benchmarks.store import Store

FOLDER = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="as often as in the paper; hours")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), metavar="SET")
    parser.add_argument("--into", type=Path, help="the folder of the results")
    parser.add_argument("--report", action="store_true", help="only write the page of what there is")
    asked = parser.parse_args()
    setting = FULL if asked.full else QUICK
    folder = asked.into or (FOLDER if asked.full else FOLDER / "quick")
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / "results.json")
    if not asked.report:
        _run(store, setting, asked.sets, folder / "figures")
    print(f"Wrote {report.write(store, folder)}")


def _run(store: Store, setting: Setting, set_names: list[str], figures: Path) -> None:
    session = Session(store, setting.name)
    try:
        for set_name in set_names:
            if SETS[set_name].size == "huge" and not setting.huge:
                continue
            try:
                source = objects(set_name).source
            except MissingDataError as error:
                print(f"{set_name} is left out. {error}", file=sys.stderr)
                continue
            store.put({"source": source}, "source", set_name)
            overlap.run(store, set_name)
            _run_set(store, setting, set_name)
            figure_maps.run(store, figures, set_name)
            if set_name == figure_digits.SET:
                figure_digits.run(store, figures)
            session.keep()
        table_complexity.run(store, setting.timings)
    finally:
        session.keep()


def _run_set(store: Store, setting: Setting, set_name: str) -> None:
    warm = set()
    for cell in setting.cells(set_name):
        if store.has(*cell):
            continue
        if cell.method not in warm:
            runs.warm_up(cell)
            warm.add(cell.method)
        start = time.perf_counter()
        store.put(runs.run(cell), *cell)
        seconds = time.perf_counter() - start
        print(f"{set_name}, k = {cell.k}, {cell.method}, repeat {cell.repeat}: {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
