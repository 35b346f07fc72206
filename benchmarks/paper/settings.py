"""How much is run: in minutes, or as often as in the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.paper.methods import AUTO, HASHED, METHODS, PAPER
from benchmarks.paper.sets import SETS


class Cell(NamedTuple):
    """A method picks k prototypes in one repeat."""

    set_name: str
    k: int
    method: str
    repeat: int


@dataclass(frozen=True)
class Setting:
    """How often each data set is split, and what is left out."""

    name: str
    medium_repeats: int
    large_repeats: int
    auto_ks: tuple[int, ...]
    hashing_sets: tuple[str, ...]
    huge: bool
    timings: int
    """How often each time of the complexity table is taken."""

    def repeats(self, set_name: str) -> int:
        return self.medium_repeats if SETS[set_name].size == "medium" else self.large_repeats

    def cells(self, set_name: str) -> Iterator[Cell]:
        """Yield what to run, one repeat of all methods after the other; the slowest method last."""
        paper_set = SETS[set_name]
        methods = [method for method in METHODS if method != AUTO and _applies(method, set_name)]
        if set_name in self.hashing_sets:
            methods += HASHED
        repeats = range(self.repeats(set_name))
        for repeat in repeats:
            for k in paper_set.ks:
                for method in methods:
                    yield Cell(set_name, k, method, repeat)
        for repeat in repeats:
            for k in paper_set.ks:
                if k in self.auto_ks:
                    yield Cell(set_name, k, AUTO, repeat)


def _applies(method: str, set_name: str) -> bool:
    """Tell whether the paper ran the method there, or it is ours: FS does not scale to the large sets."""
    size = SETS[set_name].size
    if method in PAPER and size == "huge":
        return method not in ("FS", "Kcentres")
    return not (method == "FS" and size == "large")


QUICK = Setting(
    "quick",
    medium_repeats=5,
    large_repeats=3,
    auto_ks=(20,),
    hashing_sets=("SVHN1", "XM2VTS"),  # the paper's two
    huge=False,
    timings=2,
)
FULL = Setting(
    "full",
    medium_repeats=30,
    large_repeats=10,
    auto_ks=(10, 20, 30, 40),
    hashing_sets=("SVHN1", "XM2VTS", "MNIST"),
    huge=True,
    timings=5,
)
