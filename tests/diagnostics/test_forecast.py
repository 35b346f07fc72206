import re
import time
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    forecast,
    qdc,
)
from protopick.diagnostics import cost as module

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 6)).astype(np.float32)
Y = RNG.integers(0, 3, 3000)


@pytest.mark.parametrize(
    "selector",
    [
        RandomSelector(7),
        FarthestFirstSelector(7),
        FarthestFirstSelector(7, subsample="auto"),
        FarthestFirstSelector(7, subsample=0.1, fixed=[4]),
        ForwardSelector(4),
        ForwardSelector(4, candidates=np.arange(50), fixed=[90]),
        GeneticSelector(5, criterion="label-match", n_pivots=16),
        FarthestFirstSelector(5, n_pivots=16),
        GeneticSelector(5, criterion="label-match", n_pivots=16, pivot_code="binary", clustered=False),
    ],
    ids=repr,
)
def test_exact_numbers_are_exact(selector):
    foreseen = forecast(selector, len(X), X[:500])
    selector.set_params(random_state=0).fit(X, Y)
    assert foreseen.n_dissimilarities == selector.n_dissimilarities_
    assert foreseen.exact or selector.get_params().get("pivot_code") == "binary"


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("memory", [1024, 1])
def test_the_genetic_algorithm_draws_what_was_foretold(clustered, memory):
    big = RNG.normal(size=(60000, 3)).astype(np.float32)
    selector = GeneticSelector(
        5, criterion="label-match", clustered=clustered, evaluation="exact", random_state=3
    )
    with sklearn.config_context(working_memory=memory):
        foreseen = forecast(selector, len(big), big[:1000])
        selector.fit(big, np.arange(60000) % 3)
    if memory == 1024:  # nothing is computed twice, whatever the values
        assert selector.n_dissimilarities_ <= foreseen.n_dissimilarities
        assert selector.n_dissimilarities_ > 0.95 * foreseen.n_dissimilarities
    assert selector.n_dissimilarities_ == pytest.approx(foreseen.n_dissimilarities, rel=0.2)


@pytest.mark.parametrize(
    "selector",
    [
        KCentersSelector(5),
        GeneticSelector(5),
        GeneticSelector(),
        AutoSelector(5),
        AutoSelector(5, n_pivots=16),
        AutoSelector(5, n_pivots=16, pivot_code="binary"),
    ],
    ids=repr,
)
def test_estimates_are_of_the_right_order(selector):
    foreseen = forecast(selector, len(X), X[:500])
    selector.set_params(random_state=0).fit(X, Y)
    assert not foreseen.exact
    assert 0.1 < foreseen.n_dissimilarities / selector.n_dissimilarities_ < 10


def test_time_follows_the_cost_of_a_dissimilarity():
    def slow(a, b):
        time.perf_counter_ns()
        for _ in range(2000):
            pass
        return abs(a - b)

    numbers = list(range(500))
    quick = forecast(FarthestFirstSelector(5, metric=lambda a, b: abs(a - b)), 10**6, numbers)
    costly = forecast(FarthestFirstSelector(5, metric=slow), 10**6, numbers)
    assert costly.seconds > 3 * quick.seconds > 0
    assert forecast(FarthestFirstSelector(5), 10**6).seconds is None


def test_it_reads_well_and_leaves_the_selector_alone():
    selector = GeneticSelector(20, criterion="label-match", random_state=0)
    text = str(forecast(selector, 58800, X))
    assert re.fullmatch(r"about [\d,]+ dissimilarities, [\d,]+ MB beyond the input, about [\d.e-]+ s", text)
    assert not hasattr(selector, "n_features_in_")


@pytest.mark.parametrize("n", [1.5, 0, "1000", True])
def test_the_number_of_objects_is_a_whole_number(n):
    with pytest.raises(ValueError, match=r"n=.* is not allowed. Pass a whole number of at least 1"):
        forecast(FarthestFirstSelector(2), n)


def test_objects_in_the_place_of_their_number_are_told():
    with pytest.raises(ValueError, match=r"n=array.*how many objects there will be; .*as sample"):
        forecast(FarthestFirstSelector(2), X)


@pytest.mark.parametrize(
    "selector", ["swap", SwapSelector, make_pipeline(SwapSelector(3), qdc()), qdc(), None], ids=repr
)
def test_what_is_no_selector_is_refused(selector):
    with pytest.raises(
        TypeError, match=r"selector=.* is not allowed\. Pass a selector.*of a pipeline the step"
    ):
        forecast(selector, 100)


def test_auto_needs_a_sample():
    with pytest.raises(ValueError, match="needs a sample"):
        forecast(FarthestFirstSelector(), 1000)


def test_a_fit_of_more_than_an_hour_warns_and_says_what_to_change(monkeypatch):
    monkeypatch.setattr(module, "_HOUR", 1e-4)
    monkeypatch.setattr(module, "_PROBED_ABOVE", {True: 0, False: 0})
    with pytest.warns(UserWarning, match=r"dissimilarities, which take about .* Pass n_pivots=64") as said:
        FarthestFirstSelector(4, metric=lambda a, b: abs(a - b), random_state=0).fit(list(range(90)))
    assert said[0].filename == __file__


def test_a_fit_of_more_memory_than_there_is_warns(monkeypatch):
    monkeypatch.setattr(module, "_physical_memory", lambda: 1000)
    with pytest.warns(UserWarning, match=r"GB beyond the input, but the machine has") as said:
        FarthestFirstSelector(4, random_state=0).fit(X)
    assert said[0].filename == __file__


def test_an_ordinary_fit_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FarthestFirstSelector(4, random_state=0).fit(X)
