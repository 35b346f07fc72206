"""Surnames and molecules, by edit distance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from sklearn.metrics import balanced_accuracy_score

from benchmarks import space
from benchmarks.data import Objects, load
from benchmarks.objects.line import Line
from benchmarks.quality.data import split
from benchmarks.space import CLASSIFIERS
from benchmarks.speed.clock import best
from protopick import AutoSelector, GeneticSelector, RandomSelector, SwapSelector

SETS = {"surnames": "strings_names18", "HIV": "strings_smiles_HIV", "BBBP": "strings_smiles_BBBP"}
K, PIVOTS, SPLITS = 20, 64, 20


def lines() -> Iterator[Line]:
    for name, file in SETS.items():
        data = load(file)
        objects = Objects(data["X"], data["y"], "levenshtein")
        yield from _cost(f"{name} ({len(objects):,})", objects)
        if name != "surnames":
            yield from _errors(name, objects)
        if name == "HIV":  # of which 3.5 % are of one class
            yield from _errors_of_classes(name, objects)


def _cost(name: str, data: Objects) -> Iterator[Line]:
    """Count and time a fit against RapidFuzz alone for as many dissimilarities as are allowed."""
    common = {"metric": data.metric, "n_pivots": PIVOTS, "random_state": 0}
    selectors = {
        "GA (clust) sup": GeneticSelector(K, criterion="label-match", **common),
        "swaps": SwapSelector(K, **common),
        "Auto": AutoSelector(K, **common),
    }
    n, allowed = len(data), PIVOTS + 2 * K
    texts = data.X.tolist()

    def alone() -> None:
        cdist(texts[:allowed], texts, scorer=Levenshtein.distance, dtype=np.uint16, workers=-1)

    for method, selector in selectors.items():
        ours, theirs = best(
            lambda s=selector: s.fit(data.X, data.y), alone, repeats=2 if method == "Auto" else 15
        )
        count, is_genetic = selector.n_dissimilarities_ / n, method.startswith("GA")
        yield Line(
            f"{name}: {method}, {PIVOTS} pivots, dissimilarities of an object",
            f"{count:.1f}",
            f"{allowed}" if is_genetic else "",
            count <= allowed if is_genetic else None,
        )
        yield Line(
            f"{name}: {method} / RapidFuzz alone for {allowed} of each object",
            f"{ours / theirs:.1f}",
            "3" if is_genetic else "",
            ours <= 3 * theirs if is_genetic else None,
            f"{ours * 1e3:.0f} ms, {theirs * 1e3:.0f} ms",
        )


def _errors(name: str, data: Objects) -> Iterator[Line]:
    """Compare errors in the space with those of random prototypes."""
    found: dict[tuple[str, str], list[float]] = {}
    for seed in range(SPLITS):
        parts = split(data, seed)
        task = space.task(data, parts, K, seed)
        picked = {
            "random": task.fit(RandomSelector),
            "GA (clust) sup": task.fit(GeneticSelector, criterion="label-match", n_pivots=PIVOTS),
            "swaps": task.fit(SwapSelector, n_pivots=PIVOTS),
        }
        sets = {m: dict.fromkeys(CLASSIFIERS, s.prototype_indices_) for m, s in picked.items()}
        sets["Auto"] = {
            c: task.fit(AutoSelector, n_pivots=PIVOTS, estimator=make()).prototype_indices_
            for c, make in CLASSIFIERS.items()
        }
        for method, of_classifier in sets.items():
            for classifier, error in space.errors(data, parts, task.X, of_classifier).items():
                found.setdefault((method, classifier), []).append(error)
    yield from _beside_random(f"{name}: error of", found, f"with {PIVOTS} pivots")


def _errors_of_classes(name: str, data: Objects) -> Iterator[Line]:
    """Compare the mean of the errors of the classes, where as many prototypes are picked of each."""
    found: dict[tuple[str, str], list[float]] = {}
    for seed in range(SPLITS):
        parts = split(data, seed)
        task = space.task(data, parts, K, seed)
        rng, classes = np.random.default_rng(seed), np.unique(task.y)
        each = K // len(classes)
        drawn = [rng.choice(np.flatnonzero(task.y == c), each, replace=False) for c in classes]
        alike = {"per_class": (each, each), "n_pivots": PIVOTS}
        picked = {
            "random": task.fit(RandomSelector, fixed=np.concatenate(drawn)),
            "GA (clust) sup": task.fit(GeneticSelector, criterion="label-match", **alike),
            "swaps": task.fit(SwapSelector, **alike),
        }
        for method, selector in picked.items():
            of_classifier = dict.fromkeys(CLASSIFIERS, selector.prototype_indices_)
            measured = space.errors(data, parts, task.X, of_classifier, balanced_accuracy_score)
            for classifier, error in measured.items():
                found.setdefault((method, classifier), []).append(error)
    how = f"with {PIVOTS} pivots, as many prototypes of each class"
    yield from _beside_random(f"{name}: mean error of the classes,", found, how)


def _beside_random(title: str, found: dict[tuple[str, str], list[float]], how: str) -> Iterator[Line]:
    """Put the errors of methods beside those of random prototypes on the same splits."""
    for (method, classifier), errors in found.items():
        if method == "random":
            continue
        less = np.array(errors) - found["random", classifier]
        yield Line(
            f"{title} {classifier}, {method} {how}",
            f"{np.mean(errors):.4f}",
            f"below {np.mean(found['random', classifier]):.4f}",
            bool(np.mean(less) < 0),
            f"random; difference {less.mean():+.4f} ± {less.std(ddof=1) / np.sqrt(SPLITS):.4f}",
        )
