import pytest

from benchmarks.quality.data import SMALL, n_splits
from benchmarks.quality.figures import cells_of
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
