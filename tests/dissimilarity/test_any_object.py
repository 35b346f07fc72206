"""What holds for every kind of objects: all selectors, any number of jobs, any memory, before and after."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone

from protopick import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    Ragged,
    RandomSelector,
    forecast,
    intrinsic_dimension,
    weighted_sum,
)

N = 300
RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abcde"), size)) for size in RNG.integers(1, 12, N)]
LENGTHS = RNG.integers(5, 30, N)
OFFSETS = np.concatenate(([0], np.cumsum(LENGTHS)))
PEOPLE = pd.DataFrame(
    {
        "name": WORDS,
        "age": RNG.integers(1, 90, N).astype(float),
        "eyes": RNG.choice(["blue", "brown", "green"], N),
        "height": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(170, 10, N)),
    }
)
SUM = weighted_sum(
    {"name": ("levenshtein", 1.0), "age": ("euclidean", 0.1), ("eyes", "height"): ("gower", 3)}
)
OBJECTS = {
    "levenshtein": (WORDS, {}),
    "jaro_winkler": (np.array(WORDS), {}),
    "dtw": (Ragged(RNG.normal(size=OFFSETS[-1]), OFFSETS), {"window": 0.2}),
    "resampled_euclidean": (Ragged(RNG.normal(size=(OFFSETS[-1], 2)), OFFSETS), {"n_points": 30}),
    "mdf": (Ragged(RNG.normal(size=(OFFSETS[-1], 3)).astype(np.float32), OFFSETS), {}),
    "gower": (PEOPLE[["age", "eyes", "height"]], {}),
    "jaccard": ([set(word) for word in WORDS], {}),
    "tanimoto": (RNG.integers(0, 256, (N, 5), dtype=np.uint8), {}),
    "chi2": (RNG.random((N, 8)), {}),
    "hellinger": (RNG.random((N, 40)), {}),
    "wasserstein_1d": (RNG.random((N, 8)), {}),
    "weighted_sum": (PEOPLE, {}),
}
SELECTORS = [
    RandomSelector(4, random_state=0),
    FarthestFirstSelector(4, random_state=0),
    KCentersSelector(4, random_state=0),
    ForwardSelector(4, random_state=0),
    GeneticSelector(4, n_generations=4, random_state=0),
    GeneticSelector(4, criterion="label-match", n_generations=4, random_state=0),
    GeneticSelector(4, criterion="label-match", n_generations=4, n_pivots=16, random_state=0),
    GeneticSelector(4, n_generations=4, n_pivots=16, pivot_code="binary", random_state=0),
]
Y = np.arange(N) % 3
every_kind = pytest.mark.parametrize("name", OBJECTS)


def metric(name):
    return {"metric": SUM if name == "weighted_sum" else name, "metric_params": OBJECTS[name][1] or None}


@pytest.fixture(scope="module")
def matrices():
    """All dissimilarities of each kind."""
    return {
        name: RandomSelector(N, fixed=range(N), **metric(name)).fit_transform(X)
        for name, (X, _) in OBJECTS.items()
    }


@every_kind
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_the_same_prototypes_as_from_the_matrix(name, selector, matrices):
    X, D = OBJECTS[name][0], matrices[name]
    given = clone(selector).set_params(metric="precomputed").fit(D, Y)
    found = clone(selector).set_params(**metric(name)).fit(X, Y)
    np.testing.assert_array_equal(found.prototype_indices_, given.prototype_indices_)
    np.testing.assert_array_equal(found.transform(X), D[:, found.prototype_indices_])


@every_kind
def test_neither_jobs_nor_memory_change_anything(name, matrices):
    X = OBJECTS[name][0]
    selector = GeneticSelector(4, criterion="label-match", n_generations=4, random_state=0, **metric(name))
    reference = clone(selector).fit(X, Y)
    for n_jobs in (1, 2):
        with config_context(working_memory=1e-3):
            found = clone(selector).set_params(n_jobs=n_jobs).fit(X, Y)
            np.testing.assert_array_equal(found.transform(X), matrices[name][:, found.prototype_indices_])
        np.testing.assert_array_equal(found.prototype_indices_, reference.prototype_indices_)


@every_kind
def test_a_fitted_selector_can_be_stored(name):
    X = OBJECTS[name][0]
    selector = FarthestFirstSelector(3, random_state=0, **metric(name)).fit(X)
    copy = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(copy.transform(X), selector.transform(X))


@every_kind
def test_cost_and_dimension(name):
    X = OBJECTS[name][0]
    selector = FarthestFirstSelector(3, random_state=0, **metric(name))
    assert forecast(selector, N, X).n_dissimilarities == selector.fit(X).n_dissimilarities_
    assert intrinsic_dimension(X, **metric(name)) >= 1
    assert (
        len(GeneticSelector(random_state=0, n_generations=1, **metric(name)).fit(X).prototype_indices_) >= 2
    )


@pytest.mark.parametrize(
    "kind", [lambda frame: frame, pl.from_pandas, pa.table], ids=["pandas", "polars", "Arrow"]
)
def test_a_function_of_rows_of_a_frame_gets_the_columns_that_were_fitted(kind):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [5.0, 9, 0]})
    selector = FarthestFirstSelector(2, metric=lambda a, b: abs(a[1] - b[1]), random_state=0).fit(kind(frame))
    assert selector.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"columns \['b', 'a'\].*was fitted to \['a', 'b'\]"):
        selector.transform(kind(frame[["b", "a"]]))
