import numpy as np
import pytest

from protopick import AutoSelector, SwapSelector
from protopick.cli.words import in_options
from protopick.diagnostics import describe

rng = np.random.default_rng(0)
PYTHON = ("Selector", "n_pivots", "n_jobs", "forecast(", "max_dissimilarities", "clustered=", "None")


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
            "--method auto with labels needs at least 2 classes in the labels, got one class only: 1. Pass "
            "all labels, or choose a method that needs none.",
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
