"""Every selector on the paper's kinds of data. Skipped where PROTOPICK_DATA does not point to them."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from benchmarks.objects.functions import levenshtein
from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    ldc,
    nearest_neighbor,
)

SUPERVISED = [
    GeneticSelector(criterion="label-match"),
    GeneticSelector(criterion="label-match", clustered=False),
    SwapSelector(criterion="label-match"),
]
SELECTORS = [
    RandomSelector(),
    FarthestFirstSelector(),
    KCentersSelector(),
    GeneticSelector(),
    GeneticSelector(clustered=False),
    *SUPERVISED,
]


def error(selector, classifier, part, train, test):
    """Pick on one part, learn in the dissimilarity space of the next, count errors on the last."""
    selector.fit(*part)
    indices = selector.prototype_indices_
    assert len(set(indices.tolist())) == selector.n_prototypes
    assert indices.max() < len(part[1])
    model = classifier().fit(selector.transform(train[0]), train[1])
    return 1 - model.score(selector.transform(test[0]), test[1])


def mean_errors(selectors, classifier, split, seeds=4):
    """Return the mean error of each selector over several splits and seeds."""
    errors = np.zeros(len(selectors))
    for seed in range(seeds):
        parts = split(np.random.default_rng(seed))
        for i, selector in enumerate(selectors):
            errors[i] += error(clone(selector).set_params(random_state=seed), classifier, *parts)
    return errors / seeds


def supervised_beat_random(selectors, classifier, split, seeds=4):
    errors = mean_errors([clone(s) for s in selectors], classifier, split, seeds)
    for selector, found in zip(selectors, errors, strict=True):
        if get_tags(selector).target_tags.required:
            assert found < errors[0], (selector, found, errors)


def vectors(X, y, sizes):
    def split(rng):
        order = rng.permutation(len(X))
        bounds = np.cumsum(sizes)
        return [(X[part], y[part]) for part in np.split(order, bounds)[: len(sizes)]]

    return split


def with_k(selectors, k, **params):
    return [clone(s).set_params(n_prototypes=k, **params) for s in selectors]


def test_pendigits(real_data):
    data = real_data("pendigits.npz")
    split = vectors(data["X"], data["y"], (5000, 1000, 4992))
    selectors = with_k([*SELECTORS[:-3], ForwardSelector(candidates=np.arange(500)), *SUPERVISED], 10)
    supervised_beat_random(selectors, ldc, split)


def test_mnist(real_data):
    data = real_data("mnist.npz")
    X = data["X"].reshape(70000, -1).astype(np.float32)
    split = vectors(X, data["y"], (20000, 1500, 3000))
    supervised_beat_random(with_k(SELECTORS, 10), nearest_neighbor, split, seeds=3)


def test_asymmetric_non_metric_matrix(real_data):
    data = real_data("D_chickenpieces_20_60.npz")
    D, y = data["D"], data["y"]
    assert (D != D.T).any()

    def split(rng):
        pick, train, test = np.split(rng.permutation(446), [200, 320])
        return [(D[np.ix_(part, pick)], y[part]) for part in (pick, train, test)]

    selectors = with_k([*SELECTORS[:-3], ForwardSelector(), *SUPERVISED], 10, metric="precomputed")
    supervised_beat_random(selectors, ldc, split, seeds=8)


MATRICES = ["D_chickenpieces_20_60", "D_gpcr283", "D_protein213", "D_catcortex65"]


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("selector", [*SELECTORS, ForwardSelector(), AutoSelector()], ids=repr)
def test_every_selector_on_every_matrix(real_data, name, selector):
    data = real_data(f"{name}.npz")
    selector = clone(selector).set_params(n_prototypes=5, metric="precomputed", random_state=0)
    space = selector.fit(data["D"], data["y"]).transform(data["D"])
    np.testing.assert_array_equal(space, data["D"][:, selector.prototype_indices_])
    assert len(set(selector.prototype_indices_.tolist())) == 5


def test_molecules_as_strings(real_data):
    data = real_data("strings_smiles_BBBP.npz")

    def split(rng):
        train, test = np.array_split(rng.permutation(len(data["X"])), 2)
        train, test = ((data["X"][part], data["y"][part]) for part in (train, test))
        return train, train, test

    selectors = [RandomSelector(), GeneticSelector(criterion="label-match")]
    supervised_beat_random(with_k(selectors, 20, metric="levenshtein"), ldc, split, seeds=5)


def one_class_is_told():
    return pytest.warns(UserWarning, match="are of class 0, like 39,678 of 41,120 objects")


@pytest.mark.parametrize("name", ["names18", "smiles_BBBP", "smiles_HIV"])
def test_strings_within_the_budget(real_data, name):
    data = real_data(f"strings_{name}.npz")
    selector = GeneticSelector(20, criterion="label-match", n_pivots=64, metric="levenshtein", random_state=0)
    with one_class_is_told() if name == "smiles_HIV" else nullcontext():
        selector.fit(data["X"], data["y"])
    assert selector.n_dissimilarities_ <= (64 + 2 * 20) * len(data["X"])


def test_strings_by_a_function_of_a_pair(real_data):
    data = real_data("strings_names18.npz")
    rng = np.random.default_rng(0)
    some = rng.choice(len(data["X"]), 2000, replace=False)
    X, y = [str(name) for name in data["X"][some]], data["y"][some]
    assert len(X) == 2000
    selectors = with_k(SELECTORS, 5, metric=levenshtein, candidates=np.arange(1000))
    for selector in selectors:
        if isinstance(selector, (GeneticSelector, KCentersSelector, SwapSelector)):
            selector.set_params(n_pivots=16)
        selector.set_params(random_state=0).fit(X, y)
        assert len(set(selector.prototype_indices_.tolist())) == 5
        assert selector.prototypes_ == [X[i] for i in selector.prototype_indices_]
        assert selector.n_dissimilarities_ <= 16 * 2000

    def error(selector, seed):
        space = selector.set_params(random_state=seed).fit(X, y).transform(X)
        return 1 - nearest_neighbor().fit(space[:1000], y[:1000]).score(space[1000:], y[1000:])

    random, *supervised = [
        np.mean([error(selector, seed) for seed in range(5)]) for selector in (selectors[0], *selectors[-2:])
    ]
    assert max(supervised) < random


@pytest.mark.parametrize("code", ["dissimilarity", "binary"])
def test_pivots_on_pendigits(real_data, code):
    data = real_data("pendigits.npz")
    split = vectors(data["X"], data["y"], (5000, 1000, 4992))
    selectors = with_k([RandomSelector()], 10) + with_k(SUPERVISED, 10, n_pivots=64, pivot_code=code)
    errors = mean_errors(selectors, ldc, split)
    assert (errors[1:] < errors[0] + (0 if code == "dissimilarity" else 0.02)).all(), errors
