"""The paper's data sets (its Table 2), each with its split and settings, and Fashion-MNIST as one more."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.data import Objects, Split
from benchmarks.paper.faces import xm2vts, youtube
from benchmarks.paper.sources import vectors
from benchmarks.paper.svhn import svhn1, svhn2
from benchmarks.paper.zongker import zongker

Size = Literal["medium", "large", "huge"]


@dataclass(frozen=True)
class PaperSet:
    """A data set, how it is divided, and what the paper leaves open about it."""

    read: Callable[[], Objects]
    split: Callable[[Objects, int], Split]
    size: Size
    ks: tuple[int, ...]
    classifiers: tuple[str, ...]
    """Those that the paper shows; all are measured."""

    divided: str
    left_open: str
    get: str
    """What to download, where the set is not at hand."""


def _medium(n_selected: int) -> Callable[[Objects, int], Split]:
    """So many objects to pick from, half of the rest to train, half to test, by class."""

    def split(data: Objects, repeat: int) -> Split:
        everything = np.arange(len(data))
        selection, rest = train_test_split(
            everything, train_size=n_selected, stratify=data.y, random_state=repeat
        )
        training, test = train_test_split(rest, train_size=0.5, stratify=data.y[rest], random_state=repeat)
        return Split(selection, training, test)

    return split


def _two_percent(data: Objects, repeat: int) -> Split:
    """Of the official training part, 98 % to pick from, 2 % to train; the official test part."""
    assert data.n_train is not None
    order = np.random.default_rng(repeat).permutation(data.n_train)
    n_training = round(0.02 * data.n_train)
    return Split(order[n_training:], order[:n_training], np.arange(data.n_train, len(data)))


def _tenth_of_extra(data: Objects, repeat: int) -> Split:
    """The whole extra part to pick from, a tenth of it to train; the official test part."""
    assert data.n_train is not None
    some = np.random.default_rng(repeat).permutation(data.n_train)[: data.n_train // 10]
    return Split(np.arange(data.n_train), some, np.arange(data.n_train, len(data)))


def _four_fifths(data: Objects, repeat: int) -> Split:
    """80 % to pick from, 5 % of those to train, 20 % to test."""
    order = np.random.default_rng(repeat).permutation(len(data))
    n_selected = int(0.8 * len(data))
    return Split(order[:n_selected], order[: n_selected // 20], order[n_selected:])


_HALVES = "half of the rest trains, half tests, by class"
_REST = "How the rest is divided is not said: half trains, half tests, each class in proportion."
_GREY = (
    "The width of the Gaussian over the middle is not said: its standard deviation is 8 pixels here. "
    "Where `svhn_grey.npz` is used, its digits were cut out of the original photos anew, so pixels differ "
    "slightly from the official files."
)
_LARGE_KS = (10, 20, 30, 40)

SETS: dict[str, PaperSet] = {
    "Zongker": PaperSet(
        zongker,
        _medium(1000),
        "medium",
        (20,),
        ("LDC",),
        f"1,000 to pick from; {_HALVES}",
        f"{_REST} Similarities s become the root of 1 - s, and the greater of two directions is taken.",
        "`dist_digit_zongker.mat` of PRTools, or the matrix D and labels y as `zongker.npz`",
    ),
    "Diabetes": PaperSet(
        lambda: vectors("pima", "diabetes"),
        _medium(384),
        "medium",
        (20,),
        ("LDC",),
        f"384 to pick from; {_HALVES}",
        f"{_REST} The measure is not said: Euclidean on the eight features as they are.",
        "`pima.npz` (X, y), or a connection to OpenML",
    ),
    "Pendigits": PaperSet(
        lambda: vectors("pendigits", "pendigits"),
        _medium(5000),
        "medium",
        (20,),
        ("1-NN",),
        f"5,000 to pick from; {_HALVES}",
        f"{_REST} The paper's measure is not metric, and not named: Euclidean on the 16 features.",
        "`pendigits.npz` (X, y), or a connection to OpenML",
    ),
    "XM2VTS": PaperSet(
        xm2vts,
        _medium(1770),
        "medium",
        (20,),
        ("LDC",),
        f"1,770 to pick from; {_HALVES}",
        f"{_REST} The measure is not said: Euclidean on local binary patterns.",
        "XM2VTS (licensed): `xm2vts.npz` (D or X, and y), or a folder `xm2vts` with one of faces a person",
    ),
    "MNIST": PaperSet(
        lambda: vectors("mnist", "mnist_784", n_train=60_000),
        _two_percent,
        "large",
        _LARGE_KS,
        ("1-NN", "QDC"),
        "98 % of the training part to pick from, 2 % trains; the standard test part",
        "",
        "`mnist.npz` (X, y), or a connection to OpenML",
    ),
    "SVHN1": PaperSet(
        svhn1,
        _two_percent,
        "large",
        _LARGE_KS,
        ("1-NN", "QDC"),
        "98 % of the training part to pick from, 2 % trains; the standard test part",
        _GREY,
        "`train_32x32.mat` and `test_32x32.mat` of SVHN, or a connection to get them, or `svhn_grey.npz`",
    ),
    "Fashion-MNIST": PaperSet(
        lambda: vectors("fashion_mnist", "Fashion-MNIST", n_train=60_000),
        _two_percent,
        "large",
        _LARGE_KS,
        ("1-NN", "QDC"),
        "as MNIST",
        "Not in the paper.",
        "`fashion_mnist.npz` (X, y), or a connection to OpenML",
    ),
    "SVHN2": PaperSet(
        svhn2,
        _tenth_of_extra,
        "huge",
        (10, 20, 30),
        ("1-NN", "QDC"),
        "all 531,131 of the extra part to pick from, a random tenth of them trains; the standard test part",
        f"{_GREY} How often it was repeated is not said.",
        "`extra_32x32.mat` and `test_32x32.mat` of SVHN (1.4 GB), or a connection to get them",
    ),
    "YouTube": PaperSet(
        youtube,
        _four_fifths,
        "huge",
        (10, 20, 30),
        ("1-NN", "QDC"),
        "80 % to pick from, a twentieth of them trains; 20 % tests",
        "Which video of a person was taken is not said: the longest. The descriptors are those of the "
        "database, not computed anew. The text trains with 0.05 % of the objects, but its Table 4 with "
        "12,358, which is 5 %.",
        "YouTube Faces (licensed): the folder `descriptors_DB` in a folder `youtube_faces`",
    ),
}


@functools.lru_cache(maxsize=1)
def objects(name: str) -> Objects:
    """Return a data set."""
    return SETS[name].read()
