"""Tables are read as people write them, and what is read in another way than it may be meant is told."""

import json
from types import SimpleNamespace

import h5py
import numpy as np
import pandas as pd
import pytest
import zarr
from sklearn import config_context

from protopick.cli.files import FileError, Request, read, rows
from protopick.cli.files.source import Options
from protopick.cli.files.tables import open_parquet
from protopick.objects import Stored

rng = np.random.default_rng(0)
GAPS = np.where(rng.random((40, 3)) < 0.1, np.nan, rng.normal(size=(40, 3)))
KINDS = ["a", "b"] * 20


@pytest.fixture
def written(tmp_path):
    """Write a file, and return its name."""

    def write(text, name="x.csv"):
        (tmp_path / name).write_text(text, newline="")
        return str(tmp_path / name)

    return write


def found_in(file, metric=None, **more):
    return read(Request(file, **more), metric).found


def notes_of(file, **more):
    return found_in(file, **more).notes


def test_the_work_on_many_columns_is_done_once(tmp_path, monkeypatch):
    frame = pd.DataFrame(np.zeros((2, 50)), columns=[f"g{j}" for j in range(50)], index=["a", "b"])
    frame.to_parquet(tmp_path / "x.parquet")
    source = open_parquet(tmp_path / "x.parquet", Options())
    assert source.names is source.names
    parsed = []
    monkeypatch.setattr(
        rows, "json", SimpleNamespace(loads=lambda text: parsed.append(1) or json.loads(text))
    )
    assert source.objects(None, (), None).X.shape == (2, 50)
    assert len(parsed) == 1


def test_a_first_line_of_numbers_is_an_object_and_this_is_told(written):
    file = written("400,410\n1,2\n3,4\n")
    found = found_in(file)
    assert found.X.tolist() == [[400, 410], [1, 2], [3, 4]]
    assert found.notes[0].startswith("The first line is taken as an object, since it holds numbers only.")
    assert notes_of(file, options=Options(header=False)) == ()


def test_a_first_line_of_numbers_holds_names_where_this_is_said(written):
    found = found_in(written("400,410\n1,2\n3,4\n"), options=Options(header=True))
    assert (found.names, found.X.tolist(), found.notes) == (["400", "410"], [[1, 2], [3, 4]], ())


def test_the_command_says_it(protopick, written):
    file = written("400,410\n1,2\n3,4\n")
    for said, n in ((), 3), (["--header"], 2), (["--no-header"], 3):
        done = protopick("pick", file, "-k", 2, "--method", "random", "--json", *said)
        assert json.loads(done.stdout)["n_objects"] == n


def test_a_first_line_of_decimal_commas_is_an_object(written):
    assert found_in(written("1,5\t2,5\n3,5\t4,5\n", "x.tsv")).X.tolist() == [[1.5, 2.5], [3.5, 4.5]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "u;v\n1,5;2\n2,5;3,125\n"),
        ("x.tsv", "u\tv\n1,5\t2\n2,5\t3,125\n"),
        ("x.csv", 'u,v\n"1,5","2"\n"2,5","3,125"\n'),
        ("x.csv", "u|v\n1,5|2\n2,5|3,125\n"),
    ],
)
def test_a_decimal_comma_is_one_whatever_parts_the_columns(written, name, text):
    found = found_in(written(text, name))
    assert found.X.tolist() == [[1.5, 2], [2.5, 3.125]]
    assert found.notes == ("Numbers are read with a decimal comma.",)


@pytest.mark.parametrize("text", ['u,v\n"1,500",2\n"12,000",3\n', 'u,v\n"1,5",2.5\n"2,5",3.5\n'])
def test_a_comma_that_may_part_thousands_is_no_decimal_comma(written, text):
    found = found_in(written(text))
    assert (found.notes, found.why) == ((), "columns that are no numbers: 'u'")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_value_may_be_long(written, delimiter):
    long = "ACGT" * 50_000
    found = found_in(written(f"id{delimiter}text\n1{delimiter}{long}\n2{delimiter}A\n"), columns=["text"])
    assert found.X[0] == long


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,"2\n3,4\n5,6\n', 2),
        ('a,b\n1,2\n3,"4', 3),
        ('\n\na,b\n"1\n1",2\n3,"4\n5,6\n', 6),
        ('a,"b\n1,2\n', 1),
        ('a,b\n1,"x"\n2,"y\n3,"z"\n', 3),
    ],
)
def test_a_quote_that_stands_open_is_refused(written, text, line):
    with pytest.raises(FileError, match=rf"x\.csv, line {line}: a double quote .* is not closed"):
        read(Request(written(text)))


@pytest.mark.parametrize("value", ['5" tube', '"5"" tube"', '"5"" tube\nof glass"', '"a, b"'])
def test_a_quote_that_is_closed_or_none_is_read(written, value):
    assert read(Request(written(f"a,b\n1,{value}\n2,c\n"))).n == 2


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("a,b\n1,2\n\n3,4\n", 1),
        ("a,b\r\n1,2\r\n\r\n\r\n3,4\r\n\r\n", 2),
        ("a,b\n1,2\n3,4\n\n\n", 0),
        ('a,b\n1,"x\n\ny"\n3,z\n', 0),
    ],
)
def test_blank_lines_between_others_are_told(written, text, blank):
    expected = f"Left out: {blank} blank line{'s' * (blank > 1)} between others."
    assert notes_of(written(text)) == ((expected,) if blank else ())


