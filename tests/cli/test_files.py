"""Whatever holds the same objects gives the same objects."""

import io
import json
import sys

import h5py
import numpy as np
import pandas as pd
import pytest
import zarr
from PIL import Image
from sklearn import config_context

from protopick import Ragged, SwapSelector
from protopick.cli.files import FORMATS, FileError, Request, read
from protopick.cli.files.source import Options
from protopick.objects import Stored

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3))
Y = np.array(["a", "b", "c"] * 4)
NAMES = [f"object {i}" for i in range(12)]


def table():
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    return frame.assign(kind=Y, name=NAMES)


def write_npz(path):
    np.savez(path, X=X, kind=Y, name=np.array(NAMES), n_train=np.int64(8))


def write_h5(path):
    with h5py.File(path, "w") as file:
        file["X"], file["kind"], file["name"] = X, Y.astype("S"), NAMES


def write_zarr(path):
    group = zarr.open_group(path, mode="w", zarr_format=2)
    for name, array in {"X": X, "kind": Y, "name": np.array(NAMES)}.items():
        group.create_array(name, data=array)


WRITERS = {
    "csv": lambda path: table().to_csv(path, index=False),
    "tsv": lambda path: table().to_csv(path, index=False, sep="\t"),
    "parquet": lambda path: table().to_parquet(path, row_group_size=5),
    "feather": lambda path: table().to_feather(path),
    "arrow": lambda path: table().to_feather(path),
    "jsonl": lambda path: table().to_json(path, orient="records", lines=True, double_precision=15),
    "npz": write_npz,
    "h5": write_h5,
    "hdf5": write_h5,
    "zarr": write_zarr,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_numbers_labels_and_names_are_those_that_were_written(tmp_path, ending):
    path = tmp_path / f"objects.{ending}"
    WRITERS[ending](path)
    data = read(Request(str(path), labels="kind", ids="name"))
    np.testing.assert_allclose(data.X, X, rtol=1e-12)
    assert data.labels.tolist() == Y.tolist()
    assert data.ids.tolist() == NAMES
    assert data.found.metric == "euclidean"
    assert data.n == 12


def test_every_format_is_tested():
    assert set(FORMATS) == {*WRITERS, "npy", "txt", "folder"}


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "jsonl"])
def test_some_columns(tmp_path, ending):
    path = tmp_path / f"objects.{ending}"
    WRITERS[ending](path)
    data = read(Request(str(path), columns=["w", "u"]))
    np.testing.assert_allclose(data.X, X[:, [2, 0]])
    assert data.found.names == ["w", "u"]


def test_columns_of_tables_by_number_where_none_is_called_so(tmp_path):
    path = tmp_path / "x.csv"
    table().to_csv(path, index=False)
    assert read(Request(str(path), columns=["2", "0:2", "w"])).found.names == ["w", "u", "v"]
    table().rename(columns={"w": "0"}).to_csv(path, index=False)
    assert read(Request(str(path), columns=["0", "1"])).found.names == ["0", "v"]
    with pytest.raises(FileError, match=r"no column '4:9'.*Name them, or give numbers from 0 to 4, or spans"):
        read(Request(str(path), columns=["4:9"]))


