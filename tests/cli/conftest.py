import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from protopick.cli import app


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def protopick(here):
    """Run a command in an empty folder."""

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert done.exit_code == code, done.output
        if code:
            assert "Traceback" not in done.output
        return done

    return run


@pytest.fixture
def flowers(here):
    iris = load_iris()
    frame = pd.DataFrame(iris.data, columns=["sepal length", "sepal width", "petal length", "petal width"])
    frame = frame.assign(
        species=iris.target_names[iris.target], name=[f"flower {i}" for i in range(len(frame))]
    )
    frame.to_csv("flowers.csv", index=False)
    return frame


@pytest.fixture
def words(here):
    rng = np.random.default_rng(0)
    made = ["".join(rng.choice(list("abcd"), rng.integers(3, 9))) for _ in range(60)]
    (here / "words.txt").write_text("\n".join(made) + "\n")
    return made
