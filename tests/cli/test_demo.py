import json
import sys

import pytest
from typer.testing import CliRunner

import protopick
from protopick.cli import app

run = CliRunner().invoke
module = sys.modules["protopick.cli.demo"]  # the name is taken by the command


@pytest.fixture(autouse=True)
def short(monkeypatch):
    short = {"n_splits": 1, "sizes": (4,)}
    measure = module.measure
    monkeypatch.setattr(module, "measure", lambda seed, **more: measure(seed, **(more | short)))


def test_the_table_names_all_methods_of_the_paper():
    done = run(app, ["demo", "--seed", "1"])
    assert done.exit_code == 0
    for method in ("Random", "FFT", "Kcentres", "FS", "GA MST", "GA (clust) MST", "GA sup", "GA (clust) sup"):
        assert method in done.stdout
    assert "1-NN" in done.stdout


def test_json_is_for_machines():
    report = json.loads(run(app, ["demo", "--json"]).stdout)
    text = json.dumps(report)
    assert "GA (clust) sup" in text
    assert "QDC" in text


def test_version_and_help():
    assert protopick.__version__ in run(app, ["--version"]).stdout
    assert "demo" in run(app, ["--help"]).stdout
    assert run(app, ["demo", "--seed", "-1"]).exit_code != 0
