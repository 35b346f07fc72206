"""Wrong input is refused before any work, by an error that names parameter, value and way out."""

import numpy as np
import pytest
from sklearn.base import clone

from protopick import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    batch_metric,
    intrinsic_dimension,
    pick,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = np.arange(30) % 3
SELECTORS = [
    RandomSelector(4),
    FarthestFirstSelector(4),
    KCentersSelector(4),
    ForwardSelector(4),
    GeneticSelector(4),
    GeneticSelector(4, criterion="label-match"),
]
every_selector = pytest.mark.parametrize("selector", SELECTORS, ids=repr)


def refused(selector, *words, X=X, y=Y, error=ValueError, **params):
    """Assert that fit raises an error whose message holds all of ``words``."""
    selector = clone(selector).set_params(**params)
    with pytest.raises(error) as caught:
        selector.fit(X, y)
    for word in words:
        assert word in str(caught.value)
    assert not hasattr(selector, "prototype_indices_")


@every_selector
def test_more_prototypes_than_candidates(selector):
    refused(selector, "n_prototypes=31", "30", "Pass at most 30", n_prototypes=31)
    refused(selector, "n_prototypes=4", "Pass at most 3, or allow more candidates", candidates=[1, 2, 3])


@every_selector
@pytest.mark.parametrize("k", [0, -3, 2.5, "many", None, True])
def test_a_number_of_prototypes_that_is_none(selector, k):
    refused(selector, f"n_prototypes={k!r}", "whole number of at least 1", n_prototypes=k)


@every_selector
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_and_infinite_values(selector, bad):
    spoilt = X.copy()
    spoilt[3, 1] = bad
    refused(selector, "X contains", X=spoilt)


@every_selector
def test_labels_of_the_wrong_length(selector):
    refused(selector, "y has 29 labels", "X has 30 objects", "one label for each", y=Y[:-1])


@pytest.mark.parametrize(
    "selector",
    [GeneticSelector(4, criterion="label-match"), ForwardSelector(4), RandomSelector(4, stratified=True)],
    ids=repr,
)
class TestSupervised:
    def test_labels_missing(self, selector):
        refused(selector, "requires y to be passed", "fit(X, y)", y=None)

    def test_one_class_only(self, selector):
        refused(selector, "at least 2 classes", "one class only", "'a'", y=["a"] * 30)

    def test_labels_that_cannot_be_compared(self, selector):
        refused(selector, "y", y=np.array([1, "a", None] * 10, dtype=object))

    def test_continuous_labels(self, selector):
        refused(selector, "continuous", y=RNG.normal(size=30))

    def test_labels_in_two_columns(self, selector):
        refused(selector, "y should be a 1d array", "(30, 2)", y=np.stack([Y, Y], axis=1))


@every_selector
class TestPrecomputed:
    def test_not_square(self, selector):
        refused(selector, "precomputed", "(30, 3)", "square matrix", metric="precomputed")

    def test_negative(self, selector):
        D = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
        D[4, 7] = -1
        refused(selector, "precomputed", "X[4, 7] is -1.0", "s.max() - s", X=D, metric="precomputed")

    @pytest.mark.parametrize(("dtype", "low"), [(np.float64, -4e-14), (np.float32, -2e-5)])
    def test_what_is_negative_by_rounding_is_zero(self, selector, dtype, low):
        D = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0))).astype(dtype)
        zeros = clone(selector).set_params(metric="precomputed", random_state=0).fit(D, Y)
        D[np.diag_indices(30)] = low
        before = D.copy()
        found = clone(selector).set_params(metric="precomputed", random_state=0).fit(D, Y)
        np.testing.assert_array_equal(found.prototype_indices_, zeros.prototype_indices_)
        assert found.transform(D).min() == 0
        np.testing.assert_array_equal(D, before)
        refused(selector, "X[0, 0] is -", X=10 * D - np.diag(np.full(30, 1e-3)), metric="precomputed")

    def test_negative_in_transform(self, selector):
        D = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
        fitted = clone(selector).set_params(metric="precomputed").fit(D, Y)
        D[4, 7] = -1
        with pytest.raises(ValueError, match=r"X\[4, 7\] is -1.0"):
            fitted.transform(D)

    def test_missing(self, selector):
        D = np.ones((30, 30))
        D[4, 7] = np.nan
        refused(selector, "NaN", X=D, metric="precomputed")

    def test_transform_of_another_width(self, selector):
        D = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
        fitted = clone(selector).set_params(metric="precomputed").fit(D, Y)
        with pytest.raises(ValueError, match="29 features"):
            fitted.transform(D[:, :29])


