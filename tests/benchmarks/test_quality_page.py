"""What the page of quality says, from made-up results."""

import numpy as np
import pytest

from benchmarks.quality import report
from benchmarks.quality.figures import Cell, EqualCost
from benchmarks.quality.methods import METHODS


def _cost(set_name, k, points=12.0, needed=(0.05, 0.05)):
    genetic = np.full(len(needed), 0.3)
    return EqualCost(set_name, k, genetic, genetic + points / 100, np.array(needed), True)


def test_where_all_seeds_meet_what_was_asked_the_page_says_no_more():
    text = report._equal_cost_asked([_cost("MNIST", 20), _cost("Letter", 10), _cost("Letter", 20)])
    assert text.endswith("The means over the seeds meet this.")
    assert "6 on MNIST and 10 on Letter" in text


def test_a_seed_that_needs_more_than_was_asked_is_named():
    text = report._equal_cost_asked([_cost("MNIST", 10), _cost("Covertype", 40, needed=(0.02, 0.2))])
    assert "The means over the seeds meet this." in text
    assert "A single seed may not: Covertype at k = 40 needs 20.0% at its worst." in text
    assert "MNIST at k = 10" not in text


def test_a_gain_below_that_asked_at_another_number_is_named():
    text = report._equal_cost_asked([_cost("Letter", 10, points=7.7), _cost("Covertype", 10, points=1)])
    assert "The means over the seeds meet this." in text
    assert "Letter at k = 10 gains 7.7 points, fewer than 10" in text
    assert "Covertype" not in text


@pytest.mark.parametrize(
    "cost",
    [_cost("Letter", 20, points=9), _cost("Pima", 10, points=-1), _cost("MNIST", 40, needed=(0.1, 0.4))],
)
def test_what_is_missed_on_the_mean_is_named(cost):
    text = report._equal_cost_asked([cost, _cost("MNIST", 20)])
    assert f"miss this for {cost.name}." in text


def test_a_number_that_leaves_no_choice_is_not_missing():
    cells = [
        Cell(name, k, "LDC", {}) for name in report.SETS for k in (10, 20, 40) if (name, k) != ("Pima", 20)
    ]
    assert report._missing(cells) == "Pima (k = 20)."
    assert report._missing([c for c in cells if (c.set_name, c.k) != ("catcortex65", 40)]) == "Pima (k = 20)."
    assert "so it is not run with k = 40" in report._HEAD


@pytest.mark.parametrize("numbers", [(10, 20, 40), (10, 20)])
def test_what_is_not_run_has_a_section_only_where_there_is_such(numbers, tmp_path, monkeypatch):
    cells = [Cell(name, k, "LDC", {}) for name in report.SETS for k in numbers]
    for made in ("_asked", "_ranks", "_equal_cost", "_tables"):
        monkeypatch.setattr(report, made, lambda found: [])
    monkeypatch.setattr(report, "cells_of", lambda store: cells)
    monkeypatch.setattr(report, "FOLDER", tmp_path / "benchmarks" / "quality")
    monkeypatch.setattr(report, "RESULTS_PAGE", tmp_path / "RESULTS.md")
    report.write(None)
    text = (tmp_path / "RESULTS.md").read_text()
    assert ("## Not run yet" in text) == (len(numbers) < 3)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_page_names_the_peers_that_take_vectors_only():
    assert "k-means++, MiniBatchKMeans, k-center and fpsample take vectors only" in report._HEAD
    assert not METHODS["FasterPAM"].vectors_only
    assert not METHODS["OneBatchPAM"].vectors_only


def test_plots_count_data_sets_that_all_methods_were_run_on(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "FIGURES", tmp_path / "figures")
    titles = []
    monkeypatch.setattr(report.plot, "critical_difference", lambda *args: titles.append(args[-1]))
    of_all = {name: np.full(5, 0.1 + 0.01 * i) for i, name in enumerate(METHODS)}
    some = {name: of_all[name] for name in ("Random", "FasterPAM", "Auto")}
    cells = [Cell(name, k, "LDC", of_all) for name in ("Letter", "MNIST") for k in (10, 20, 40)]
    cells += [Cell("BBBP", k, "LDC", some) for k in (10, 20)]
    text = "\n".join(report._ranks(cells))
    assert titles == ["LDC, N = 2 data sets"]
    assert "figures/ranks_ldc.png" in text
    assert "ranks_qdc" not in text
