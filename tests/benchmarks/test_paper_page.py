"""The page of the paper's experiments, from a store with made-up results."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.paper import figure_digits, figure_maps, report
from benchmarks.paper.methods import GENETIC
from benchmarks.paper.sessions import Session
from benchmarks.paper.settings import QUICK
from benchmarks.store import Store


@pytest.fixture
def store(tmp_path):
    """Hold a result for all that the quick setting runs on two sets."""
    store, rng = Store(tmp_path / "results.json"), np.random.default_rng(0)
    for set_name in ("Diabetes", "SVHN1"):
        store.cells[f"source | {set_name}"] = {"source": "made up"}
        store.cells[f"overlap | {set_name}"] = {"error": 0.5}
        store.cells[f"map | {set_name}"] = {"share": 0.5, "stretch": 2.0}
        for cell in QUICK.cells(set_name):
            errors = {name: round(rng.random(), 4) for name in ("1-NN", "LDC", "QDC")}
            result = {"errors": errors, "seconds": 0.1 + rng.random(), "dissimilarities": 10}
            if cell.method in GENETIC and cell.k == 20:
                result["history"] = np.sort(rng.random(21)).tolist()
            store.cells[" | ".join(map(str, cell))] = result
    store.cells["digits"] = {
        f"{method}, {k}": list(range(k)) for method in figure_digits.METHODS for k in figure_digits.KS
    }
    Session(store, "quick").keep()
    return store


def test_the_page_has_every_part_and_every_picture_exists(store, tmp_path):
    for name in ("digits.png", figure_maps.file_of("Diabetes"), figure_maps.file_of("SVHN1")):
        (tmp_path / "figures").mkdir(exist_ok=True)
        (tmp_path / "figures" / name).write_bytes(b"drawn while the data was at hand")
    text = report.write(store, tmp_path).read_text()
    pictures = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) == len(set(pictures)) >= 7
    for picture in pictures:
        assert (tmp_path / picture).stat().st_size > 0, picture
    assert "0.254 ± 0.01" in text  # the paper's
    assert "MNIST: `mnist.npz`" in text  # what to download
    assert "not testable here" in text


def test_our_numbers_are_those_of_the_store(store, tmp_path):
    errors = [store.get("Diabetes", 20, "FFT", repeat)["errors"]["LDC"] for repeat in range(5)]
    text = report.write(store, tmp_path).read_text()
    row = next(line for line in text.splitlines() if line.startswith("| FFT |") and "0.254" in line)
    assert f"{np.mean(errors):.3f} ± {np.std(errors, ddof=1):.3f}" in row


def test_a_page_without_results_says_what_to_get(tmp_path):
    text = report.write(Store(tmp_path / "results.json"), tmp_path).read_text()
    assert "Zongker: `dist_digit_zongker.mat`" in text
    assert "0.4466" in text  # the paper's tables stand alone
