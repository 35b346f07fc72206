"""Streamlines: the definition, resampling along the curve, and either direction."""

import numpy as np
import pytest

from protopick import FarthestFirstSelector, GeneticSelector, Ragged
from protopick.dissimilarity import resolve

from .test_series import block, walks


def along_the_curve(line, n_points):
    """Points at equal distances along a line, one by one."""
    line = np.asarray(line, float)
    lengths = np.concatenate(([0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))))
    wanted = np.linspace(0, lengths[-1], n_points)
    return np.column_stack([np.interp(wanted, lengths, line[:, f]) for f in range(line.shape[1])])


def definition(a, b):
    direct = np.mean(np.linalg.norm(a - b, axis=1))
    return min(direct, np.mean(np.linalg.norm(a - b[::-1], axis=1)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_points", [2, 3, 12, 13, 20])
@pytest.mark.parametrize("channels", [2, 3])
def test_equals_the_definition(n_points, channels, dtype):
    lines = walks(25, 2, 40, channels, dtype)
    lines[3] = lines[4][::-1]
    even = [along_the_curve(line, n_points) for line in lines]
    wanted = [[definition(a, b) for b in even] for a in even]
    found = block(lines, lines, "mdf", {"n_points": n_points})
    assert found.dtype == dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-4 if dtype == np.float32 else 1e-9, atol=1e-5)
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()


def test_a_value_does_not_depend_on_its_company():
    lines, params = walks(60, 5, 30, 3, np.float32), {"n_points": 20}
    whole = block(lines, lines, "mdf", params)
    np.testing.assert_array_equal(block(lines[5:6], lines[9:30], "mdf", params), whole[5:6, 9:30])
    np.testing.assert_array_equal(block(lines[9:30], lines[5:6], "mdf", params), whole[9:30, 5:6])


def test_lines_of_one_number_of_points_are_taken_as_they_are():
    lines = np.random.default_rng(0).normal(size=(7, 15, 3))
    found = block(lines, lines, "mdf")
    np.testing.assert_allclose(found, [[definition(a, b) for b in lines] for a in lines], rtol=1e-12)
    others = [*lines, np.cumsum(lines[0], axis=0)[:9]]
    together = block(lines, others, "mdf")
    np.testing.assert_array_equal(together[:, :7], found)
    even = along_the_curve(others[7], 15)
    np.testing.assert_allclose(together[:, 7], [definition(a, even) for a in lines], rtol=1e-9)


def test_lines_are_resampled_where_a_number_of_points_is_given():
    lines = np.random.default_rng(0).normal(size=(7, 15, 3))
    even = [along_the_curve(line, 15) for line in lines]
    found = block(lines, lines, "mdf", {"n_points": 15})
    np.testing.assert_allclose(found, [[definition(a, b) for b in even] for a in even], rtol=1e-9, atol=1e-12)


def test_a_line_that_is_a_point():
    found = block([np.zeros((1, 3)), np.zeros((4, 3))], [np.ones((2, 3))], "mdf")
    np.testing.assert_allclose(found, np.sqrt(3))


def test_numbers_are_no_streamlines():
    with pytest.raises(ValueError, match=r"'mdf' needs streamlines.*got 1"):
        FarthestFirstSelector(2, metric="mdf").fit(np.zeros((5, 20)))
    with pytest.raises(ValueError, match="n_points=1"):
        resolve("mdf", {"n_points": 1})


@pytest.mark.parametrize("name", ["streamlines_minimal_bundles", "streamlines_lr_superiorfrontal"])
def test_real_streamlines(real_data, name):
    data = real_data(f"{name}.npz")
    X = Ragged(data["points"], data["offsets"])
    selector = FarthestFirstSelector(6, metric="mdf", metric_params={"n_points": 12}, random_state=0).fit(X)
    space = selector.transform(X)
    prototypes = [along_the_curve(p, 12) for p in selector.prototypes_]
    wanted = [[definition(along_the_curve(x, 12), p) for p in prototypes] for x in X[:40]]
    np.testing.assert_allclose(space[:40], wanted, rtol=1e-4, atol=1e-3)
    if "y" in data:
        picked = GeneticSelector(6, criterion="label-match", metric="mdf", random_state=0).fit(X, data["y"])
        assert set(picked.prototype_labels_) == set(data["y"])
        assert picked.criterion_value_ > 0.99 * len(X)
