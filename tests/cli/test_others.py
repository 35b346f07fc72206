import json

import numpy as np
import pytest

from protopick import describe
from protopick.cli.compare import recommended
from protopick.criteria import CRITERIA
from protopick.dissimilarity import METRICS
from protopick.selectors.pick import METHODS


def test_every_metric_and_method_is_listed_with_a_line(protopick):
    metrics = json.loads(protopick("metrics", "--json").stdout)
    assert [row["metric"] for row in metrics] == list(METRICS)
    found = json.loads(protopick("methods", "--json").stdout)
    assert [row["method"] for row in found["methods"]] == list(METHODS)
    assert [row["criterion"] for row in found["criteria"]] == list(CRITERIA)
    lines = [*(row["is"] for row in metrics + found["criteria"]), *(row["does"] for row in found["methods"])]
    assert all(len(line) > 5 for line in lines)
    text = protopick("metrics").stdout
    assert all(name in text for name in METRICS)
    listed = " ".join(protopick("methods").stdout.split())
    assert "swap" in listed
    assert "Needs labels." in listed


@pytest.mark.parametrize("command", ["pick", "compare", "describe", "apply", "demo", "metrics", "methods"])
def test_help_shows_an_example(protopick, command):
    assert f"Example: protopick {command}" in " ".join(protopick(command, "--help").stdout.split())


def test_help_breaks_lines_only_where_the_terminal_ends(protopick, monkeypatch):
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 200)
    assert "(how many objects are nearest to it) and purity" in protopick("pick", "--help").stdout


def test_help_says_that_parameters_are_json(protopick):
    said = " ".join(protopick("pick", "--help").stdout.replace("│", "").split())
    assert "its value in JSON" in said
    assert "'weights=[1,2,2]'" in said


def test_describe_tells_what_the_function_tells(protopick, flowers, here):
    numbers = flowers.drop(columns=["species", "name"]).to_numpy()
    expected = describe(numbers, y=flowers["species"]).to_dict()
    arguments = "describe", "flowers.csv", "--labels", "species", "--ids", "name"
    found = json.loads(protopick(*arguments, "--json").stdout)
    for name in ("n_objects", "symmetric", "nearest_neighbor_error", "levina_bickel_dimension", "advice"):
        assert found[name] == expected[name]
    text = protopick(*arguments, "--report", "page.html").stdout
    page = (here / "page.html").read_text()
    assert "What this means" in text
    assert "<svg" in page
    for said in (text, page):
        assert "--pivots too" in said
        assert "-k auto" in said
        assert "n_pivots" not in said
        assert "Selector" not in said


def test_compare_recommends_what_has_the_lowest_error(protopick, flowers):
    arguments = "compare", "flowers.csv", "--labels", "species", "--ids", "name", "--k", "2,8"
    found = json.loads(protopick(*arguments, "--repeats", 2, "--json").stdout)
    assert {row["method"] for row in found["results"]} == set(METHODS)
    assert {row["k"] for row in found["results"]} == {2, 8}
    best = found["recommended"]
    lowest = min(found["results"], key=lambda row: row["error"])
    assert best["error"] <= lowest["error"] + lowest["standard_error"]
    text = protopick(*arguments, "--repeats", 1, "--methods", "random,swap").stdout
    assert "Recommended: k =" in text
    assert "against k" in text
    assert "forward" not in text


def test_compare_takes_errors_that_differ_by_rounding_as_one():
    rows = [{"k": k, "error": e, "standard_error": 0.0} for k, e in ((3, 1 / 38 + 2e-17), (6, 1 / 38))]
    assert rows[0]["error"] > rows[1]["error"]
    assert recommended(rows)["k"] == 3


def test_compare_without_labels_goes_by_nearness(protopick, words):
    found = json.loads(protopick("compare", "words.txt", "--k", "2,4", "--repeats", 1, "--json").stdout)
    assert found["judged_by"] == "mean dissimilarity"
    assert "forward" not in {row["method"] for row in found["results"]}


def test_compare_shows_whole_counts_and_milliseconds(protopick, words):
    shown = protopick(
        "compare", "words.txt", "--k", "2", "--repeats", 1, "--methods", "random,farthest-first"
    ).stdout
    assert "ms  pairs" in shown
    first = next(line for line in shown.splitlines() if "farthest-first" in line)
    assert first.split()[-1].isdecimal()


def test_compare_a_matrix(protopick, here):
    points = np.random.default_rng(0).normal(size=(80, 2))
    D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    np.savez("d.npz", D=D, y=points[:, 0] > 0)
    np.savez("x.npz", X=points, y=points[:, 0] > 0)
    arguments = "--labels", "y", "--k", 4, "--repeats", 1, "--methods", "random,swap,farthest-first", "--json"
    by_matrix, by_points = (
        json.loads(protopick("compare", name, *arguments).stdout)["results"] for name in ("d.npz", "x.npz")
    )
    assert [row["error"] for row in by_matrix] == [row["error"] for row in by_points]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "ten"], "--k=ten is not allowed"),
        (["--k", "100"], "above half of the 150 objects"),
        (["--methods", "best"], "--methods: best is not known"),
        (["--methods", "forward"], "forward needs labels"),
        (["--classifier", "svm"], "--classifier=svm is not known"),
    ],
)
def test_a_wrong_comparison_is_one_sentence(protopick, flowers, arguments, message):
    assert message in " ".join(protopick("compare", "flowers.csv", *arguments, code=1).stderr.split())


def test_auto_without_labels_is_said_to_go_by_something_else(protopick, words):
    done = protopick("compare", "words.txt", "--k", 3, "--methods", "auto,random", "--repeats", 1)
    assert "auto goes by something else where there are no labels" in done.stdout
    done = protopick("compare", "words.txt", "--k", 3, "--methods", "swap", "--repeats", 1)
    assert "something else" not in done.stdout
