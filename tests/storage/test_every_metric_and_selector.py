"""Whatever is registered can be saved; who adds a metric or a selector need not touch `protopick.storage`."""

import numpy as np
import pytest
from scipy import sparse

from protopick import FarthestFirstSelector, Ragged, RandomSelector, load, save
from protopick.dissimilarity import METRICS, Dissimilarity
from protopick.selectors import METHODS
from protopick.storage.classes import own_classes
from tests.storage.same import same

RNG = np.random.default_rng(7)
N = 60
OFFSETS = np.concatenate(([0], np.cumsum(RNG.integers(3, 9, N))))
WORDS = ["".join(RNG.choice(list("abcd"), size)) for size in RNG.integers(1, 9, N)]
SETS = [set(word) for word in WORDS]
SYMMETRIC = RNG.random((N, N)) + RNG.random((N, N)).T
VECTORS = [
    RNG.random((N, 2)),
    RNG.random((N, 90)).astype(np.float32) + 1,
    sparse.csr_array(RNG.random((N, 40)) * (RNG.random((N, 40)) < 0.2) + np.eye(N, 40)),
    RNG.integers(0, 2, (N, 70)).astype(bool),
    RNG.integers(0, 9, (N, 6)),
    RNG.integers(0, 256, (N, 5), dtype=np.uint8),
    RNG.integers(0, 2**63, (N, 2), dtype=np.uint64),
]
OBJECTS = {
    "vectors": VECTORS,
    "vectors or sets": [*VECTORS, SETS],
    "objects": [WORDS],
    "strings": [WORDS, np.array(WORDS)],
    "sets": [SETS],
    "series": [Ragged(RNG.random((OFFSETS[-1], 3)), OFFSETS), RNG.random((N, 7, 2)).astype(np.float32)],
    "table": [[[i % 7, word, None if i % 5 == 0 else i / 3] for i, word in enumerate(WORDS)]],
    "matrix": [SYMMETRIC],
}
PARAMS = {"minkowski": {"p": 1.5}, "dtw": {"window": 0.3}, "gower": {"weights": {0: 2.0}}}
LABELS = np.array(["one", "two", "three"])[np.arange(N) % 3]


def fitted_to(name, X):
    """Return a selector that is fitted to two thirds of the objects, or None where it takes no such."""
    some = X[:40] if METRICS[name].takes != "matrix" else X[:40, :40]
    selector = FarthestFirstSelector(4, metric=name, metric_params=PARAMS.get(name), random_state=0)
    try:
        return selector.fit(some)
    except (TypeError, ValueError):
        return None


@pytest.mark.filterwarnings("ignore:.*looks only at whether a number is 0")
@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_maps_new_objects_as_before(name, tmp_path):
    tried = 0
    for X in OBJECTS[METRICS[name].takes]:
        selector = fitted_to(name, X)
        if selector is None:
            continue
        new = X[40:] if METRICS[name].takes != "matrix" else X[40:, :40]
        loaded = load(save(selector, tmp_path / "model"))
        assert same(loaded.transform(new), selector.transform(new))
        assert same(loaded, selector)
        tried += 1
    assert tried, f"add objects that {name} takes to OBJECTS"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_selector_has_the_same_parameters_and_attributes_as_before(method, tmp_path):
    X = RNG.random((N, 3))
    selector = METHODS[method](5, random_state=0).fit(X, LABELS)
    loaded = load(save(selector, tmp_path / "model"))
    assert same(loaded, selector)
    assert same(loaded.get_params(), selector.get_params())
    assert same(loaded.transform(X), selector.transform(X))
    assert same(loaded.get_feature_names_out(), selector.get_feature_names_out())
    assert same(loaded.fit(X, LABELS).prototype_indices_, selector.prototype_indices_)


def test_no_two_classes_of_a_file_have_the_same_name():
    names = [kind.__name__ for kind in own_classes()]
    assert len(set(names)) == len(names)


def test_every_metric_and_selector_goes_by_its_name():
    kinds = {*METHODS.values(), *METRICS.values(), *_made_by_others(Dissimilarity)}
    assert kinds <= set(own_classes())


def _made_by_others(kind):
    """Return the dissimilarities of the package that have fields, also those without a name."""
    found = {sub for direct in kind.__subclasses__() for sub in (direct, *_made_by_others(direct))}
    return {
        sub
        for sub in found
        if sub.__module__.startswith("protopick.") and hasattr(sub, "__dataclass_fields__")
    }


def test_a_selector_with_fewer_parameters_than_others_is_not_confused(tmp_path):
    selector = RandomSelector(2, random_state=0).fit(RNG.random((9, 2)))
    assert "n_pivots" not in load(save(selector, tmp_path / "model")).get_params()
