import numpy as np
import pytest
from scipy import stats

from benchmarks.quality.data import SMALL, n_splits
from benchmarks.quality.figures import Cell, average_ranks, cells_of, equal_costs_of
from benchmarks.store import Store


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "results.json")
    for set_name in ("Letter", SMALL[0]):
        for method in ("Random", "Auto"):
            for seed in range(n_splits(set_name)):
                errors = dict.fromkeys(("1-NN", "LDC", "QDC"), 0.1 + 0.01 * seed)
                found.cells[f"{set_name} | 10 | {method} | {seed}"] = {"errors": errors, "seconds": 1.0}
    return found


def test_sets_with_few_objects_are_split_more_often(store):
    cells = cells_of(store)
    assert {cell.set_name for cell in cells} == {"Letter", SMALL[0]}
    for cell in cells:
        assert all(len(errors) == n_splits(cell.set_name) for errors in cell.errors.values())
    assert n_splits(SMALL[0]) > n_splits(SMALL[-1]) > n_splits("Letter") >= 5


def test_a_cell_is_left_out_while_a_split_of_a_method_is_missing(store):
    del store.cells["Letter | 10 | Random | 4"]
    assert {cell.set_name for cell in cells_of(store)} == {SMALL[0]}


def test_a_method_that_does_not_apply_is_not_waited_for(store):
    for seed in range(5):
        store.cells[f"Letter | 10 | FasterPAM | {seed}"] = {}
    assert "FasterPAM" not in next(cell for cell in cells_of(store) if cell.set_name == "Letter").errors


def test_a_cell_is_left_out_while_nothing_else_was_run(store):
    for seed in range(5):
        del store.cells[f"Letter | 10 | Random | {seed}"]
    assert {cell.set_name for cell in cells_of(store)} == {SMALL[0]}


def test_the_lowest_of_the_others(store):
    for seed in range(5):
        store.cells[f"Letter | 10 | FFT | {seed}"] = {"errors": dict.fromkeys(("1-NN", "LDC", "QDC"), 0.1)}
    cell = next(cell for cell in cells_of(store) if cell.set_name == "Letter")
    assert cell.lowest_but("Auto") == "FFT"
    assert cell.lowest_but("Auto", "FFT") == "Random"


def _cell(set_name, k, **means):
    return Cell(set_name, k, "LDC", {name: np.full(5, mean) for name, mean in means.items()})


def test_a_data_set_counts_once_in_the_ranks_however_many_numbers_it_was_run_with():
    often = [_cell("Letter", k, Random=0.3, Swap=0.2, Auto=0.1) for k in (10, 20)]
    often.append(_cell("Letter", 40, Random=0.3, Swap=0.1, Auto=0.2))
    once = _cell("Pima", 10, Random=0.1, Swap=0.2, Auto=0.3)
    ranks, difference = average_ranks([*often, once])
    assert ranks == pytest.approx({"Random": 2, "Swap": (5 / 3 + 2) / 2, "Auto": (4 / 3 + 3) / 2})
    q = stats.studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2)
    assert difference == pytest.approx(q * np.sqrt(3 * 4 / (6 * 2)))  # N = 2 data sets, not 4 cells


def test_methods_that_a_cell_lacks_are_not_ranked():
    cells = [_cell("Letter", 10, Random=0.3, FFT=0.2, Auto=0.1), _cell("Pima", 10, Random=0.3, Auto=0.1)]
    assert average_ranks(cells)[0] == {"Random": 2, "Auto": 1}


def test_figures_at_equal_cost_keep_the_seeds_apart(store):
    assert list(equal_costs_of(store)) == []
    for seed, swap in enumerate((0.5, 0.7)):
        store.cells[f"at equal cost | Letter | 10 | {seed}"] = {
            "genetic": 0.4, "swap": swap, "share_to_reach": 0.1, "dissimilarities": 10,
            "swap_dissimilarities": 10 + seed,
        }  # fmt: skip
    (cost,) = equal_costs_of(store)
    np.testing.assert_allclose(cost.points, [10, 30])
    assert cost.name == "Letter at k = 10"
    assert not cost.is_within