USES_DISSIMILARITIES = [s for s in SELECTORS if not isinstance(s, RandomSelector)]


@pytest.mark.parametrize("selector", USES_DISSIMILARITIES, ids=repr)
class TestFunctions:
    def test_batch_of_the_wrong_shape(self, selector):
        @batch_metric
        def flat(A, B):
            return np.zeros(len(A) * len(B))

        refused(selector, "flat", "shape", "expected", "one row for each", metric=flat)

    @pytest.mark.parametrize("value", [np.nan, -1.0, np.inf])
    def test_batch_of_bad_values(self, selector, value):
        @batch_metric
        def bad(A, B):
            return np.full((len(A), len(B)), value)

        refused(selector, "metric=", "for the pair", "a finite number of 0 or more", metric=bad)

    @pytest.mark.parametrize("value", [np.nan, -1.0, None])
    def test_pair_of_bad_values(self, selector, value):
        def bad(a, b):
            return value

        refused(selector, "metric=", "bad", metric=bad)

    @pytest.mark.parametrize("value", ["3", 1j, None], ids=repr)
    def test_what_is_no_number_is_shown_with_its_pair(self, selector, value):
        def bad(a, b):
            return value

        refused(selector, f"returned {value!r} for the pair array([", "expected one number", metric=bad)

    def test_what_the_function_raises_says_for_which_pair(self, selector):
        def bad(a, b):
            raise KeyError("left")

        with pytest.raises(KeyError, match="left") as caught:
            clone(selector).set_params(metric=bad).fit(X, Y)
        assert "bad for the pair array([" in caught.value.__notes__[0]

    def test_batches_of_other_than_real_numbers(self, selector):
        @batch_metric
        def bad(A, B):
            return np.zeros((len(A), len(B)), complex)

        refused(selector, "bad", "complex128", "real numbers", metric=bad)

    def test_what_is_negative_by_rounding_is_zero(self, selector):
        def cosine(a, b):
            return 1 - (a / np.linalg.norm(a)) @ (b / np.linalg.norm(b))

        assert min(cosine(a, a) for a in X) < 0
        found = clone(selector).set_params(metric=cosine).fit(X, Y)
        assert found.transform(X).min() == 0

    def test_pair_that_returns_an_array(self, selector):
        def several(a, b):
            return a - b

        refused(selector, "several", "expected one number", "@batch_metric", metric=several)


@every_selector
@pytest.mark.parametrize("params", [3, [], "p=3"], ids=repr)
def test_parameters_of_a_metric_that_are_no_dict(selector, params):
    refused(selector, f"metric_params={params!r}", "Pass a dict", metric_params=params)


@every_selector
@pytest.mark.parametrize("verbose", ["a", -1, 1.5, None], ids=repr)
def test_a_wrong_verbose(selector, verbose):
    refused(selector, f"verbose={verbose!r}", "whole number of at least 0", verbose=verbose)


@pytest.mark.parametrize("method", ["random", "farthest-first", "k-centers", "forward"])
def test_weights_for_a_method_that_takes_none(method):
    with pytest.raises(
        ValueError, match=f"sample_weight is passed, but method='{method}' takes none. Choose 'auto'"
    ):
        pick(X, Y, 3, method=method, sample_weight=np.ones(len(X)))


@every_selector
def test_unknown_metric_suggests_the_nearest_names(selector):
    refused(selector, "metric='euclidian'", "Did you mean 'euclidean'", metric="euclidian")
    refused(selector, "metric='xyzzy'", "Allowed are", metric="xyzzy")


@every_selector
def test_unknown_metric_parameter(selector):
    refused(selector, "metric_params", "'q'", "'p', 'w'", metric="minkowski", metric_params={"q": 3})
    refused(selector, "takes 'tf32'", metric="euclidean", metric_params={"p": 3})


@every_selector
def test_no_objects(selector):
    refused(selector, "0 sample(s)", X=np.empty((0, 3)), y=[])
    refused(selector, "X has 0 objects", X=[], y=[], metric=lambda a, b: 0)


