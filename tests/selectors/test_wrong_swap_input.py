"""Wrong parameters of swaps, of the automatic choice and of quotas are refused, with a way out."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from protopick import AutoSelector, GeneticSelector, SwapSelector, ldc, nearest_neighbor, pick
from protopick.criteria import CRITERIA

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = np.arange(30) % 3
SWAP, AUTO, GENETIC = SwapSelector(4), AutoSelector(4, estimator=nearest_neighbor()), GeneticSelector(4)
weighted_selectors = pytest.mark.parametrize(
    "selector", [SWAP, AUTO, GENETIC], ids=["swap", "auto", "genetic"]
)


def never(a, b):
    raise AssertionError("a dissimilarity was computed")


def refused(selector, *words, X=X, y=Y, fit_params=None, error=ValueError, **params):
    """Assert that fit raises an error with all of ``words``, and that an earlier fit stays."""
    fitted = clone(selector).set_params(random_state=0).fit(X, np.arange(len(X)) % 3)
    before = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    for candidate in (clone(selector).set_params(**params), fitted.set_params(**params)):
        with pytest.raises(error) as caught:
            candidate.fit(X, y, **(fit_params or {}))
        for word in words:
            assert word in str(caught.value)
    after = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    assert set(after) == set(before)
    assert all(after[name] is before[name] for name in before)
    assert fitted.transform(X).shape == (len(X), 4)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"criterion": "best"}, ["criterion='best'", "'auto'", *map(repr, CRITERIA)]),
        ({"criterion": None}, ["criterion=None", "Choose"]),
        ({"improvement": "second"}, ["improvement='second'", "'first' or 'best'"]),
        ({"init": "middle"}, ["init='middle'", "'random' or 'farthest-first'"]),
        ({"init": [1, 2, 3]}, ["init holds a set of 3", "n_prototypes=4", "Pass sets of 4"]),
        ({"init": [1, 2, 3, 3]}, ["init holds index 3 2 times", "each index once"]),
        ({"init": [1, 2, 3, 30]}, ["init holds index 30", "X has 30 objects", "from 0 to 29"]),
        ({"init": [1, 2, 3, -1]}, ["init holds index -1", "from 0 to 29"]),
        ({"init": [0.5, 1.5, 2.5, 3.5]}, ["init must be", "whole numbers"]),
        ({"init": [1, 2, 3, 4], "fixed": [9]}, ["init", "without the fixed index 9", "into each set"]),
        (
            {"init": [1, 2, 3, 4], "candidates": np.arange(3, 20)},
            ["init holds index 1", "Pass candidates only"],
        ),
        ({"init": [0, 3, 6, 9], "per_class": 1}, ["init", "does not keep per_class", "Pass sets that do"]),
        ({"n_restarts": -1}, ["n_restarts=-1", "whole number of at least 0"]),
        ({"n_restarts": 1.5}, ["n_restarts=1.5", "whole number"]),
        ({"init": [[1, 2, 3, 4], [5]]}, ["init holds sequences of several lengths", "flat list"]),
        ({"fixed": [1, [2, 3]]}, ["fixed holds sequences of several lengths", "flat list"]),
        ({"candidates": []}, ["candidates is empty", "Name at least one"]),
        ({"per_class": (0, 10**30)}, ["per_class=(0, 1000", "is not allowed", "a pair (low, high)"]),
        ({"max_candidates": -1}, ["max_candidates=-1", "whole number of at least 0", "'auto'"]),
        ({"max_candidates": "all"}, ["max_candidates='all'", "whole number of at least 0"]),
        ({"max_dissimilarities": -5}, ["max_dissimilarities=-5", "whole number of at least 0"]),
        ({"max_dissimilarities": 1e6}, ["max_dissimilarities=1000000.0", "whole number"]),
        ({"max_seconds": 0}, ["max_seconds=0", "above 0", "None for no limit"]),
        ({"max_seconds": -1.0}, ["max_seconds=-1.0", "above 0"]),
        ({"max_seconds": "soon"}, ["max_seconds='soon'", "above 0"]),
        ({"max_seconds": float("nan")}, ["max_seconds=nan", "above 0"]),
        ({"max_seconds": True}, ["max_seconds=True", "above 0"]),
        ({"evaluation": "guess"}, ["evaluation='guess'", "'auto' or 'exact' or 'racing'"]),
    ],
    ids=str,
)
def test_swap_parameters(params, words):
    refused(SWAP, *words, **params)


def test_labels_and_weights_of_several_lengths():
    refused(SWAP, "y holds sequences of several lengths", y=[[0, 1]] * 29 + [[0]])
    ragged = {"sample_weight": [[1.0, 1.0]] * 29 + [[1.0]]}
    refused(SWAP, "sample_weight holds sequences of several lengths", fit_params=ragged)


def test_weights_whose_sum_is_too_large():
    large = {"sample_weight": np.full(30, 1e308)}
    refused(SWAP, "sample_weight holds numbers up to 1e+308", "Divide all by a number", fit_params=large)


def test_no_candidates_for_any_number():
    for selector in (SWAP, AUTO):
        refused(selector, "candidates is empty", candidates=[], n_prototypes="auto")


def test_ways_out_name_what_else_is_allowed():
    refused(SWAP, "'auto'", max_candidates="all")
    refused(SWAP, "'random'", init=None)


@pytest.mark.parametrize("criterion", [name for name, c in CRITERIA.items() if c.needs_labels])
def test_supervised_criteria_need_labels(criterion):
    refused(SWAP, f"criterion={criterion!r}", "requires y", "fit(X, y)", criterion=criterion, y=None)
    refused(GENETIC, f"criterion={criterion!r}", "requires y", criterion=criterion, y=None)
    refused(SWAP, "at least 2 classes", "one class only", criterion=criterion, y=[7] * 30)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"time_limit": 0}, ["time_limit=0", "above 0", "None for no limit"]),
        ({"time_limit": "10s"}, ["time_limit='10s'", "above 0"]),
        ({"estimator": "ldc"}, ["estimator='ldc'", "scikit-learn classifier", "protopick.ldc()"]),
        ({"estimator": 3}, ["estimator=3", "scikit-learn classifier"]),
    ],
    ids=str,
)
def test_auto_parameters(params, words):
    refused(AUTO, *words, **params)


def test_a_class_is_no_estimator():
    refused(AUTO, "estimator=", "scikit-learn classifier", "protopick.ldc()", estimator=type(ldc()))


def test_a_regressor_is_no_classifier():
    refused(AUTO, "estimator=LinearRegression()", "classifier", estimator=LinearRegression())


def test_auto_needs_labels_for_an_estimator_and_two_classes():
    refused(AUTO, "estimator requires y", "fit(X, y)", y=None)
    refused(AUTO, "at least 2 classes", "one class only", y=["a"] * 30)


@pytest.mark.parametrize("polish", [None, 1, "yes"])
def test_polish(polish):
    refused(GENETIC, f"polish={polish!r}", "True or False", polish=polish)


@weighted_selectors
class TestPerClass:
    @pytest.mark.parametrize(
        "bad", [-1, 1.5, "one", True, (3, 1), (1, 2, 3), (1, "2"), {0: -1}, {0: "x"}], ids=str
    )
    def test_what_is_no_number_of_prototypes(self, selector, bad):
        refused(selector, f"per_class={bad!r}", "whole number", "pair (low, high)", "dict", per_class=bad)

    def test_an_unknown_label(self, selector):
        refused(selector, "per_class", "'cat'", "no object has", "0, 1, 2", per_class={"cat": 1})

    def test_more_than_there_are(self, selector):
        y = np.where(np.arange(30) < 2, 1, 0)
        refused(
            selector,
            "per_class",
            "3 prototypes of class 1",
            "only 2",
            "Ask for fewer.",
            per_class={1: 3},
            y=y,
        )
        refused(
            selector,
            "class 2",
            "only 1",
            "more candidates",
            per_class=2,
            candidates=[0, 3, 1, 4, 2, 6, 7],
            n_prototypes=6,
        )

    def test_more_fixed_than_allowed(self, selector):
        refused(selector, "class 0", "fixed holds 2", "fix fewer", per_class=(0, 1), fixed=[0, 3])

    def test_numbers_that_do_not_add_up(self, selector):
        refused(selector, "per_class=2", "6 to", "n_prototypes=4", "Change one", per_class=2)
        refused(selector, "per_class=(1, 1)", "3 to 3", "n_prototypes=4", per_class=(1, 1))

    def test_labels_missing(self, selector):
        params = {"estimator": None} if isinstance(selector, AutoSelector) else {}
        refused(selector, "per_class requires y", "fit(X, y)", per_class=1, y=None, **params)


@weighted_selectors
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(29), ["(29,)", "X has 30 objects", "one number for each object"]),
        (np.ones((30, 2)), ["(30, 2)", "1D array"]),
        (["heavy"] * 30, ["sample_weight", "one number for each"]),
        (np.r_[-1.0, np.ones(29)], ["sample_weight holds -1", "from 0 on"]),
        (np.r_[np.nan, np.ones(29)], ["sample_weight holds nan", "finite"]),
        (np.r_[np.inf, np.ones(29)], ["sample_weight holds inf", "finite"]),
        (np.zeros(30), ["sample_weight is 0 for all", "at least one non-zero"]),
    ],
    ids=["short", "two columns", "text", "negative", "missing", "infinite", "all zero"],
)
def test_weights(selector, weights, words):
    refused(selector, *words, fit_params={"sample_weight": weights})


@pytest.mark.parametrize(
    ("selector", "params"),
    [
        (SWAP, {"init": [1, 2, 3, 99]}),
        (SWAP, {"n_restarts": -1}),
        (SWAP, {"per_class": 5}),
        (SWAP, {"max_seconds": 0, "n_pivots": 8}),
        (AUTO, {"time_limit": -1}),
        (AUTO, {"per_class": {"cat": 1}}),
        (AUTO, {"estimator": 3}),
    ],
    ids=str,
)
def test_nothing_is_computed_before_the_parameters_are_checked(selector, params):
    with pytest.raises(ValueError, match=next(iter(params))):
        clone(selector).set_params(metric=never, **params).fit(list(range(30)), Y)


def test_pick_names_the_methods():
    with pytest.raises(ValueError, match=r"method='swaps'.*'swap'"):
        pick(X, Y, 4, method="swaps")
