"""What the page of the paper's experiments is made of: cells, tests, exponents, claims."""

import json

import numpy as np
import pytest
from scipy import stats

from benchmarks.paper import claim, published, results, table_complexity
from benchmarks.paper.claim import HELD, NOT_HELD, NOT_TESTABLE, UNDECIDED, Claim, Comparison
from benchmarks.paper.claims import all_claims
from benchmarks.paper.methods import GENETIC, HASHED, METHODS, fitter, genetic_params
from benchmarks.paper.paired import Test as PairedTest
from benchmarks.paper.paired import holm, paired
from benchmarks.paper.sessions import OtherMachineError, Session, sessions
from benchmarks.paper.sets import SETS
from benchmarks.paper.settings import FULL, QUICK
from benchmarks.space import Task
from benchmarks.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.json")


def fill(store, set_name, method, errors, k=20, seconds=1.0, **more):
    for repeat, found in enumerate(errors):
        store.put(
            {"errors": dict.fromkeys(("1-NN", "LDC", "QDC"), found), "seconds": seconds, **more},
            set_name,
            k,
            method,
            repeat,
        )


def test_a_store_goes_on_where_it_ended(store, tmp_path):
    store.put({"seconds": 1.5}, "MNIST", 10, "FFT", 0)
    again = Store(tmp_path / "results.json")
    assert again.has("MNIST", 10, "FFT", 0)
    assert again.get("MNIST", 10, "FFT", 0) == {"seconds": 1.5}
    assert not again.has("MNIST", 10, "FFT", 1)


def test_full_setting_has_the_repeats_of_the_paper():
    diabetes, mnist = list(FULL.cells("Diabetes")), list(FULL.cells("MNIST"))
    assert {cell.repeat for cell in diabetes} == set(range(30))
    assert {cell.k for cell in diabetes} == {20}
    assert {cell.repeat for cell in mnist} == set(range(10))
    assert {cell.k for cell in mnist} == {10, 20, 30, 40}


def test_forward_selection_is_not_run_on_large_sets():
    assert "FS" in {cell.method for cell in FULL.cells("Pendigits")}
    assert "FS" not in {cell.method for cell in FULL.cells("MNIST")}


def test_what_the_quick_setting_runs_is_part_of_the_full_one():
    for set_name in SETS:
        assert set(QUICK.cells(set_name)) <= set(FULL.cells(set_name))


def test_parameters_are_those_of_the_paper():
    assert genetic_params("GA sup", "medium")["n_generations"] == 25
    assert genetic_params("GA (clust) sup", "medium")["n_generations"] == 20
    assert genetic_params("GA sup", "large")["n_generations"] == 20
    assert genetic_params("GA sup", "medium")["mutation_rate"] == 0.02
    assert genetic_params("GA sup", "large")["mutation_rate"] == 0.1


@pytest.mark.parametrize("method", [name for name in METHODS + HASHED if name != "Auto"])
def test_every_method_picks(method, integer_data):
    X, y = integer_data
    selector = fitter(method, "medium")(Task(X, y, 4, 0, "euclidean", None))
    assert len(set(selector.prototype_indices_.tolist())) == 4


def test_pairs_are_of_repeats_that_both_have(store):
    fill(store, "Diabetes", "FFT", [0.1, 0.2, 0.3])
    fill(store, "Diabetes", "Random", [0.2, 0.4])
    found = results.Results(store).pairs("Diabetes", [20], ["FFT", "Random"], results.error("LDC"))
    np.testing.assert_allclose(found, [[0.1, 0.2], [0.2, 0.4]])


def test_pairs_are_means_over_numbers_of_prototypes(store):
    fill(store, "MNIST", "FFT", [0.1], k=10)
    fill(store, "MNIST", "FFT", [0.3], k=20)
    found = results.Results(store).pairs("MNIST", [10, 20], ["FFT"], results.error("1-NN"))
    np.testing.assert_allclose(found, [[0.2]])


def test_no_pairs_where_a_number_of_prototypes_is_missing(store):
    fill(store, "MNIST", "FFT", [0.1, 0.2], k=10)
    found = results.Results(store).pairs("MNIST", [10, 20], ["FFT", "Random"], results.error("1-NN"))
    assert found.shape == (0, 2)


def test_the_paired_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 8))
    found = paired(first, second)
    assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert found.low < found.difference < found.high


def test_equal_values_are_no_difference():
    assert paired(np.ones(3), np.ones(3)).p == 1.0
    assert paired(np.ones(1), np.zeros(1)) is None


def test_holm_adjusts_step_by_step():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def compared(difference, p, reach=0.0, **how):
    return Comparison("a < b", PairedTest(difference, difference - reach, difference + reach, p, 5), **how)


