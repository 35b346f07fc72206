"""Lists as series, streamlines and sets: as lines, in records, and in columns."""

import csv
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from protopick import Ragged, SwapSelector, load
from protopick.cli.files import FileError, Request, read

rng = np.random.default_rng(0)
RAGGED = [rng.normal(size=(length, 3)).round(3).tolist() for length in (4, 7, 5, 6, 4, 9, 5, 6)]
EVEN = [rng.normal(size=(5, 3)).round(3).tolist() for _ in range(8)]
BAGS = [["tea", "milk"], ["milk", "tea", "tea"], ["saw"], ["saw", "nails"], [], ["tea"], ["nails"], ["milk"]]
KINDS = ["food", "food", "tools", "tools", "food", "food", "tools", "food"]


def write_lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


def in_records(values):
    return [{"v": value, "kind": kind} for value, kind in zip(values, KINDS, strict=True)]


def as_table(values):
    return pd.DataFrame({"v": values, "kind": KINDS})


WRITERS = {
    "jsonl": lambda path, values: write_lines(path, in_records(values)),
    "parquet": lambda path, values: as_table(values).to_parquet(path),
    "feather": lambda path, values: as_table(values).to_feather(path),
}


def written(path="prototypes.csv"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("metric", ["mdf", "dtw"])
@pytest.mark.parametrize("values", [RAGGED, EVEN], ids=["ragged", "even"])
def test_lists_of_points_are_series(tmp_path, ending, metric, values):
    path = tmp_path / f"x.{ending}"
    WRITERS[ending](path, values)
    data = read(Request(str(path), labels="kind"), metric)
    assert isinstance(data.X, Ragged) == (values is RAGGED)
    for one, expected in zip(data.X, values, strict=True):
        np.testing.assert_array_equal(one, expected)
    assert data.labels.tolist() == KINDS
    assert data.found.names == ["v"]


@pytest.mark.parametrize("ending", WRITERS)
def test_streamlines_go_all_the_way(protopick, here, ending):
    WRITERS[ending](here / f"x.{ending}", RAGGED)
    write_lines(here / "bare.jsonl", RAGGED)
    protopick(
        "pick", f"x.{ending}", "--labels", "kind", "--metric", "mdf", "-k", 3, "--method", "swap",
        "--save", "m", "--report", "page.html",
    )  # fmt: skip
    arrays = [np.array(line) for line in RAGGED]
    selector = SwapSelector(3, metric="mdf", criterion="label-match", random_state=0).fit(arrays, KINDS)
    assert {int(row["index"]) for row in written()} == set(selector.prototype_indices_.tolist())
    protopick("apply", "m", "bare.jsonl", "--out", "space.npy")
    np.testing.assert_array_equal(np.load("space.npy"), selector.transform(arrays))
    protopick("compare", f"x.{ending}", "--labels", "kind", "--metric", "mdf", "--k", 2, "--repeats", 1)
    assert "'mdf' on all 8" in protopick("describe", "bare.jsonl", "--metric", "mdf").stdout


def test_lists_of_a_fixed_size_are_read_too(tmp_path):
    values = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    column = pa.array(values, pa.list_(pa.list_(pa.float32(), 2), 2))
    pa.parquet.write_table(pa.table({"v": column}), tmp_path / "x.parquet")
    assert read(Request(str(tmp_path / "x.parquet"))).X.tolist() == values


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("metric", [None, "jaccard", "dice"])
def test_lists_of_strings_are_sets(tmp_path, ending, metric):
    path = tmp_path / f"x.{ending}"
    WRITERS[ending](path, BAGS)
    data = read(Request(str(path), labels="kind"), metric)
    assert list(map(set, BAGS)) == data.X
    assert (data.found.metric, data.found.why) == ("jaccard", "sets of strings in 'v'")


def test_sets_go_all_the_way(protopick, here):
    WRITERS["parquet"](here / "x.parquet", BAGS)
    write_lines(here / "bare.jsonl", BAGS)
    asked = "--metric", "jaccard", "-k", 3, "--method", "swap"
    done = protopick("pick", "x.parquet", "--labels", "kind", *asked, "--save", "m", "--report", "page.html")
    assert "sets of strings in 'v'" in done.stdout
    sets = [set(bag) for bag in BAGS]
    selector = SwapSelector(3, metric="jaccard", criterion="label-match", random_state=0).fit(sets, KINDS)
    names = ["{" + ", ".join(sorted(sets[int(row["index"])])) + "}" for row in written()]
    assert [row["id"] for row in written()] == names
    assert names[0] in done.stdout
    assert {int(row["index"]) for row in written()} == set(selector.prototype_indices_.tolist())
    assert load("m")[0].prototypes_ == selector.prototypes_
    assert "{milk, tea}" in (here / "page.html").read_text()
    for file in ("x.parquet", "bare.jsonl"):
        protopick("apply", "m", file, "--out", "space.npy")
        np.testing.assert_array_equal(np.load("space.npy"), selector.transform(sets))
    assert "'jaccard' on all 8" in protopick("describe", "bare.jsonl", "--metric", "jaccard").stdout
    protopick("compare", "x.parquet", "--labels", "kind", "--k", 2, "--repeats", 1, "--methods", "swap")


@pytest.mark.parametrize("values", [[[1, 7, 9], [1, 7], []], [[1, 7], [3, 5], [5, 3]]])
def test_lists_of_numbers_are_sets_for_a_metric_of_sets(tmp_path, values):
    write_lines(tmp_path / "x.jsonl", values)
    assert list(map(set, values)) == read(Request(str(tmp_path / "x.jsonl")), "jaccard").X
    assert isinstance(read(Request(str(tmp_path / "x.jsonl"))).X, (np.ndarray, Ragged))


def test_rows_of_flags_stay_rows(tmp_path):
    write_lines(tmp_path / "x.jsonl", [[0, 1, 1], [1, 0, 0]])
    assert read(Request(str(tmp_path / "x.jsonl")), "jaccard").X.tolist() == [[0, 1, 1], [1, 0, 0]]


WRONG = [
    ([["a"], ["b", 1]], None, r"x\.jsonl: object 1 \(counted from 0\) is no list of the same kind"),
    ([[1], [[1]]], None, r"x\.jsonl: object 1 \(counted from 0\) is no list of the same kind"),
    ([["a"], ["b", None]], None, r"list of object 1 \(counted from 0\) has a missing value"),
    ([[1, 2], [3, None, 4]], "jaccard", r"list of object 1 \(counted from 0\) has a missing value"),
    ([{"v": ["a"]}, {"v": None}], None, r"v in .*x\.jsonl has no list for object 1 \(counted from 0\)"),
    ([[[1, 2]], [[1, 2], [3]]], None, r"object 1 .* holds a list of 1, .* one of 2.*number of coordinates"),
    ([[[["a"]]], [[["b"]]]], None, "holds lists in lists"),
    ([[[[1]]], [[[1]], [[1]]]], None, "holds arrays of different sizes"),
    ([[{"a": 1}], [{"a": 2}]], None, "holds lists of struct"),
    ([[], []], None, "holds lists without anything"),
    (BAGS, "dtw", "dtw compares series, but .* holds sets"),
    (BAGS, "levenshtein", "levenshtein compares strings, but .* holds sets"),
    (RAGGED, "cosine", "cosine compares vectors, but .* holds series"),
    (EVEN, "cosine", "cosine compares vectors, but .* holds series"),
]


@pytest.mark.parametrize(("values", "metric", "message"), WRONG)
def test_what_is_wrong_with_lists_is_said(tmp_path, values, metric, message):
    write_lines(tmp_path / "x.jsonl", values)
    with pytest.raises(FileError, match=message):
        read(Request(str(tmp_path / "x.jsonl")), metric)


def test_lists_of_unequal_length_have_no_columns(tmp_path):
    write_lines(tmp_path / "x.jsonl", BAGS)
    with pytest.raises(FileError, match="holds sets of strings, so --columns=0 cannot be chosen"):
        read(Request(str(tmp_path / "x.jsonl"), columns=["0"]))


SEVERAL = [
    ("levenshtein", {}, r"compares strings, one for each object, .* by --columns: 'name', 'city'\."),
    ("levenshtein", {"columns": ["age"]}, r".* is given 'age' of .* by --columns: 'name', 'city'\."),
    ("dtw", {}, r"compares series, .* Choose one of these by --columns: 'pulse', 'way'\."),
    ("mdf", {}, r"compares streamlines, a list of points .* Choose one of these by --columns: 'way'\."),
    ("jaccard", {}, r"compares sets, .* Choose one of these by --columns: 'pulse', 'tags'\."),
    ("dice", {"columns": ["age", "name"]}, r".* is given 'age', 'name' of .* --columns: 'pulse', 'tags'\."),
]


@pytest.mark.parametrize(("metric", "said", "message"), SEVERAL)
def test_a_metric_of_one_column_says_which_would_do(tmp_path, metric, said, message):
    record = {"name": "a", "city": "b", "age": 1, "pulse": [1, 2], "way": [[0, 0], [1, 1]], "tags": ["x"]}
    write_lines(tmp_path / "x.jsonl", [record] * 3)
    with pytest.raises(FileError, match=f"--metric={metric} {message}"):
        read(Request(str(tmp_path / "x.jsonl"), **said), metric)


@pytest.mark.parametrize(
    ("metric", "way_out"),
    [
        ("dtw", r"Choose those of numbers by --columns: 'age', 'size'\."),
        ("jaccard", r"Choose those of numbers by --columns: 'age', 'size'\."),
        ("mdf", "No column holds that"),
    ],
)
def test_where_no_column_would_do_rows_of_numbers_may(tmp_path, metric, way_out):
    (tmp_path / "x.csv").write_text("name,age,size\na,1,2\nb,2,3\n")
    with pytest.raises(FileError, match=way_out):
        read(Request(str(tmp_path / "x.csv")), metric)


@pytest.mark.parametrize("gap", ["[1, 2]\n\n[1, null]\n[3]\n", '{"s": [1]}\n{"s": [1, null]}\n'])
def test_a_gap_in_a_series_is_named(protopick, here, gap):
    (here / "x.jsonl").write_text(gap)
    said = protopick("pick", "x.jsonl", "-k", 1, code=1).stderr
    assert "Object 1 (counted from 0) contains NaN or infinity at its point 1. Fill the gaps" in said


def test_categories_of_text_are_text(tmp_path):
    pd.DataFrame({"c": pd.Categorical(["a", "b", "a"])}).to_parquet(tmp_path / "x.parquet")
    assert read(Request(str(tmp_path / "x.parquet")), "levenshtein").X == ["a", "b", "a"]
