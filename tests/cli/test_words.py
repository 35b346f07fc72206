import ast
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import protopick
from protopick import AutoSelector, FarthestFirstSelector, GeneticSelector, SwapSelector
from protopick.cli.words import IN_OPTIONS, in_options
from protopick.diagnostics import describe

rng = np.random.default_rng(0)
PYTHON = ("Selector", "n_pivots", "n_jobs", "forecast(", "max_dissimilarities", "clustered=", "None")


def torch_rows():
    return pytest.importorskip("torch").zeros(3, 2)


def told(fit):
    with pytest.raises(ValueError, match=r".") as raised:
        fit()
    return in_options(" ".join(str(raised.value).split()))


@pytest.mark.parametrize(
    ("fit", "said"),
    [
        (
            lambda: SwapSelector(9, criterion="coverage").fit(np.eye(4)),
            "-k 9 is above the number of candidates, 4 (n_samples = 4). Pass at most 4.",
        ),
        (
            lambda: AutoSelector(2, per_class=2).fit(np.eye(4), [0, 0, 1, 1]),
            "--per-class 2 needs from 4 to 4 prototypes, but -k 2. Change one of the two.",
        ),
        (
            lambda: AutoSelector(2).fit(np.eye(4), [1, 1, 1, 1]),
            "--method auto with labels needs at least 2 classes, got one class only: 1. Pass "
            "all labels, or choose a method that needs none.",
        ),
        (
            lambda: GeneticSelector(3).fit(np.eye(4)[[0, 0, 0, 1]]),
            "Clusters need at least -k 3 distinct objects, but all candidates equal one of 2 under this "
            "metric. Lower -k.",
        ),
        (
            lambda: GeneticSelector(3, n_pivots=1, random_state=0).fit(np.eye(4)),
            "Clusters need at least -k 3 distinct objects, but all candidates equal one of 2 by their "
            "pivots. Take more --pivots or lower -k.",
        ),
        (
            lambda: FarthestFirstSelector(1, metric="haversine").fit(torch_rows()),
            "metric is not computed on tensors (X is on 'cpu'). Leave --device out, or choose euclidean, "
            "sqeuclidean, cosine, correlation, mahalanobis, seuclidean, cityblock, chebyshev, minkowski, "
            "canberra, braycurtis, hamming, precomputed.",
        ),
    ],
)
def test_errors_speak_of_options(fit, said):
    assert told(fit) == said


@pytest.mark.parametrize(
    "changed",
    [
        {"seconds_each": 10.0},
        {"n_duplicates": 30},
        {"hubness": 3.0},
        {"triangle_violations": 0.5},
        {"negative_eigenfraction": 0.5, "n_classes": None},
    ],
)
def test_advice_speaks_of_options(changed):
    found = describe(rng.normal(size=(60, 3)), y=rng.integers(0, 2, 60))
    for name, value in changed.items():
        object.__setattr__(found, name, value)
    said = " ".join(map(in_options, found.advice))
    assert not [word for word in PYTHON if word in said], said


@pytest.mark.parametrize("own", ["n_jobs", "X[3]", "per_class", "it's of X", 'a "n_jobs"'])
@pytest.mark.parametrize(
    ("fit", "said"),
    [
        (
            lambda own: SwapSelector(1, per_class={own: 1}).fit(np.eye(2), ["a", "b"]),
            "--per-class names the label {own!r}, which no object has.",
        ),
        (lambda own: AutoSelector(1).fit(np.eye(2), [own, own]), "got one class only: {own!r}. Pass"),
        (
            lambda own: FarthestFirstSelector(1).fit(pd.DataFrame({own: [1.0, np.nan]})),
            "The file contains NaN, first at row 1, column {own!r}. Fill",
        ),
        (
            lambda own: FarthestFirstSelector(1, metric="levenshtein", metric_params={"normalized": own}).fit(
                ["a"]
            ),
            "--metric-param has normalized={own!r}, ",
        ),
    ],
)
def test_what_the_user_wrote_stays(fit, said, own):
    assert said.format(own=own) in told(lambda: fit(own))


def test_what_was_cut_off_stays():
    own = "n_jobs in y, per_class of X[3] and much more"
    said = told(lambda: FarthestFirstSelector(1).fit(pd.DataFrame({"a": [own]})))
    assert f"{own!r:.40} of type str" in said


def test_paths_stay():
    found = in_options("path=/n_jobs/X[3].model is not there. Name a file that protopick saved.")
    assert found == "MODEL=/n_jobs/X[3].model is not there. Name a file that protopick saved."
    assert in_options("--out=n_jobs.png is not allowed.") == "--out=n_jobs.png is not allowed."


def test_what_was_passed_for_an_option_stays():
    assert in_options("metric='n_jobs' is unknown.") == "--metric n_jobs is unknown."
    assert in_options("metric='3 of X' is unknown.") == "--metric '3 of X' is unknown."


def test_every_rule_is_for_a_sentence_of_the_library():
    unused = dict(IN_OPTIONS)
    for sentence in sentences():
        for pattern, instead in IN_OPTIONS.items():
            sentence, n = re.subn(pattern, instead, sentence)
            if n:
                unused.pop(pattern, None)
    assert not list(unused)  # what the library no longer says needs no rule


def sentences():
    """Yield the texts of the library, with something in the places of values."""
    package = Path(protopick.__file__).parent
    for path in package.rglob("*.py"):
        if package / "cli" in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.strip().partition("\n")[0]
            if isinstance(node, ast.JoinedStr):
                for value in ("1", "Selector: x"):
                    yield "".join(filled(node.values, value))


def filled(parts, value):
    for part, following in pairwise([*parts, ast.Constant("")]):
        if isinstance(part, ast.Constant):
            yield part.value
        else:
            names_rows = isinstance(following, ast.Constant) and following.value.startswith("[")
            yield "prototypes_" if names_rows else value


def test_an_open_quote_with_many_backslashes_takes_no_time():
    text = "Column '" + "\\a" * 500
    assert in_options(text) == text
