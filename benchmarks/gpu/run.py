"""What a GPU makes of it, beside its own ceilings, in one run."""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import data
from protopick import AutoSelector, FarthestFirstSelector, GeneticSelector, SwapSelector
from protopick.output import whole_file

REPEATS = 7
_HOW = """# On a GPU

Written by `python -m benchmarks.gpu --into benchmarks/gpu/RESULTS.md`. Seconds after a first call that does
not count, the median of seven, of three for swaps and Auto; made-up classes where no data set is named. The
rows are on the GPU before, and results are back on the host in the end.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure speed on a GPU; needs MNIST in PROTOPICK_DATA.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--share", type=float, default=1.0, help="of the number of objects")
    parser.add_argument("--into", type=Path, help="write the page of results to this file")
    asked = parser.parse_args()
    device = torch.device(asked.device)
    table = Table()
    _large(table, device, int(531_131 * asked.share))
    _huge(table, device, int(20_000_000 * asked.share))
    _mnist(table, device)
    if asked.into is not None:
        with whole_file(asked.into) as file:
            file.write(_page(device, table))


class Table:
    """Figures as lines of Markdown, printed when they are known."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, what: str, measured: str, must: Any = "", aim: Any = "") -> None:
        self.lines.append(f"| {what} | {must} | {aim} | {measured} |")
        print(self.lines[-1], flush=True)

    def add_time(self, what: str, seconds: float, must: Any = "", aim: Any = "", more: str = "") -> None:
        self.add(what, f"{seconds:.3g} s{', ' if more else ''}{more}", must, aim)


def _large(table: Table, device: torch.device, n: int) -> None:
    X, y = _made(n, 1024, device)
    genetic = GeneticSelector(30, criterion="label-match", evaluation="exact", random_state=0)
    n_columns = genetic.fit(X, y).n_dissimilarities_ // n
    size = f"{n:,} x 1,024"
    seconds = _seconds(lambda: X[:n_columns] @ X.T, device)
    rate = 2 * n * 1024 * n_columns / seconds / 1e12
    table.add_time(
        f"matrix product with the {n_columns:,} columns of that GA, {size}",
        seconds,
        more=f"{rate:.0f} TFLOP/s",
    )
    seconds = _seconds(X.clone, device)
    table.add_time(f"copy of {size}", seconds, more=f"{2 * X.nbytes / seconds / 1e12:.2f} TB/s")
    table.add_time(f"label-match GA, {size}, k = 30", _seconds(lambda: genetic.fit(X, y), device), 0.15, 0.06)
    raced = GeneticSelector(30, criterion="label-match", random_state=0)
    table.add_time(f"the same by racing, {size}", _seconds(lambda: raced.fit(X, y), device))
    traversal = FarthestFirstSelector(30, random_state=0)
    table.add_time(f"farthest first, {size}, k = 30", _seconds(lambda: traversal.fit(X), device), 0.03)
    tree = GeneticSelector(30, random_state=0)
    table.add_time(f"spanning-tree GA, {size}, k = 30", _seconds(lambda: tree.fit(X), device))
    hashed = GeneticSelector(30, criterion="label-match", evaluation="exact", n_pivots=64, random_state=0)
    table.add_time(f"label-match GA with 64 pivots, {size}", _seconds(lambda: hashed.fit(X, y), device))
    swaps = SwapSelector(30, evaluation="exact", random_state=0)
    table.add_time(
        f"swaps on label match, {size}, k = 30", _seconds(lambda: swaps.fit(X, y), device, repeats=3)
    )
    table.add_time(f"transform, {size}, k = 30", _seconds(lambda: genetic.transform(X), device))


def _huge(table: Table, device: torch.device, n: int) -> None:
    X, y = _made(n, 128, device)
    genetic = GeneticSelector(30, criterion="label-match", random_state=0)
    table.add_time(f"label-match GA, {n:,} x 128, k = 30", _seconds(lambda: genetic.fit(X, y), device), 2.0)


def _mnist(table: Table, device: torch.device) -> None:
    file = data.load("mnist")
    X, y = file["X"][:60_000].reshape(60_000, -1).astype(np.float32), file["y"][:60_000]
    on_device = torch.from_numpy(X).to(device)
    auto = AutoSelector(20, random_state=0)
    table.add_time("Auto, MNIST, k = 20", _seconds(lambda: auto.fit(on_device, y), device, repeats=3), 1.5)
    for method, seconds in zip(auto.results_["method"], auto.results_["seconds"], strict=True):
        table.add_time(f"of these, {method}", seconds)
    for criterion in ("label-match", "coverage", "radius", "spanning-tree"):
        selector = GeneticSelector(20, criterion=criterion, evaluation="exact", random_state=0)
        found, on_cpu = (selector.fit(of, y).criterion_value_ for of in (on_device, X))
        difference = abs(found - on_cpu) / abs(on_cpu)
        table.add(f"{criterion} of the GA on MNIST, relative to the CPU", f"{difference:.1e}", "1e-4")


def _made(n: int, width: int, device: torch.device) -> tuple[torch.Tensor, np.ndarray]:
    """Return ten overlapping classes."""
    generator = torch.Generator(device).manual_seed(0)
    classes = torch.randint(10, (n,), generator=generator, device=device)
    centres = torch.randn((10, width), generator=generator, device=device) / 4
    X = torch.empty((n, width), device=device)
    for rows, some in zip(X.split(1 << 20), classes.split(1 << 20), strict=True):
        rows.normal_(generator=generator).add_(centres[some])
    return X, classes.cpu().numpy()


def _seconds(work: Callable[[], Any], device: torch.device, repeats: int = REPEATS) -> float:
    """Return the median time, after a first time that does not count."""
    times = []
    for _ in range(1 + repeats):
        start = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def _page(device: torch.device, table: Table) -> str:
    machine = f"{_name(device)}, torch {torch.__version__}, Python {platform.python_version()}"
    measured = f"Measured on {date.today()}: {machine}."
    header = "| figure | must | aim | measured |\n| --- | --- | --- | --- |"
    return "\n".join([_HOW, measured, "", header, *table.lines]) + "\n"


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor() or "CPU"
