"""What the commands write appears together at their end, and what it replaces is told."""

import subprocess
import sys

import pytest

PICK = "pick", "flowers.csv", "--columns", "0:4", "-k", "3", "--method", "random"
REPLACED = "Note: {} was there before, and was replaced. Name another file by --out to keep it."


@pytest.fixture
def there(here):
    """Make files that are there before a command, and return what tells whether they are as they were."""

    def put(*names):
        for name in names:
            (here / name).write_text("before")
        found = sorted(path.name for path in here.iterdir())

        def as_they_were():
            return found == sorted(path.name for path in here.iterdir()) and all(
                (here / name).read_text() == "before" for name in names
            )

        return as_they_were

    return put


def test_nothing_is_replaced_where_one_of_the_outputs_fails(protopick, flowers, there):
    as_they_were = there("old.html", "old.model")
    done = protopick(*PICK, "--report", "old.html", "--save", "old.model", "--out", "/dev/full", code=1)
    assert "No space left on device. Files that were there before are as they were." in done.stderr
    assert as_they_were()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (PICK, "prototypes.csv"),
        (("apply", "old.model", "flowers.csv"), "features.csv"),
        (("describe", "flowers.csv", "--report", "old.html"), "old.html"),
    ],
)
def test_nothing_is_replaced_where_the_result_cannot_be_said(protopick, flowers, there, arguments, name):
    protopick(*PICK, "--save", "old.model", "--out", "-")
    as_they_were = there(name)
    run = [sys.executable, "-c", "from protopick.cli import app; app()", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "Error: No space left on device. Files that were there before are as they were.\n"
    assert as_they_were()


def test_a_reader_who_has_seen_enough_leaves_the_files(flowers, here):
    run = [sys.executable, "-c", "from protopick.cli import app; app()", *PICK, "--save", "new.model"]
    with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        assert running.stderr.read() == ""
    assert (here / "prototypes.csv").read_text().startswith("rank,")
    assert (here / "new.model").exists()


def test_a_file_that_nobody_named_is_told_when_it_is_replaced(protopick, flowers):
    assert "replaced" not in protopick(*PICK, "--save", "new.model").stderr
    assert REPLACED.format("prototypes.csv") in protopick(*PICK).stderr
    assert "replaced" not in protopick(*PICK, "--out", "prototypes.csv").stderr


def test_so_are_features_and_predictions(protopick, flowers):
    protopick(*PICK, "--labels", "species", "--save", "new.model")
    for option, name in (((), "features.csv"), (("--predict",), "predictions.csv")):
        apply = "apply", "new.model", "flowers.csv", *option
        assert "replaced" not in protopick(*apply).stderr
        assert REPLACED.format(name) in protopick(*apply).stderr
        assert "replaced" not in protopick(*apply, "--out", name).stderr


def test_help_says_which_prototype_a_column_is_of(protopick):
    said = " ".join(protopick("apply", "--help").stdout.split())
    assert "dissimilarities to the prototypes of rank 1, 2 and so on in prototypes.csv" in said


def test_help_says_what_a_page_holds(protopick):
    said = " ".join(protopick("pick", "--help").stdout.replace("│", "").split())
    assert "It also holds what its map shows of up to some thousand other objects" in said