def test_blank_lines_are_seen_across_blocks(written, monkeypatch):
    monkeypatch.setattr("protopick.cli.files.lines._BLOCK", 1)
    assert len(notes_of(written("a,b\r\n1,2\r\n\r\n3,4\r\n"))) == 1


def test_blanks_around_text_are_none_of_it(written):
    file = written("u,kind\n1,setosa\n2,setosa \n3, virginica\n")
    assert read(Request(file, labels="kind")).labels.tolist() == ["setosa", "setosa", "virginica"]
    assert notes_of(file) == ()


def test_blanks_around_text_are_told_where_they_may_be_in_quotes(written):
    file = written('u,kind,note\n1,setosa,"a, b"\n2,"setosa ",c\n')
    assert read(Request(file, labels="kind")).labels.tolist() == ["setosa", "setosa "]
    assert notes_of(file) == ("Text that begins or ends with blanks is kept so: 'kind'.",)


def test_a_gap_among_labels_has_a_way_out(written):
    with pytest.raises(FileError, match=r"no value in row 1 .*Give it one, or leave the row out\."):
        read(Request(written("u,kind\n1,a\n2,\n"), labels="kind"))


def test_no_header_holds_for_labels_too(written):
    objects, labels = written("1,2\n3,4\n5,6\n"), written("a\nb\na\n", "y.csv")
    with pytest.raises(FileError, match=r"gives 2 values.*The first line of .*y\.csv is taken for a name\."):
        read(Request(objects, labels=labels))
    data = read(Request(objects, labels=labels, options=Options(header=False)))
    assert data.labels.tolist() == ["a", "b", "a"]


def test_no_header_holds_for_labels_of_an_array(tmp_path, written):
    np.save(tmp_path / "x.npy", np.zeros((3, 2)))
    request = Request(
        str(tmp_path / "x.npy"), labels=written("a\nb\na\n", "y.csv"), options=Options(header=False)
    )
    assert read(request).labels.tolist() == ["a", "b", "a"]


def write_h5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=GAPS, chunks=(10, 3))


def write_zarr(path):
    zarr.open_group(path, mode="w", zarr_format=2).create_array("X", data=GAPS)


def frame_of_gaps():
    return pd.DataFrame(GAPS, columns=["u", "v", "w"])


WITH_GAPS = {
    "csv": lambda path: frame_of_gaps().to_csv(path, index=False),
    "parquet": lambda path: frame_of_gaps().to_parquet(path),
    "npy": lambda path: np.save(path, GAPS),
    "h5": write_h5,
    "zarr": write_zarr,
}


@pytest.mark.parametrize("ending", WITH_GAPS)
def test_gaps_are_compared_by_the_metric_made_for_them(tmp_path, ending):
    WITH_GAPS[ending](tmp_path / f"x.{ending}")
    found = found_in(str(tmp_path / f"x.{ending}"), "nan_euclidean")
    np.testing.assert_array_equal(found.X, GAPS)


def test_gaps_of_large_tables_are_too(tmp_path):
    large = np.tile(GAPS, (1_000, 1))
    pd.DataFrame(large, columns=["u", "v", "w"]).to_parquet(tmp_path / "x.parquet")
    with config_context(working_memory=1):
        X = found_in(str(tmp_path / "x.parquet"), "nan_euclidean").X
        assert isinstance(X, Stored)
        np.testing.assert_array_equal(X[:50], large[:50])


@pytest.fixture
def with_gaps(here):
    frame = frame_of_gaps().assign(kind=KINDS)
    frame.to_csv("x.csv", index=False)
    frame.to_parquet("x.parquet")
    frame.to_json("x.jsonl", orient="records", lines=True, double_precision=15)


@pytest.mark.parametrize("other", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_model_of_a_table_with_gaps_is_applied_to_such(protopick, with_gaps, here, ending, other):
    protopick(
        "pick", f"x.{ending}", "--labels", "kind", "-k", 4, "--method", "swap", "--save", "x.model",
        "--report", "page.html",
    )  # fmt: skip
    assert "column 0" not in (here / "page.html").read_text()
    protopick("apply", "x.model", f"x.{other}", "--predict", "--labels", "kind")
    protopick("apply", "x.model", f"x.{other}", "--out", "space.npy")
    assert np.load("space.npy").shape == (40, 4)


def test_an_archive_is_no_array(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.eye(3), y=np.arange(3))
    (tmp_path / "x.npz").rename(tmp_path / "x.npy")
    with pytest.raises(FileError, match=r"x\.npy holds several arrays.*Pass --format npz\."):
        read(Request(str(tmp_path / "x.npy")))
    assert read(Request(str(tmp_path / "x.npy"), format="npz", labels="y")).n == 3
