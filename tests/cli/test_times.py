"""Dates and times are the same in a table of text and in records."""

import json

import numpy as np
import pandas as pd
import pytest

from protopick.cli.files import Request, read


def visits():
    at = pd.date_range("2024-01-01 08:30", periods=20, freq="31h")
    days = at.strftime("%Y-%m-%d").to_series(index=range(20))
    days[3] = None
    return pd.DataFrame(
        {
            "day": days,
            "at": at.strftime("%Y-%m-%dT%H:%M:%S"),
            "in_utc": at.strftime("%Y-%m-%d %H:%M:%SZ"),
            "hour": at.strftime("%H:%M"),
            "ward": ["a", "b", "c", "a"] * 5,
        }
    )


@pytest.fixture
def tables(here):
    visits().to_csv("x.csv", index=False)
    visits().to_json("x.jsonl", orient="records", lines=True)


def test_records_hold_the_times_of_a_table(tables):
    as_text, as_records = (read(Request(name)).found for name in ("x.csv", "x.jsonl"))
    assert as_records.X.schema.types == as_text.X.schema.types
    assert as_records.X.equals(as_text.X)


def test_a_model_of_one_is_applied_to_the_other(protopick, tables, here):
    picked = {}
    for name in ("x.csv", "x.jsonl"):
        protopick(
            "pick", name, "-k", 3, "--method", "swap", "--out", "p.csv", "--save", f"{name}.model",
            "--report", "page.html",
        )  # fmt: skip
        picked[name] = (here / "p.csv").read_text()
    assert picked["x.csv"] == picked["x.jsonl"]
    spaces = []
    for model, name in (("x.csv.model", "x.jsonl"), ("x.jsonl.model", "x.csv")):
        protopick("apply", model, name, "--out", "space.npy")
        spaces.append(np.load("space.npy"))
    np.testing.assert_array_equal(*spaces)


def test_only_what_has_no_range_is_called_no_number(tables):
    assert read(Request("x.csv")).found.why == "columns that are no numbers: 'ward'"
    assert read(Request("x.csv", columns=["at", "hour"])).found.why == "times in 'at', 'hour'"


def test_times_of_the_day_are_compared_by_their_range(protopick, here):
    (here / "x.csv").write_text("hour,one\n08:00,a\n12:00,a\n16:00,a\n")
    protopick("pick", "x.csv", "-k", 3, "--method", "random", "--save", "m")
    protopick("apply", "m", "x.csv", "--out", "space.npy")
    assert sorted(set(np.load("space.npy").ravel().tolist())) == [0, 0.25, 0.5]


@pytest.mark.parametrize("text", ["2024", "20240131", "2024-01", "31/01/2024", "soon", "", "2024-01-31" * 5])
def test_other_text_stays_text(tmp_path, text):
    lines = [json.dumps({"when": value, "x": 1}) for value in (text, text)]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    assert str(read(Request(str(tmp_path / "x.jsonl"))).X.schema.field("when").type) == "string"


def test_one_text_among_dates_makes_all_of_them_text(tmp_path):
    lines = [json.dumps({"when": value, "x": 1}) for value in ("2024-01-31", "unknown")]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    found = read(Request(str(tmp_path / "x.jsonl"))).found
    assert found.X.column("when").to_pylist() == ["2024-01-31", "unknown"]
    assert "'when'" in found.why