def test_npy_is_mapped_and_its_columns_are_numbers(tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert isinstance(read(Request(str(tmp_path / "x.npy"))).X, np.memmap)
    chosen = read(Request(str(tmp_path / "x.npy"), columns=["2", "0:2"])).X
    np.testing.assert_array_equal(chosen, X[:, [2, 0, 1]])


def test_what_lies_in_one_piece_in_hdf5_is_mapped(tmp_path):
    write_h5(tmp_path / "x.h5")
    assert isinstance(read(Request(str(tmp_path / "x.h5"))).X, np.memmap)
    with h5py.File(tmp_path / "packed.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(2, 3), compression="gzip")
    np.testing.assert_array_equal(read(Request(str(tmp_path / "packed.h5"))).X, X)


def test_parquet_folders_are_one_table(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    table().iloc[:7].to_parquet(folder / "0.parquet")
    table().iloc[7:].to_parquet(folder / "1.parquet")
    data = read(Request(str(folder), labels="kind", ids="name"))
    np.testing.assert_array_equal(data.X, X)
    assert data.labels.tolist() == Y.tolist()


def test_strings_one_a_line(tmp_path):
    (tmp_path / "words.txt").write_bytes("\ufeffnaïve\r\nhéllo\r\n\r\nlast\r\n\r\n".encode())
    data = read(Request(str(tmp_path / "words.txt")))
    assert data.X == ["naïve", "héllo", "last"]
    assert data.found.metric == "levenshtein"
    assert data.found.notes == ("Left out: 1 blank line between others.",)
    (tmp_path / "words.txt").write_text("a\n\n \nb\n")
    assert read(Request(str(tmp_path / "words.txt"))).found.notes[0].startswith("Left out: 2 blank lines")
    (tmp_path / "words.txt").write_text("a\nb\n\n\n")
    assert read(Request(str(tmp_path / "words.txt"))).found.notes == ()


def test_values_of_objects_have_no_blank_lines(tmp_path):
    (tmp_path / "x.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "y.txt").write_text("a\n\nb\nc\n")
    with pytest.raises(FileError, match=r"y\.txt has blank lines between others"):
        read(Request(str(tmp_path / "x.txt"), labels=str(tmp_path / "y.txt")))


@pytest.mark.parametrize(
    ("lines", "metric", "expected"),
    [
        (["one", "two"], "levenshtein", ["one", "two"]),
        ([[1, 2], [3, 4]], "euclidean", [[1, 2], [3, 4]]),
        ([[1, 2, 3], [3, 4]], "dtw", [[1, 2, 3], [3, 4]]),
        ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], "euclidean", [[1, 2], [3, 4]]),
        ([{"s": [1.0, 2.0, 0.5]}, {"s": [3.0]}], "dtw", [[1.0, 2.0, 0.5], [3.0]]),
        ([{"s": "one"}, {"s": "two"}], "levenshtein", ["one", "two"]),
        ([["one", "two"], ["three"]], "jaccard", [{"one", "two"}, {"three"}]),
        ([{"s": ["one", "two"]}, {"s": []}], "jaccard", [{"one", "two"}, set()]),
    ],
)
def test_json_lines_hold_any_kind(tmp_path, lines, metric, expected):
    path = tmp_path / "objects.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    data = read(Request(str(path)))
    assert data.found.metric == metric
    objects = [list(one) for one in data.X] if isinstance(data.X, Ragged) else data.X
    assert (objects if isinstance(objects, list) else objects.tolist()) == expected


def test_tables_with_text_or_gaps_are_compared_by_gower(tmp_path):
    frame = table().drop(columns="name")
    frame.to_csv(tmp_path / "mixed.csv", index=False)
    found = read(Request(str(tmp_path / "mixed.csv"))).found
    assert (found.metric, found.names) == ("gower", ["u", "v", "w", "kind"])
    assert "'kind'" in found.why
    frame.loc[3, "v"] = np.nan
    frame.drop(columns="kind").to_csv(tmp_path / "gaps.csv", index=False)
    found = read(Request(str(tmp_path / "gaps.csv"))).found
    assert found.metric == "gower"
    assert found.X.column("v").null_count == 1


def test_a_matrix_of_dissimilarities_is_known_by_its_diagonal(tmp_path):
    D = np.abs(X[:, :1] - X[:, 0])
    np.savez(tmp_path / "d.npz", D=D, y=Y)
    found = read(Request(str(tmp_path / "d.npz"), labels="y")).found
    assert found.metric == "precomputed"
    np.save(tmp_path / "square.npy", X[:3])
    assert read(Request(str(tmp_path / "square.npy"))).found.metric == "euclidean"


def test_shapes_tell_pictures_from_series(tmp_path):
    np.save(tmp_path / "pictures.npy", np.zeros((5, 9, 8), np.uint8))
    found = read(Request(str(tmp_path / "pictures.npy"))).found
    assert (found.X.shape, found.image_shape, found.metric) == ((5, 72), (9, 8), "euclidean")
    np.save(tmp_path / "series.npy", np.zeros((5, 30, 2)))
    found = read(Request(str(tmp_path / "series.npy"))).found
    assert (found.X.shape, found.image_shape, found.metric) == ((5, 30, 2), None, "dtw")
    np.savez(tmp_path / "runs.npz", points=np.zeros((9, 3)), offsets=[0, 4, 9])
    found = read(Request(str(tmp_path / "runs.npz"))).found
    assert (len(found.X), found.metric) == (2, "mdf")


def test_a_folder_of_pictures(tmp_path):
    for i, kind in enumerate(["cat", "dog", "cat"]):
        (tmp_path / kind).mkdir(exist_ok=True)
        Image.fromarray(np.full((4, 6), 40 * i, np.uint8)).save(tmp_path / kind / f"{i}.png")
    data = read(Request(str(tmp_path), labels="folder"))
    assert data.X.shape == (3, 24)
    assert data.found.image_shape == (4, 6)
    assert data.labels.tolist() == ["cat", "cat", "dog"]
    assert data.ids.tolist() == ["cat/0.png", "cat/2.png", "dog/1.png"]
    assert data.X[:, 0].tolist() == [0, 80, 40]
    (tmp_path / ".thumbnails").mkdir()
    Image.new("L", (6, 4)).save(tmp_path / ".thumbnails" / "0.png")
    assert len(read(Request(str(tmp_path))).X) == 3  # what is hidden is left out
    Image.new("RGB", (5, 5), (9, 8, 7)).save(tmp_path / "colour.png")
    with pytest.raises(FileError, match=r"2 sizes.*Pass --image-size"):
        read(Request(str(tmp_path)))
    scaled = read(Request(str(tmp_path), options=Options(image_size=(2, 2))))
    assert scaled.found.image_shape == (2, 2, 3)
    assert scaled.X[2].tolist() == [9, 8, 7] * 4


@pytest.mark.parametrize("ending", ["npy", "txt", "csv", "npz"])
def test_labels_in_a_file_of_their_own(tmp_path, ending):
    np.save(tmp_path / "x.npy", X)
    path = tmp_path / f"labels.{ending}"
    writers = {
        "npy": lambda: np.save(path, Y),
        "txt": lambda: path.write_text("\n".join(Y)),
        "csv": lambda: pd.DataFrame({"kind": Y}).to_csv(path, index=False),
        "npz": lambda: np.savez(path, y=Y),
    }
    writers[ending]()
    assert read(Request(str(tmp_path / "x.npy"), labels=str(path))).labels.tolist() == Y.tolist()


def test_classes_by_name(tmp_path):
    np.savez(tmp_path / "x.npz", X=X, y=np.arange(12) % 2, classes=["even", "odd"])
    data = read(Request(str(tmp_path / "x.npz"), labels="y", label_names="classes"))
    assert data.labels[:3].tolist() == ["even", "odd", "even"]


def test_standard_input(monkeypatch):
    stdin = type("Stdin", (), {"buffer": io.BytesIO(table().to_csv(index=False).encode())})
    monkeypatch.setattr(sys, "stdin", stdin)
    data = read(Request("-", labels="kind", ids="name", format="csv"))
    np.testing.assert_allclose(data.X, X)
    assert data.name == "standard input"


def test_a_table_without_names_keeps_its_first_row(tmp_path):
    np.savetxt(tmp_path / "plain.csv", X, delimiter=",")
    np.testing.assert_allclose(read(Request(str(tmp_path / "plain.csv"))).X, X)
    (tmp_path / "said.csv").write_text("a,1\nb,2\n")
    assert read(Request(str(tmp_path / "said.csv"), labels="0", options=Options(header=False))).n == 2


def test_semicolons_part_columns_too(tmp_path):
    table().to_csv(tmp_path / "x.csv", index=False, sep=";")
    assert read(Request(str(tmp_path / "x.csv"), labels="kind", ids="name")).X.shape == (12, 3)


def test_a_column_of_names_is_pointed_out(tmp_path):
    table().assign(id=range(12)).drop(columns=["kind", "name"]).to_csv(tmp_path / "x.csv", index=False)
    assert "--ids id" in read(Request(str(tmp_path / "x.csv"))).found.notes[0]


WRONG = [
    ("x.npy", lambda p: np.save(p, np.array([{}], object), allow_pickle=True), {}, "pickled Python objects"),
    ("x.npz", lambda p: np.savez(p, X=np.array([{}], object)), {}, "pickled Python objects"),
    ("x.npz", lambda p: p.write_bytes(b"PK\x03\x04 broken"), {}, "damaged or no NumPy file"),
    ("x.npy", lambda p: p.write_bytes(b""), {}, "damaged or no NumPy file"),
    ("x.npy", lambda p: np.save(p, X[0]), {}, "one row of 3 numbers"),
    ("x.npy", lambda p: np.save(p, X[:0]), {}, "no objects"),
    ("x.npy", lambda p: np.save(p, X + 1j), {}, "complex128"),
    ("x.npy", lambda p: np.save(p, X), {"columns": ["3"]}, r"no column '3'.*from 0 to 2"),
    ("x.npz", lambda p: np.savez(p, a=X, b=X), {}, "Pass --array with one of: a"),
    ("x.csv", lambda p: p.write_text(""), {}, "is empty"),
    ("x.csv", lambda p: p.write_text("a,b\n"), {}, "is empty"),
    (
        "x.csv",
        lambda p: p.write_text("a,b\n1,2\n3\n"),
        {},
        "x.csv, line 3: 1 value, where the first line has 2",
    ),
    ("x.csv", lambda p: p.write_text('\n\na,b\n"1\n1",2\n\n3,4,5\n'), {}, "x.csv, line 7: 3 values, where"),
    ("x.csv", lambda p: p.write_text("a,a\n1,2\n"), {}, "several columns called 'a'"),
    ("x.csv", lambda p: p.write_text("a,b\n1,2\n"), {"labels": "kind"}, r"no column.*It has 'a', 'b'"),
    ("x.csv", lambda p: p.write_text("a,b\n1,2\n"), {"columns": ["c"]}, "no column 'c'"),
    ("x.csv", lambda p: p.write_text("a,b\n1,\n2,x\n"), {"labels": "b"}, "no value in row 0"),
    ("x.csv", lambda p: p.write_bytes("ä,b\n1,2\n".encode("latin-1")), {}, "UTF-8. Convert it"),
    ("x.csv", lambda p: p.write_bytes("a,b\n1,ä\n".encode("latin-1")), {}, "'b' is no text in UTF-8"),
    ("x.csv", lambda p: p.write_text("a,b\n1,2\n", encoding="utf-16"), {}, "binary or UTF-16"),
    ("x.csv", lambda p: p.write_text("a,b\n1,inf\n2,3\n"), {}, "infinity in 'b'"),
    ("x.csv", lambda p: p.write_text("a,b\n1,\n2,\n"), {"columns": ["b"]}, "no values in 'b'"),
    ("x.csv", lambda p: p.mkdir(), {"format": "csv"}, "is a folder"),
    ("x.png", lambda p: p.write_bytes(b""), {}, "is one picture"),
    ("x.txt", lambda p: p.write_text("a"), {"format": "zarr"}, "is a file, and --format=zarr is a folder"),
    ("x.jsonl", lambda p: p.write_text('{"a": [1], "b": 1}\n'), {}, "column 'a' holds a list"),
    ("x.jsonl", lambda p: p.write_text('{"a": 1}\n{"a": "x"}\n'), {}, "'a' holds values of several kinds"),
    (
        "x.parquet",
        lambda p: p.write_bytes(b"PAR1"),
        {},
        "x.parquet is damaged or no Parquet file: ",
    ),
    (
        "x.parquet",
        lambda p: p.touch(),
        {},
        "x.parquet is damaged or .*: [^']*0 bytes. Write it",
    ),
    (
        "x.feather",
        lambda p: p.write_bytes(b"ARROW1"),
        {},
        "x.feather is damaged or no Feather file: ",
    ),
    ("x.txt", lambda p: p.write_text("\n\n"), {}, "is empty"),
    ("x.txt", lambda p: p.write_bytes(b"ok\n\xff\xfe\n"), {}, "line 2: not UTF-8"),
    ("x.txt", lambda p: p.write_bytes(b"a\0b"), {}, "zero bytes"),
    ("x.jsonl", lambda p: p.write_text('{"a": 1}\n{"a": \n'), {}, "line 2: not JSON"),
    ("x.jsonl", lambda p: p.write_text('{"a": 1}\n[1]\n'), {}, "value 2 is a list"),
    ("x.jsonl", lambda p: p.write_text("1\n2\n"), {}, "holds numbers"),
    ("x.h5", lambda p: p.write_bytes(b"no"), {}, "cannot be read as HDF5"),
    ("x.zarr", lambda p: p.mkdir(), {}, "cannot be read as zarr"),
    ("x", lambda p: p.mkdir(), {}, "holds no pictures"),
    ("x.dat", lambda p: p.write_text("1"), {}, r"ends in \.dat.*Pass --format"),
    ("x.csv", lambda p: p.write_text("a\n1\n"), {"format": "xls"}, "--format=xls is not known"),
]


@pytest.mark.parametrize(("name", "make", "said", "message"), WRONG)
def test_what_is_wrong_is_said(tmp_path, name, make, said, message):
    make(tmp_path / name)
    with pytest.raises(FileError, match=message):
        read(Request(str(tmp_path / name), **said))


def test_a_missing_file_and_one_like_it(tmp_path):
    (tmp_path / "flowers.csv").touch()
    with pytest.raises(FileError, match=r"does not exist\. Did you mean .*flowers\.csv"):
        read(Request(str(tmp_path / "flower.csv")))


def test_too_few_labels(tmp_path):
    np.savez(tmp_path / "x.npz", X=X, y=Y[:5])
    with pytest.raises(FileError, match=r"--labels gives 5 values, but .* holds 12 objects"):
        read(Request(str(tmp_path / "x.npz"), labels="y"))


def test_text_where_numbers_are_compared(tmp_path):
    table().to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(FileError, match=r"--metric=cosine compares numbers.*'kind', 'name'.*--metric gower"):
        read(Request(str(tmp_path / "x.csv")), "cosine")
    (tmp_path / "gaps.csv").write_text("a,b\n1,\n2,3\n")
    with pytest.raises(FileError, match=r"--metric=cosine needs all values, but .* lacks some in 'b'"):
        read(Request(str(tmp_path / "gaps.csv")), "cosine")


@pytest.mark.parametrize(("name", "metric"), [("x.txt", "dtw"), ("x.txt", "gower"), ("x.npy", "levenshtein")])
def test_a_metric_of_other_objects_is_refused(tmp_path, name, metric):
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "x.txt").write_text("one\ntwo\n")
    with pytest.raises(FileError, match=f"{metric} compares .*, but .* holds (strings|numbers)"):
        read(Request(str(tmp_path / name)), metric)


def test_a_broken_picture_is_named(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"\x89PNG no")
    with pytest.raises(FileError, match=r"bad\.png cannot be read as a picture"):
        read(Request(str(tmp_path)))


TABLES = [
    ('"u; in cm",v\n1,2\n3,4\n', ["u; in cm", "v"]),
    ("u;v\n1,5;2\n2,5;3,25\n", ["u", "v"]),
    ("\n\nu,v\n1,2\n3,4\n", ["u", "v"]),
    ("sep=;\nu;v\n1;2\n3;4\n", ["u", "v"]),
    ("u, v\n1, 2\n3, 4\n", ["u", "v"]),
    ("u,v,\n1,2,\n3,4,\n", ["u", "v"]),
    ("\ufeffu\tv\n1\t2\n3\t4\n", ["u", "v"]),
]


@pytest.mark.parametrize(("text", "names"), TABLES)
def test_tables_are_read_as_people_write_them(tmp_path, text, names):
    (tmp_path / "x.csv").write_text(text)
    found = read(Request(str(tmp_path / "x.csv"))).found
    assert (found.names, found.metric, found.X.shape) == (names, "euclidean", (2, 2))


def test_a_decimal_comma_is_one(tmp_path):
    (tmp_path / "x.csv").write_text("u;v\n1,5;2\n2,5;3,25\n")
    found = read(Request(str(tmp_path / "x.csv"))).found
    assert found.X.tolist() == [[1.5, 2], [2.5, 3.25]]
    assert "decimal comma" in found.notes[0]


def test_a_first_line_with_numbers_is_pointed_out(tmp_path):
    (tmp_path / "x.csv").write_text("1,a\n2,b\n3,c\n")
    assert "pass --no-header" in read(Request(str(tmp_path / "x.csv"))).found.notes[0]


def test_packed_tables(tmp_path):
    table().to_csv(tmp_path / "x.csv.gz", index=False)
    np.testing.assert_allclose(read(Request(str(tmp_path / "x.csv.gz"), labels="kind", ids="name")).X, X)


def test_columns_without_values_and_indexes_are_left_out(tmp_path):
    frame = table()[["u", "v"]].assign(none=None)
    frame.index = NAMES
    frame.to_parquet(tmp_path / "x.parquet")
    found = read(Request(str(tmp_path / "x.parquet"))).found
    assert (found.names, found.metric) == (["u", "v"], "euclidean")
    assert "'none'" in found.notes[0]
    assert "--ids __index_level_0__" in found.notes[1]


def test_parquet_folders_may_name_a_column(tmp_path):
    for kind, part in table().groupby("kind"):
        (tmp_path / "x" / f"kind={kind}").mkdir(parents=True)
        part.drop(columns="kind").to_parquet(tmp_path / "x" / f"kind={kind}" / "0.parquet")
    (tmp_path / "x" / "README.md").write_text("no table")
    data = read(Request(str(tmp_path / "x"), labels="kind", ids="name"))
    assert sorted(zip(data.ids, data.labels, strict=True)) == sorted(zip(NAMES, Y, strict=True))


def test_a_folder_of_several_kinds_is_not_guessed(tmp_path):
    table().to_parquet(tmp_path / "x.parquet")
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(FileError, match=r"several kinds: \.parquet, \.png\. Name one of them, or"):
        read(Request(str(tmp_path)))
    assert read(Request(str(tmp_path), format="folder")).n == 1
    assert read(Request(str(tmp_path), format="parquet")).n == 12


def test_a_damaged_part_of_a_folder_is_named(tmp_path):
    table().to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").touch()
    with pytest.raises(FileError, match=r"b\.parquet is damaged or no Parquet file"):
        read(Request(str(tmp_path)))


def test_records_in_records_are_columns(tmp_path):
    lines = [json.dumps({"a": {"b": i, "c": {"d": 2 * i}}}) for i in range(3)]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    found = read(Request(str(tmp_path / "x.jsonl"))).found
    assert (found.names, found.X.tolist()) == (["a.b", "a.c.d"], [[0, 0], [1, 2], [2, 4]])


def records():
    array = np.zeros(12, [("u", ">f4"), ("n", "i2"), ("kind", "S1")])
    array["u"], array["n"], array["kind"] = X[:, 0], range(12), Y
    return array


def test_records_of_numpy_are_tables(tmp_path):
    np.save(tmp_path / "x.npy", records())
    data = read(Request(str(tmp_path / "x.npy"), labels="kind"))
    np.testing.assert_array_equal(data.X, np.stack([X[:, 0].astype("f4"), np.arange(12)], axis=1))
    assert data.labels.tolist() == Y.tolist()
    np.savez(tmp_path / "x.npz", X=records()[["u", "n"]])
    np.testing.assert_array_equal(read(Request(str(tmp_path / "x.npz"))).X, data.X)


def test_series_and_groups_in_hdf5(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        runs = file.create_dataset("g/runs", (3,), dtype=h5py.vlen_dtype("f8"))
        for i in range(3):
            runs[i] = np.arange(i + 1)
        file["none"], file["scalar"] = h5py.Empty("f8"), 1.0
    found = read(Request(str(tmp_path / "x.h5"), options=Options(array="/g/runs"))).found
    assert found.metric == "dtw"
    assert [list(run) for run in found.X] == [[0], [0, 1], [0, 1, 2]]


def test_groups_in_zarr(tmp_path):
    zarr.open_group(tmp_path / "x", mode="w", zarr_format=2).create_group("g").create_array("X", data=X)
    np.testing.assert_array_equal(read(Request(str(tmp_path / "x"))).X, X)


@pytest.mark.parametrize("ending", ["npy", "npz", "h5", "parquet", "csv"])
def test_a_pipe_cannot_be_sought(tmp_path, monkeypatch, ending):
    path = tmp_path / f"x.{ending}"
    WRITERS.get(ending, lambda path: np.save(path, X))(path)

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *arguments):
            raise io.UnsupportedOperation

        tell = seek

    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": Pipe(path.read_bytes())}))
    names = {} if ending == "npy" else {"labels": "kind", "ids": "name"}
    np.testing.assert_allclose(read(Request("-", format=ending, **names)).X, X)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.array([1.0, 2, 1, 2]), [1, 2, 1, 2]),
        (np.array([b"a", b"b", b"a", b"b"]), ["a", "b", "a", "b"]),
        (np.array(["2024-01-01", "2024-01-02"] * 2, "M8[D]"), ["2024-01-01", "2024-01-02"] * 2),
        (np.array([True, False] * 2), [True, False] * 2),
    ],
)
def test_labels_of_any_type_are_classes(tmp_path, labels, expected):
    np.savez(tmp_path / "x.npz", X=X[:4], y=labels)
    assert read(Request(str(tmp_path / "x.npz"), labels="y")).labels.tolist() == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1.0, np.nan], "no value for object 1"),
        ([0.5, 1.0], "with a fraction, such as 0.5"),
        ([1j, 2j], "holds no classes"),
    ],
)
def test_what_is_no_class_is_refused(tmp_path, labels, message):
    np.savez(tmp_path / "x.npz", X=X[:2], y=labels)
    with pytest.raises(FileError, match=f"--labels=y .*{message}"):
        read(Request(str(tmp_path / "x.npz"), labels="y"))