@pytest.mark.parametrize(
    ("comparisons", "verdict"),
    [
        ([], NOT_TESTABLE),
        ([compared(-0.1, 0.01)], HELD),
        ([compared(0.1, 0.01)], NOT_HELD),  # significant, but the other way
        ([compared(-0.1, 0.2)], UNDECIDED),
        ([compared(0.1, 0.2)], UNDECIDED),
        ([compared(-0.1, 0.03), compared(-0.1, 0.04)], UNDECIDED),  # each alone would do
        ([compared(-0.1, 0.001), compared(-0.1, 0.6)], UNDECIDED),
        ([compared(-0.1, 0.001), compared(0.1, 0.001)], NOT_HELD),
    ],
)
def test_what_must_be_lower(comparisons, verdict):
    assert Claim("says", "where", comparisons).verdict() == verdict


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (compared(0.001, 0.9, 0.002, must_be_lower=False), HELD),  # the interval ends below a point
        (compared(-0.1, 0.01, 0.01, must_be_lower=False), HELD),
        (compared(0.001, 0.9, 0.05, must_be_lower=False), UNDECIDED),  # no rise found, but a large one fits
        (compared(0.05, 0.01, 0.01, must_be_lower=False), NOT_HELD),
        (compared(np.log(1.1), 0.2, 0.1, must_be_lower=False, ratio=True), HELD),
        (compared(np.log(1.1), 0.2, 0.5, must_be_lower=False, ratio=True), UNDECIDED),
    ],
)
def test_what_must_not_be_higher(comparison, verdict):
    assert Claim("says", "where", [comparison]).verdict() == verdict


def test_a_clear_difference_is_found_in_the_store(store):
    fill(store, "Diabetes", "FFT", [0.1, 0.11, 0.12, 0.1])
    fill(store, "Diabetes", "Random", [0.3, 0.32, 0.31, 0.33])
    found = results.Results(store)
    (comparison,) = claim.compared(found, "Diabetes", "FFT", "Random", results.error("LDC"), "LDC")
    assert Claim("", "", [comparison]).verdict() == HELD
    (back,) = claim.compared(found, "Diabetes", "Random", "FFT", results.error("LDC"), "LDC")
    assert Claim("", "", [back]).verdict() == NOT_HELD


def test_without_results_no_claim_is_testable(store):
    for found in all_claims(results.Results(store)):
        assert found.verdict() == NOT_TESTABLE


def test_claims_take_up_what_there_is(store):
    rng = np.random.default_rng(0)
    for k in SETS["MNIST"].ks:
        for method in (*GENETIC, "Random", "FFT", "Kcentres"):
            shift = 0.2 if method == "Random" else 0.0
            fill(store, "MNIST", method, shift + 0.1 + rng.random(6) / 1000, k=k)
    first = all_claims(results.Results(store))[0]
    assert first.verdict() == HELD
    assert first.lacks == ["SVHN1"]
    assert len(first.comparisons) == len(GENETIC)


def test_an_exponent_is_a_slope_of_logarithms():
    n = np.array([10.0, 20.0, 40.0])
    fit = table_complexity.exponent(n, 3 * n**2)
    assert fit.exponent == pytest.approx(2)
    assert fit.error == pytest.approx(0, abs=1e-6)


def test_bounds_come_from_the_fastest_growing_term():
    bounds = {
        (line.situation, line.algorithm, line.axis): table_complexity.bound(line)
        for line in table_complexity.lines()
    }
    assert bounds["on demand, supervised", "GA with clusters", "n"] == pytest.approx(1)
    assert bounds["on demand, unsupervised", "GA with clusters", "n"] == pytest.approx(1)
    assert bounds["on demand, unsupervised", "GA without clusters", "n"] == pytest.approx(0)
    assert 2 < bounds["given, unsupervised", "fitness", "k"] < 2.5  # k² log k


def test_every_published_method_is_run():
    tables = published.PUBLISHED
    assert set(tables["medium"]["errors"]) <= set(METHODS)
    for name in ("SVHN2", "YouTube"):
        ran = {cell.method for cell in FULL.cells(name)}
        for errors in tables[name]["errors"].values():
            assert set(errors) <= ran
            assert all(len(row) == len(tables[name]["ks"]) for row in errors.values())


def test_times_of_two_machines_are_not_mixed(store):
    Session(store, "quick").keep()
    assert len(sessions(store)) == 1
    cells = json.loads(json.dumps(store.cells))
    cells["session | 0"]["machine"]["cpu"] = "another"
    store.cells = cells
    with pytest.raises(OtherMachineError, match="another machine"):
        Session(store, "quick")