@every_selector
@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_text_with_a_metric_of_numbers(selector, kind):
    refused(selector, "X holds text", "metric=f", "@batch_metric", X=kind([f"word {i}" for i in range(30)]))


@every_selector
def test_a_string_is_no_collection(selector):
    refused(selector, "X must be a collection", X="word", metric=lambda a, b: 0, error=TypeError)


@every_selector
@pytest.mark.parametrize("X", [{"a", "b", "c", "d", "e"}, {i: i for i in range(9)}], ids=["set", "dict"])
def test_sets_and_mappings_have_no_order(selector, X):
    refused(
        selector, "X must be a collection", X=X, y=None, metric=lambda a, b: 0, error=(TypeError, ValueError)
    )


def test_a_wrong_start_is_refused_before_the_pivots_are_computed():
    def never(a, b):
        raise AssertionError("a dissimilarity was computed")

    selector = GeneticSelector(4, metric=never, n_pivots=8, init=[1, 2, 3, 99])
    refused(selector, "init holds index 99", X=list(range(30)))
    refused(selector, "several sizes", X=list(range(30)), init=[[1, 2, 3, 4], [1, 2]])


@every_selector
@pytest.mark.parametrize("name", ["candidates", "fixed"])
def test_bad_indices(selector, name):
    refused(selector, f"{name} holds index 30", "X has 30 objects", **{name: [0, 1, 2, 3, 30]})
    refused(selector, f"{name} holds index -1", **{name: [0, 1, 2, 3, -1]})
    refused(selector, f"{name} holds index 2 2 times", "each index once", **{name: [0, 1, 2, 2]})
    refused(selector, name, "whole numbers", **{name: [0.5, 1.5, 2.5, 3.5]})


@every_selector
def test_more_fixed_than_prototypes(selector):
    refused(selector, "n_prototypes=4", "fixed prototypes, 5", "Pass at least 5", fixed=[0, 1, 2, 3, 4])


def test_clusters_need_distinct_objects():
    same = np.ones((30, 3))
    refused(GeneticSelector(4), "Clusters need", "n_prototypes=4", "clustered=False", X=same)
    few = np.repeat(np.eye(3), 10, axis=0)
    refused(GeneticSelector(4), "n_prototypes=4", "equal one of 3", X=few)
    assert len(set(GeneticSelector(4, clustered=False).fit(few).prototype_indices_)) == 4
    assert len(np.unique(few[GeneticSelector(3).fit(few).prototype_indices_], axis=0)) == 3


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"criterion": "best"}, "'spanning-tree' or 'label-match'"),
        ({"population_size": 0}, "at least 1"),
        ({"n_generations": -1}, "at least 0"),
        ({"crossover_rate": 1.5}, "from 0 to 1"),
        ({"mutation_rate": "high"}, "from 0 to 1"),
        ({"pivot_code": "ternary"}, "'dissimilarity' or 'binary'"),
        ({"n_pivots": 0}, "at least 1"),
        ({"n_pivots": 31}, "n_pivots=31 is above the number of objects, 30"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"init": [1, 2, 3]}, "Pass sets of 4"),
        ({"init": "random"}, "init='random' holds no sets. Pass 4 indices"),
        ({"init": np.zeros((2, 2, 4), int)}, "holds no sets"),
        ({"init": RandomSelector(4)}, "holds no sets"),
        ({"init": [1, 2, 3, 99]}, "init holds index 99"),
        ({"init": [[1, 2, 3, 4]] * 21}, "population_size=20"),
        ({"init": [1, 2, 3, 4], "fixed": [9]}, "without the fixed index 9"),
        ({"init": [1, 2, 3, 4], "candidates": np.arange(3, 20)}, "index 1, which is not in candidates"),
    ],
)
def test_genetic_parameters(params, word):
    refused(GeneticSelector(4), next(iter(params)), word, **params)


def test_other_parameters():
    refused(FarthestFirstSelector(4), "subsample=-2", "share", subsample=-2)
    refused(FarthestFirstSelector(4), "subsample=1.5", subsample=1.5)
    refused(KCentersSelector(4), "n_init=0", n_init=0)
    refused(KCentersSelector(4), "max_iter=0", max_iter=0)
    with pytest.raises(ValueError, match=r"method='magic'.*'farthest-first'"):
        pick(X, method="magic")
    with pytest.raises(ValueError, match=r"haversine.*2 columns"):
        intrinsic_dimension(X, "haversine")
