import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import protopick_command
from protopick import AutoSelector, GeneticSelector, SwapSelector, load, qdc

NUMBERS = ["sepal length", "sepal width", "petal length", "petal width"]


def written(path="prototypes.csv"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_file_holds_what_the_selector_picks(protopick, flowers):
    done = protopick("pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 6, "--seed", 3)
    X, y = flowers[NUMBERS].to_numpy(), flowers["species"].to_numpy()
    auto = AutoSelector(6, estimator=qdc(), random_state=3).fit(X, y)
    rows = written()
    assert list(rows[0]) == ["rank", "index", "id", "label", "size", "purity"]
    assert [int(row["rank"]) for row in rows] == list(range(1, 7))
    picked = auto.prototype_indices_[auto.order_]
    assert [int(row["index"]) for row in rows] == picked.tolist()
    assert [row["id"] for row in rows] == [f"flower {i}" for i in picked]
    assert [row["label"] for row in rows] == y[picked].tolist()
    nearest = auto.transform(X).argmin(axis=1)  # ties go to the lowest position, whatever the order
    assert [int(row["size"]) for row in rows] == np.bincount(nearest, minlength=6)[auto.order_].tolist()
    for j, row in zip(auto.order_, rows, strict=True):
        assert float(row["purity"]) == pytest.approx((y[nearest == j] == row["label"]).mean(), abs=1e-4)
    assert "6 of 150 objects stand for flowers.csv" in done.stdout


def test_json_is_for_machines(protopick, flowers):
    done = protopick("pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 5, "--json")
    found = json.loads(done.stdout)
    assert found["n_objects"] == 150
    assert found["metric"] == "euclidean"
    assert [row["index"] for row in found["prototypes"]] == [int(row["index"]) for row in written()]
    assert found["written"] == {"prototypes": "prototypes.csv"}


def test_prototypes_can_go_to_standard_output(protopick, flowers, here):
    done = protopick(
        "pick", "flowers.csv", "--columns", NUMBERS[0], "-k", 3, "--method", "random", "--out", "-"
    )
    assert done.stdout.startswith("rank,index,id,label,size,purity\n1,")
    assert not (here / "prototypes.csv").exists()


@pytest.mark.parametrize("method", ["genetic", "swap"])
@pytest.mark.parametrize("labelled", [True, False])
def test_methods_take_the_criterion_that_suits(protopick, flowers, method, labelled):
    columns = ",".join(NUMBERS)
    labels = ["--labels", "species"] if labelled else []
    protopick("pick", "flowers.csv", "--columns", columns, *labels, "-k", 4, "--method", method, "--seed", 1)
    unsupervised = {"genetic": "spanning-tree", "swap": "coverage"}[method]
    criterion = "label-match" if labelled else unsupervised
    kind = {"genetic": GeneticSelector, "swap": SwapSelector}[method]
    selector = kind(4, criterion=criterion, random_state=1).fit(
        flowers[NUMBERS].to_numpy(), flowers["species"]
    )
    assert {int(row["index"]) for row in written()} == set(selector.prototype_indices_.tolist())


def test_a_span_of_columns_leaves_out_the_labels_and_the_names(protopick, flowers):
    same = "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 4, "--method", "swap"
    done = protopick(*same, "--columns", "0:6")
    assert "Left out, since it tells the labels or names: 'species', 'name'." in done.stderr
    by_span = written()
    protopick(*same)
    assert by_span == written()


@pytest.mark.parametrize("columns", ["species", "0:2,4", "0:2,species"])
def test_labels_are_not_compared(protopick, flowers, columns):
    done = protopick("pick", "flowers.csv", "--labels", "species", "--columns", columns, "-k", 4, code=1)
    assert "column 'species' of flowers.csv tells the labels or names" in done.stderr


def test_a_span_of_labels_and_names_alone_is_nothing_to_compare(protopick, flowers):
    same = "pick", "flowers.csv", "--labels", "species", "--ids", "name"
    done = protopick(*same, "--columns", "4:6", code=1)
    assert "--columns has only 'species', 'name' of flowers.csv" in done.stderr


def test_a_page_does_not_go_to_standard_output(protopick, flowers, here):
    protopick("pick", "flowers.csv", "-k", 3, "--report", "-", code=1)
    assert not (here / "-").exists()


@pytest.mark.parametrize("command", [["pick", "flowers.csv", "-k", 3], ["describe", "flowers.csv"], ["demo"]])
def test_a_report_is_a_page(protopick, flowers, command):
    done = protopick(*command, "--report", "report.txt", code=1)
    assert done.stderr.startswith("Error: --report=report.txt is not allowed.")
    assert "Name a file that ends in .html or .htm." in done.stderr


@pytest.mark.parametrize(("option", "name"), [(["--classifier", "1-nn"], "1-NN"), ([], "qdc")])
def test_the_page_judges_by_the_classifier_that_is_asked_for(protopick, flowers, here, option, name):
    protopick(
        "pick", "flowers.csv", "--labels", "species", "--columns", "0:4", "-k", 4, "--method", "swap",
        "--report", "page.html", *option,
    )  # fmt: skip
    assert f"error of {name}, cross-validated" in (here / "page.html").read_text()


def test_the_page_has_no_folders_of_whoever_made_it(protopick, flowers, here, monkeypatch):
    arguments = (
        "pick", str(here / "flowers.csv"), "--method", "random", "--columns", "0:4",
        f"--report={here / 'page.html'}",
    )  # fmt: skip
    monkeypatch.setattr("sys.argv", ["/some/where/protopick", *arguments])
    protopick(*arguments)
    text = (here / "page.html").read_text()
    assert "protopick pick flowers.csv --method random --columns 0:4 --report=page.html<" in text
    assert str(here) not in text


def test_options_reach_the_selector(protopick, words):
    done = protopick(
        "pick", "words.txt", "-k", 3, "--method", "swap", "--criterion", "radius", "--pivots", 8,
        "--metric", "levenshtein", "--metric-param", "normalized=true", "--jobs", 1, "--memory", "200M",
        "--json",
    )  # fmt: skip
    said = json.loads(done.stdout)["selector"]
    for part in ("criterion='radius'", "n_pivots=8", "{'normalized': True}", "n_jobs=1"):
        assert part in said


def test_strings_are_compared_by_edits(protopick, words):
    done = protopick("pick", "words.txt", "-k", 3)
    assert "levenshtein (strings)" in done.stdout
    assert written()[0]["label"] == ""
    assert [row["id"] for row in written()] == [words[int(row["index"])] for row in written()]


def test_at_least_so_many_of_each_class(protopick, flowers):
    protopick("pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 6, "--per-class", 2)
    labels = [row["label"] for row in written()]
    assert {label: labels.count(label) for label in labels} == dict.fromkeys(set(flowers["species"]), 2)


def test_automatic_number(protopick, flowers):
    protopick(
        "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", "auto", "--method", "random"
    )
    assert len(written()) >= 2


def test_a_report_and_a_model(protopick, flowers, here):
    done = protopick(
        "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 5,
        "--report", "page.html", "--save", "flowers.model", "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["written"] == {
        "prototypes": "prototypes.csv",
        "report": "page.html",
        "model": "flowers.model",
    }
    page = (here / "page.html").read_text()
    assert "setosa" in page
    model = load("flowers.model")
    assert model[0].prototype_indices_.size == 5


def test_a_report_has_the_names_of_the_columns(protopick, flowers, here):
    asked = "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 2, "--method", "random"
    protopick(*asked, "--report", "page.html")
    page = (here / "page.html").read_text()
    assert all(name in page for name in NUMBERS)
    assert "column 0" not in page
    np.save("x.npy", flowers[NUMBERS].to_numpy())
    protopick("pick", "x.npy", "--columns", "2:4", "-k", 2, "--method", "random", "--report", "page.html")
    page = (here / "page.html").read_text()
    assert "column 2" in page
    assert "column 1" not in page


def test_a_report_of_lists_in_a_column(protopick, here):
    (here / "x.jsonl").write_text('{"s": [1, 2, 3]}\n{"s": [1, 2, 4]}\n{"s": [5, 2, 3]}\n')
    protopick("pick", "x.jsonl", "-k", 2, "--method", "random", "--report", "page.html")
    assert "column 2" in (here / "page.html").read_text()


WRONG = [
    (["flower.csv"], "does not exist. Did you mean flowers.csv?"),
    (["flowers.csv", "--labels", "kind"], "--labels=kind: flowers.csv has no column"),
    (["flowers.csv", "--columns", "a"], "no column 'a'"),
    (["flowers.csv", "--metric", "euclidian"], "Did you mean 'euclidean'"),
    (["flowers.csv", "--metric", "euclidean"], "'species', 'name'. Leave them out by --columns"),
    (["flowers.csv", "--metric", "foo"], "wasserstein_1d, yule."),
    (["flowers.csv", "--metric", "foo"], "--metric foo is unknown"),
    (["flowers.csv", "--jobs", "0"], "-1 for all cores, or leave it out for as many as"),
    (
        ["flowers.csv", "--method", "swap", "--criterion", "label-match"],
        "--criterion label-match needs to know the classes. Pass --labels, or choose",
    ),
    (
        ["flowers.csv", "--method", "forward"],
        "--method forward needs to know the classes. Pass --labels, or choose",
    ),
    (
        ["flowers.csv", "--method", "swap", "--pivots", "1000"],
        "--pivots 1000 is above the number of objects, 150. Pass at most 150, or leave it out to search",
    ),
    (["flowers.csv", "--method", "best"], "--method=best is not known. Allowed are auto"),
    (["flowers.csv", "--criterion", "radius"], "--criterion applies to --method genetic and swap"),
    (["flowers.csv", "--method", "swap", "--criterion", "best"], "--criterion=best is not known"),
    (["flowers.csv", "--classifier", "svm"], "--classifier=svm is not known"),
    (["flowers.csv", "-k", "0"], "-k 0 is not allowed"),
    (["flowers.csv", "-k", "many"], "-k many is not allowed"),
    (
        ["flowers.csv", "--columns", NUMBERS[0], "-k", "151"],
        "151 is above the number of objects. Pass",
    ),
    (["flowers.csv", "--memory", "much"], "--memory=much is not allowed"),
    (["flowers.csv", "--metric-param", "window"], "Pass name=value"),
    (["flowers.csv", "--metric-param", "window="], "Pass name=value"),
    (["flowers.csv", "--metric-param", "window=1"], "--metric-param has ['window'] but --metric gower"),
    (["flowers.csv", "--metric-param", "weights=1,2.5"], "its value is no JSON"),
    (["flowers.csv", "--metric-param", "weights=1,2.5"], "such as 'weights=[1,2.5]'."),
    (["flowers.csv", "--metric-param", "categorical=a,b"], 'such as \'categorical=["a","b"]\'.'),
    (["flowers.csv", "--metric-param", "categorical=[a, b]"], 'such as \'categorical=["a","b"]\'.'),
    (["flowers.csv", "--metric-param", "normalized=True"], "such as normalized=true."),
    (["flowers.csv", "--metric-param", "weights=[1, 2]"], "has 2 weights, but the file has 6 columns"),
    (["flowers.csv", "--metric", "levenshtein"], "Choose one of these by --columns: 'species', 'name'"),
    (["flowers.csv", "--per-class", "2"], "--per-class needs to know the classes"),
    (["flowers.csv", "--method", "random", "--pivots", "8"], "--pivots does not apply to --method random"),
    (
        ["flowers.csv", "--labels", "species", "--ids", "name", "-k", "3", "--per-class", "5"],
        "--per-class 5 needs from 15 to 150 prototypes, but -k 3",
    ),
    (["flowers.csv", "--image-size", "big"], "--image-size=big is not allowed"),
    (["flowers.csv", "--image-size", "9x9"], "--image-size applies to folders of pictures, not to .csv."),
    (["flowers.csv", "--array", "X"], "--array applies to .npz, .h5, .hdf5, .zarr, not to .csv. Leave it"),
    (["flowers.csv", "--classifier", "ldc"], "--classifier needs to know the classes. Pass --labels, or"),
    (["flowers.csv", "--label-names", "n"], "--label-names names the classes of --labels. Pass both"),
    (["flowers.csv", "--out", "p.npy"], "--out=p.npy is not allowed. Name a file that ends in .csv, or -."),
    (["flowers.csv", "--out", "no/such/p.csv"], "--out=no/such/p.csv: the folder"),
    (["flowers.csv", "--report", "."], "--report=. is a folder"),
    (["flowers.csv", "--save", "./prototypes.csv"], "--out and --save name the same file"),
    (
        ["flowers.csv", "--save", "other.csv"],
        "--save=other.csv is not allowed. Name a file that ends in .model",
    ),
    (
        ["flowers.csv", "--save", "-"],
        "--save=- is not allowed. Name a file that ends in .model or .protopick.",
    ),
    (["flowers.csv", "--out", "./flowers.csv"], "--out=./flowers.csv would replace a file that is read"),
    (["prototypes.csv"], "--out=prototypes.csv would replace a file that is read"),
    (["-"], "Pass --format"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_a_mistake_is_one_sentence_and_writes_nothing(protopick, flowers, here, arguments, message):
    (here / "prototypes.csv").write_text("before")
    done = protopick("pick", *arguments, code=1)
    said = " ".join(done.stderr.split())
    assert message in said
    assert said.startswith("Error: ")
    assert done.stdout == ""
    assert (here / "prototypes.csv").read_text() == "before"
    assert sorted(path.name for path in here.iterdir()) == ["flowers.csv", "prototypes.csv"]


def test_debug_shows_where_it_came_from(flowers):
    from typer.testing import CliRunner

    from protopick.cli import app

    with pytest.raises(ValueError, match="does not exist"):
        CliRunner().invoke(app, ["pick", "no.csv", "--debug"], catch_exceptions=False)


def test_an_interrupt_leaves_what_was_there(protopick, flowers, here, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("protopick.report.charts.plotly_script", interrupted)
    (here / "prototypes.csv").write_text("before")
    done = protopick(
        "pick", "flowers.csv", "--labels", "species", "--ids", "name", "--method", "random",
        "--report", "p.html", code=130,
    )  # fmt: skip
    assert "Stopped" in done.stderr
    assert (here / "prototypes.csv").read_text() == "before"
    assert not (here / "p.html").exists()


def test_a_full_disk_leaves_what_was_there(flowers, here):
    """A limit on the size of files stands for the disk: writing fails in the middle in the same way."""
    (here / "page.html").write_text("before")
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "from protopick.cli import app; app(sys.argv[1:])"
    )
    arguments = "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", "3", "--method", "random"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # compiles nothing that it could not keep
    done = subprocess.run(
        [sys.executable, "-c", limited, *arguments, "--report", "page.html"],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert (here / "page.html").read_text() == "before"
    assert sorted(path.name for path in here.iterdir()) == ["flowers.csv", "page.html"]


def test_a_pipe_that_closes_early_is_no_error(flowers):
    many = f"{sys.executable} -c 'from protopick.cli import app; app()' metrics | head -n 1"
    done = subprocess.run(many, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
def test_files_without_permission(protopick, flowers, here):
    (here / "flowers.csv").chmod(0)
    assert "Permission denied" in protopick("pick", "flowers.csv", code=1).stderr


def test_missing_values_are_told_in_a_sentence(protopick):
    np.save("x.npy", np.array([[1.0, np.nan], [2.0, 3.0], [0.0, 1.0]]))
    said = protopick("pick", "x.npy", "-k", 2, code=1).stderr
    assert "The file contains NaN, first at row 0, column 1 (counted from 0). Fill the gaps" in said
    assert "--metric nan_euclidean for numbers, --metric gower for tables" in said
    protopick("pick", "x.npy", "-k", 2, "--metric", "gower")


def test_a_gap_in_a_matrix_is_told_in_its_own_words(protopick):
    D = 1 - np.eye(4)
    D[1, 2] = np.nan
    np.save("d.npy", D)
    said = protopick("pick", "d.npy", "-k", 2, code=1).stderr
    assert "first at row 1, column 2 (counted from 0). Compute what is missing" in said


def test_a_long_name_takes_one_line(protopick, here):
    (here / "x.csv").write_text("name,a\n" + "".join(f'"{"long " * 40}\n{i}",{i}\n' for i in range(5)))
    done = protopick("pick", "x.csv", "--ids", "name", "-k", 2, "--method", "random")
    shown = [line for line in done.stdout.splitlines() if "long" in line]
    assert len(shown) == 2
    assert max(map(len, shown)) <= 80
    assert "\n" in written()[0]["id"]


def test_json_takes_the_place_of_lines_on_standard_output(protopick, flowers, here):
    done = protopick(
        "pick", "flowers.csv", "--ids", "name", "-k", 3, "--method", "random", "--out", "-", "--json"
    )
    assert len(json.loads(done.stdout)["prototypes"]) == 3
    assert not (here / "prototypes.csv").exists()


def test_names_of_columns_may_hold_commas(protopick, here):
    (here / "x.csv").write_text('"a,b",c\n1,2\n3,4\n')
    done = protopick("pick", "x.csv", "--columns", '"a,b"', "-k", 1, "--save", "m")
    assert "euclidean" in done.stdout
    assert load("m").feature_names_in_.tolist() == ["a,b"]


def test_the_same_warning_is_told_once(protopick):
    np.savez("x.npz", X=np.arange(24.0).reshape(12, 2), y=np.arange(12))
    done = protopick("pick", "x.npz", "--labels", "y", "-k", 2)
    assert done.stderr.count("unique classes") <= 1


def test_an_interrupt_while_the_library_is_imported_is_quiet(monkeypatch):
    class Interrupted:
        def find_spec(self, name, *rest):
            if name == "protopick.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "protopick.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        protopick_command.main()
    assert stopped.value.code == 130


def test_a_narrow_terminal_cuts_names_and_not_numbers(protopick, flowers, monkeypatch):
    monkeypatch.setenv("COLUMNS", "48")
    flowers.assign(name="a long name of a flower").to_csv("flowers.csv", index=False)
    done = protopick("pick", "flowers.csv", "--ids", "name", "--labels", "species", "-k", 3, "--seed", 1)
    lines = done.stdout.splitlines()
    for row in written():
        cells = next(line.split() for line in lines if line.split()[:2] == [row["rank"], row["index"]])
        assert row["size"] in cells


class TestDevice:
    def test_without_torch(self, protopick, here, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        np.save("x.npy", np.eye(4))
        said = protopick("pick", "x.npy", "-k", 2, "--device", "cuda", code=1).stderr
        assert "torch, which is not installed" in said
        assert said.endswith("or leave --device out.\n")

    def test_the_same_is_picked_there(self, protopick, flowers):
        pytest.importorskip("torch")
        asked = "pick", "flowers.csv", "--labels", "species", "--ids", "name", "-k", 5
        protopick(*asked)
        on_host = written()
        protopick(*asked, "--device", "cpu", "--save", "model.protopick", "--report", "page.html")
        assert written() == on_host
        assert isinstance(load("model.protopick")[0].prototypes_, np.ndarray)

    def test_one_that_is_not_there(self, protopick, flowers, here):
        pytest.importorskip("torch")
        done = protopick("pick", "flowers.csv", "--labels", "species", "--device", "nowhere", code=1)
        assert "--device=nowhere cannot be used" in done.stderr
        assert "Choose cpu, or cuda" in done.stderr
        assert not (here / "prototypes.csv").exists()

    def test_what_is_not_rows_of_numbers(self, protopick, here):
        pytest.importorskip("torch")
        (here / "words.txt").write_text("one\ntwo\nthree\n")
        done = protopick("pick", "words.txt", "-k", 2, "--device", "cpu", code=1)
        assert "--device=cpu applies to rows of numbers" in done.stderr
