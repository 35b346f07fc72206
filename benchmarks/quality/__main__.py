"""python -m benchmarks.quality: make the table of errors, and what was asked of it."""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.data import MissingDataError
from benchmarks.quality import at_equal_cost, cells, report
from benchmarks.quality.data import NUMBERS, SETS, is_possible, n_splits
from benchmarks.quality.methods import METHODS
from benchmarks.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), metavar="SET")
    parser.add_argument("--k", nargs="+", type=int, default=list(NUMBERS))
    parser.add_argument("--seeds", type=int, default=40, help="run no more splits than so many")
    parser.add_argument(
        "--methods", nargs="+", default=list(METHODS), choices=list(METHODS), metavar="METHOD"
    )
    parser.add_argument("--again", action="store_true", help="run cells anew that were run before")
    parser.add_argument("--report", action="store_true", help="only write the report of what there is")
    asked = parser.parse_args()
    store = Store(report.RESULTS)
    if not asked.report:
        for set_name in asked.sets:
            try:
                _run(store, set_name, asked)
                at_equal_cost.run(store, set_name, asked.k, asked.again)
            except MissingDataError as error:
                print(f"{set_name} is left out. {error}", file=sys.stderr)
    report.write(store)


def _run(store: Store, set_name: str, asked: argparse.Namespace) -> None:
    for k in asked.k:
        if not is_possible(set_name, k):
            continue
        for seed in range(min(asked.seeds, n_splits(set_name))):
            for method in asked.methods:
                cell = set_name, k, method, seed
                if store.has(*cell) and not asked.again:
                    continue
                start = time.perf_counter()
                store.put(cells.run(set_name, k, seed, method), *cell)
                print(f"{set_name}, k = {k}, {method}, seed {seed}: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