def test_what_is_hidden_is_no_picture(tmp_path):
    Image.fromarray(np.zeros((4, 4), np.uint8)).save(tmp_path / "shown.png")
    (tmp_path / "._shown.png").write_bytes(b"about shown.png")
    assert read(Request(str(tmp_path))).n == 1


def write_packed(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=LARGE, chunks=(500, 30), compression="gzip")


def write_large_zarr(path):
    array = zarr.open_array(path, mode="w", shape=LARGE.shape, chunks=(500, 30), dtype="f8", zarr_format=2)
    array[:] = LARGE


LARGE = np.round(rng.normal(size=(3_000, 30)), 3)
LARGE_WRITERS = {
    "h5": write_packed,
    "zarr": write_large_zarr,
    "parquet": lambda path: pd.DataFrame(LARGE).rename(columns=str).to_parquet(path, row_group_size=800),
    "npy": lambda path: np.save(path, LARGE),
}


@pytest.mark.parametrize("ending", LARGE_WRITERS)
def test_large_files_stay_where_they_are(protopick, here, ending):
    path = here / f"large.{ending}"
    LARGE_WRITERS[ending](path)
    with config_context(working_memory=1):
        assert isinstance(read(Request(str(path))).X, np.memmap if ending == "npy" else Stored)
        chosen = read(Request(str(path), columns=["1", "5"])).X
        np.testing.assert_array_equal(chosen[:7], LARGE[:7, [1, 5]])
        (here / "y.txt").write_text("\n".join("ab"[i % 2] for i in range(len(LARGE))))
        protopick(
            "pick", path, "-k", 4, "--method", "swap", "--labels", "y.txt", "--memory", "1M",
            "--report", "page.html", "--save", "m",
        )  # fmt: skip
        protopick("apply", "m", path, "--out", "space.npy", "--memory", "1M")
    assert isinstance(read(Request(str(path)), "dtw").X, np.ndarray)
    expected = SwapSelector(4, random_state=0).fit(LARGE, [i % 2 for i in range(len(LARGE))])
    np.testing.assert_array_equal(np.load("space.npy"), expected.transform(LARGE)[:, expected.order_])
