import json
import re
from dataclasses import FrozenInstanceError, replace
from xml.etree import ElementTree

import numpy as np
import pytest

import protopick
from protopick import describe
from protopick.diagnostics.description_page import PALETTE, REST

X = np.random.default_rng(0).normal(size=(120, 4))
FOUND = describe(X, y=np.arange(120) % 3)


def named(name, **figures):
    """Return the sentences of the advice on ``FOUND`` with other figures that hold ``name``."""
    return [said for said in replace(FOUND, **figures).advice if name in said]


def tree(found):
    return ElementTree.fromstring(re.sub(r"<style>.*?</style>", "", found._repr_html_(), flags=re.S))


def test_it_is_frozen_and_short_in_a_repr():
    with pytest.raises(FrozenInstanceError):
        FOUND.hubness = 0
    assert "points" not in repr(FOUND)


def test_the_text_is_aligned_and_not_too_wide():
    lines = str(FOUND).splitlines()
    assert lines[0] == "Dissimilarity 'euclidean' on all 120 objects"
    figures = [line for line in lines[: lines.index("What this means")] if line.startswith("  ")]
    starts = {re.match(r"  .*?\s{2,}(?=\S)", line).end() for line in figures}
    assert len(starts) == 1
    assert all(len(line) <= 110 and line == line.rstrip() for line in lines)


def test_the_text_says_what_the_sample_is():
    assert "a random sample of 50 out of 120 objects" in str(describe(X, sample=50))


def test_the_dict_is_json():
    told = FOUND.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["advice"] == list(FOUND.advice)
    assert "points" not in told


def test_html_is_well_formed_and_needs_no_network():
    page = tree(FOUND)
    assert len(page.findall(".//figure/svg//title")) == 120
    assert len(page.findall(".//ul[@class='legend']/li")) == 3
    assert not re.search(r"https?:|src=|href=|url\(|<script", FOUND._repr_html_())


def test_html_escapes_what_the_user_named():
    y = np.where(np.arange(120) % 2, "<script>alert(1)</script>", 'a "&" b')
    found = replace(describe(X, y=y), metric="<b>&")
    assert "<script>" not in found._repr_html_()
    text = "".join(tree(found).itertext())
    assert 'a "&" b (60)' in text
    assert "<b>&" in text


@pytest.mark.parametrize(("n_classes", "shown"), [(1, 1), (10, 10), (11, 10), (40, 10)])
def test_more_classes_than_colours_share_a_grey(n_classes, shown):
    page = tree(describe(X, y=np.arange(120) % n_classes))
    legend = ["".join(item.itertext()) for item in page.findall(".//ul[@class='legend']/li")]
    assert len(legend) == shown
    assert ("other classes" in legend[-1]) == (n_classes > 10)
    assert len(page.findall(".//figure/svg//title")) == 120


def test_without_labels_there_is_no_legend():
    assert "legend" not in re.sub(r"<style>.*?</style>", "", describe(X)._repr_html_(), flags=re.S)


def test_marks_lie_within_the_picture():
    page = tree(describe(X * [100, 1, 1, 1]))
    picture = page.find(".//figure/svg")
    width, height = map(float, picture.get("viewBox").split()[2:])
    for mark in picture.findall(".//circle"):
        assert 0 < float(mark.get("cx")) < width
        assert 0 < float(mark.get("cy")) < height


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("color", [*PALETTE, REST])
def test_colours_stand_out_from_light_and_dark(color):
    assert 1.05 / (luminance(color) + 0.05) > 3
    assert (luminance(color) + 0.05) / (luminance("#1e1e1e") + 0.05) > 3


class TestAdvice:
    def test_plain_data(self):
        assert named("behaves like a Euclidean distance")
        assert not named("d(a, b) and d(b, a) differ")

    def test_asymmetry(self):
        assert "12.0 % on average" in named("transpose", symmetric=False, relative_asymmetry=0.12)[0]

    def test_diagonal(self):
        assert named("differs from itself, by up to 0.5", zero_diagonal=False, largest_self=0.5)

    def test_no_metric(self):
        said = named("n_pivots against one without", triangle_violations=0.2)[0]
        assert "20.0 % of the triples" in said
        assert "label-match" in said
        assert "label-match" not in named("FarthestFirst", triangle_violations=0.2, n_classes=None)[0]

    def test_not_euclidean(self):
        assert named("negative eigenfraction of 0.30", negative_eigenfraction=0.298)
        assert named("is close to a Euclidean distance", negative_eigenfraction=0.03)

    def test_what_is_euclidean_is_said(self):
        assert named("The mean of both directions behaves like a Euclidean distance", symmetric=False)
        assert named(
            "Between different objects, the measure behaves like", zero_diagonal=False, largest_self=1
        )

    def test_classes(self):
        assert named("hardly tell the classes", nearest_neighbor_error=0.6, majority_error=0.66)
        assert named("AutoSelector make use", nearest_neighbor_error=0.1, majority_error=0.66)

    def test_cost(self):
        said = named("costly", seconds_each=1e-3, n_objects=20_000)[0]
        assert "6.7 hours" in said
        assert "n_pivots=64 about 21.3 minutes" in said
        assert not named("costly", seconds_each=1e-8, n_objects=70_000)

    def test_duplicates(self):
        assert named("clustered=False", n_duplicates=60)
        assert not named("clustered=False", n_duplicates=1)

    def test_hubs(self):
        assert named("hubness 3.0", hubness=3.0)
        assert not named("hubness", hubness=0.2)

    def test_dimension(self):
        assert named("About 8 numbers", levina_bickel_dimension=7.2, two_nn_dimension=8.0)
        assert named("That is high", levina_bickel_dimension=30.0, two_nn_dimension=28.0)
        assert named("take this as rough", levina_bickel_dimension=3.0, two_nn_dimension=28.0)

    def test_it_names_only_what_there_is(self):
        figures = {"symmetric": False, "relative_asymmetry": 0.1, "hubness": 3.0, "n_duplicates": 60}
        figures |= {"triangle_violations": 0.2, "n_objects": 10**9, "seconds_each": 1.0}
        for classes in (None, 3):
            text = " ".join(replace(FOUND, n_classes=classes, **figures).advice)
            assert set(re.findall(r"\w+Selector", text)) <= set(protopick.__all__)


def test_similarities_are_told_from_dissimilarities():
    X = np.random.default_rng(0).normal(size=(40, 2))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for similarities in (np.exp(-D), np.eye(8)):
        found = describe(similarities, "precomputed")
        assert found.farthest_from_self == 1
        assert "look like similarities" in found.advice[0]
    assert describe(D, "precomputed").farthest_from_self == 0
    assert describe(np.zeros((5, 5)), "precomputed").farthest_from_self == 0
