import os
import signal

import joblib
import numpy as np
import pytest

from protopick import FarthestFirstSelector

WORDS = ["a", "bb", "cccc", "dddddddd", "e", "ff"]


def gap(a, b):
    return abs(len(a) - len(b))


def die(a, b):
    os.kill(os.getpid(), signal.SIGKILL)


def selector(metric=gap, n_jobs=2):
    return FarthestFirstSelector(3, metric=metric, n_jobs=n_jobs, random_state=0)


@pytest.mark.parametrize("joblib_first", [False, True])
def test_joblib_keeps_its_own_processes(joblib_first):
    expected = selector(n_jobs=None).fit(WORDS).prototype_indices_
    for _ in range(2):
        if joblib_first:
            assert joblib.Parallel(2)(joblib.delayed(len)(word) for word in WORDS) == [1, 2, 4, 8, 1, 2]
        np.testing.assert_array_equal(selector().fit(WORDS).prototype_indices_, expected)
        assert joblib.Parallel(2)(joblib.delayed(len)(word) for word in WORDS) == [1, 2, 4, 8, 1, 2]


def test_other_numbers_of_processes_take_turns():
    found = [selector(n_jobs=n_jobs).fit(WORDS).prototype_indices_.tolist() for n_jobs in (2, 3, 2)]
    assert found[0] == found[1] == found[2]


def test_after_a_process_was_killed_there_are_new_ones():
    with pytest.raises(RuntimeError, match="terminated"):
        selector(die).fit(WORDS)
    assert len(selector().fit(WORDS).prototype_indices_) == 3
