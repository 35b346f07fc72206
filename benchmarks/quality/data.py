"""The data sets, and how each is split into a part to pick from, a part that trains, and one that tests."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from benchmarks.data import Objects, Split, load

MOST_SELECTED = 20_000
MOST_TRAINED = 6_000
MOST_TESTED = 10_000


def _vectors(name: str, scale: bool = False, official: bool = True) -> Callable[[], Objects]:
    def read() -> Objects:
        file = load(name)
        X = file["X"].reshape(len(file["y"]), -1).astype(np.float32)
        if scale:
            X /= np.maximum(X.std(axis=0), 1e-12)
        n_train = int(file["n_train"]) if official and "n_train" in file else None
        groups = file.get("image")
        return Objects(X, file["y"], n_train=n_train, groups=groups)

    return read


def _matrix(name: str) -> Callable[[], Objects]:
    def read() -> Objects:
        file = load(name)
        return Objects(file["D"], file["y"], "precomputed")

    return read


def _strings(name: str) -> Callable[[], Objects]:
    def read() -> Objects:
        file = load(name)
        return Objects(file["X"], file["y"], "levenshtein")

    return read


def _series(name: str) -> Callable[[], Objects]:
    def read() -> Objects:
        file = load(name)
        n_train = int(file["n_train"]) if "n_train" in file else None
        return Objects(file["X"].astype(np.float64), file["y"], "dtw", {"window": 0.1}, n_train)

    return read


SETS: dict[str, Callable[[], Objects]] = {
    "MNIST": _vectors("mnist"),
    "Fashion-MNIST": _vectors("fashion_mnist"),
    "Pendigits": _vectors("pendigits", official=False),
    "Letter": _vectors("letter"),
    "Satellite": _vectors("satellite"),
    "USPS": _vectors("usps"),
    "Covertype": _vectors("covertype", scale=True),
    "mfeat": _vectors("mfeat"),
    "Pima": _vectors("pima", scale=True),
    "SVHN": _vectors("svhn_grey"),
    "surnames": _strings("strings_names18"),
    "BBBP": _strings("strings_smiles_BBBP"),
    "ECG5000": _series("ts_ECG5000"),
    "ItalyPowerDemand": _series("ts_ItalyPowerDemand"),
    "chickenpieces": _matrix("D_chickenpieces_20_60"),
    "gpcr": _matrix("D_gpcr283"),
    "protein": _matrix("D_protein213"),
    "catcortex65": _matrix("D_catcortex65"),
}

NUMBERS = (10, 20, 40)
"""How many prototypes are picked."""

PICKED_FROM = {"catcortex65": 34}
"""How many objects there are to pick from, where they are fewer than the most prototypes."""

FEW, FEW_TESTED = 1_000, 2_000
VERY_SMALL = ("Pima", "ItalyPowerDemand", "chickenpieces", "gpcr", "protein", "catcortex65")
"""Sets with fewer than 1,000 objects to pick from."""

SMALL = (*VERY_SMALL, "mfeat", "BBBP", "ECG5000", "Satellite")
"""Sets with fewer than 1,000 objects to pick from or 2,000 to test on."""


def n_splits(name: str) -> int:
    """Return how many splits a data set is run with: more where few objects make the errors rough."""
    if name in VERY_SMALL:
        return 40
    return 20 if name in SMALL else 5


def is_possible(name: str, k: int) -> bool:
    """Return whether a data set has more than k objects to pick from."""
    return name not in PICKED_FROM or k < PICKED_FROM[name]


@functools.lru_cache(maxsize=1)
def objects(name: str) -> Objects:
    """Return a data set."""
    data = SETS[name]()
    parts = split(data, 0)
    n_picked_from, n_tested = len(parts.selection), len(parts.test)
    is_small = n_picked_from < FEW or n_tested < FEW_TESTED
    if (n_picked_from < FEW, is_small) != (name in VERY_SMALL, name in SMALL):
        raise ValueError(
            f"{name} has {n_picked_from} objects to pick from and {n_tested} to test on. "
            "Mend the lists VERY_SMALL and SMALL."
        )
    if PICKED_FROM.get(name) != (n_picked_from if n_picked_from <= max(NUMBERS) else None):
        raise ValueError(f"{name} has {n_picked_from} objects to pick from. Mend PICKED_FROM.")
    return data


def split(data: Objects, seed: int) -> Split:
    """Return a random split, the same for every method.

    Where the source names a test part and leaves 1,000 objects or more, that is the test, else a random
    30 %. Of the rest, 2 % of 50,000 objects or more trains, else 25 %; the remainder is to pick from.
    """
    rng = np.random.default_rng([seed, 7])
    n = len(data)
    if data.n_train is not None and data.n_train >= FEW:
        rest, test = np.arange(data.n_train), np.arange(data.n_train, n)
    else:
        order = rng.permutation(n)
        test, rest = order[: int(0.3 * n)], order[int(0.3 * n) :]
    share = 0.02 if len(rest) >= 50_000 else 0.25
    if data.groups is None:
        order = rng.permutation(rest)
        n_training = round(share * len(rest))
        training, selection = order[:n_training], order[n_training:]
    else:
        names = rng.permutation(np.unique(data.groups[rest]))
        trains = np.isin(data.groups[rest], names[: round(share * len(names))])
        training, selection = rng.permutation(rest[trains]), rng.permutation(rest[~trains])
    test = rng.permutation(test)[:MOST_TESTED]
    return Split(selection[:MOST_SELECTED], training[:MOST_TRAINED], test)
