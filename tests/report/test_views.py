import datetime
import json
from base64 import b64decode
from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image
from scipy import sparse

from protopick import FarthestFirstSelector, KCentersSelector, Ragged, RandomSelector, weighted_sum
from protopick.report import page, summarise
from protopick.report.png import png
from protopick.report.views.base import LINE_CODES
from protopick.report.views.images import _shrunk


def summary(X, k=2, metric="euclidean", **how):
    return summarise(FarthestFirstSelector(k, metric=metric, random_state=0).fit(X), X, **how)


def pictures(found):
    return [one["picture"] for one in found["prototypes"]]


def decoded(uri):
    head, body = uri.split(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(BytesIO(b64decode(body))))


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (4, 7, 3)])
def test_a_png_holds_the_pixels(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(np.asarray(Image.open(BytesIO(png(pixels)))), pixels)


@pytest.mark.parametrize("shape", [(4, 6), (4, 2, 3)])
def test_images_are_drawn_as_they_are(shape):
    X = np.random.default_rng(0).integers(0, 256, (30, 24)).astype(np.uint8)
    found = summary(X, image_shape=shape)
    for one in found["prototypes"]:
        np.testing.assert_array_equal(decoded(one["picture"]["src"]), X[one["index"]].reshape(shape))


@pytest.mark.parametrize("highest", [1, 6, 16, 100])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
def test_images_of_few_greys_run_from_black_to_white_on_one_scale(highest, dtype):
    X = np.array([[0, 1, highest, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype)
    for one in summary(X, 3, image_shape=(2, 2))["prototypes"]:
        wanted = np.rint(X[one["index"]].reshape(2, 2) * (255 / highest))
        np.testing.assert_array_equal(decoded(one["picture"]["src"]), wanted)


@pytest.mark.parametrize("highest", [200, 254, 255])
def test_photographs_keep_their_greys(highest):
    X = np.array([[0, 90, highest, 7], [3, 30, 0, 1], [99, 0, 5, 0]], np.uint8)
    for one in summary(X, 3, image_shape=(2, 2))["prototypes"]:
        np.testing.assert_array_equal(decoded(one["picture"]["src"]), X[one["index"]].reshape(2, 2))


def test_large_images_of_black_and_white_are_shrunk_to_greys():
    X = np.tile(np.array([0, 1], np.uint8), (3, 256 * 128))
    X[1:, :256] = 0
    (shown,) = pictures(summary(X, 1, image_shape=(256, 256)))
    assert set(np.unique(decoded(shown["src"]))) & {127, 128}


def test_images_of_floats_run_from_black_to_white():
    X = np.array([[0.0, 0.5, 1.0, 0.25]] * 3)
    X[1] = 0
    assert decoded(pictures(summary(X, 1, image_shape=(2, 2)))[0]["src"]).max() in (0, 255)
    found = summary(16 * X, 2, image_shape=(2, 2))
    assert max(decoded(one["src"]).max() for one in pictures(found)) == 255


def test_every_object_of_the_map_is_on_the_sheet():
    X = np.random.default_rng(0).integers(0, 2, (120, 16)).astype(np.uint8) * 255
    found = summary(X, 3, image_shape=(4, 4))
    shown = found["map"]["pictures"]
    sheet = decoded(shown["src"])
    assert shown["count"] == 120
    for place, index in enumerate(found["map"]["index"]):
        row, column = divmod(place, shown["across"])
        cut = sheet[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        np.testing.assert_array_equal(cut, X[index].reshape(4, 4))


def test_a_sheet_has_a_limit_and_prototypes_are_on_it():
    X = np.random.default_rng(0).integers(0, 256, (3000, 32 * 32 * 3)).astype(np.uint8)
    shown = summary(X, 5, image_shape=(32, 32, 3))["map"]["pictures"]
    assert 5 < shown["count"] < 1000
    assert len(shown["src"]) < 1_000_000


def test_shrinking_takes_means():
    image = np.arange(16.0).reshape(1, 4, 4)
    np.testing.assert_allclose(_shrunk(image, 2), image.reshape(1, 2, 2, 2, 2).mean(axis=(2, 4)))
    assert _shrunk(np.ones((1, 100, 30), np.uint8), 10).shape == (1, 10, 3)


@pytest.mark.parametrize("shape", [(3, 3), (8,), 8, "8x8", (0, 8), (2, 2, 2), (2.0, 4)])
def test_a_shape_that_the_rows_cannot_have_is_refused(shape):
    with pytest.raises(ValueError, match="image_shape="):
        summary(np.eye(8), image_shape=shape)


def test_images_need_dense_rows():
    with pytest.raises(ValueError, match="no dense rows"):
        summary(["a", "b", "c"], metric="levenshtein", image_shape=(1, 1))


def test_strings_are_shown_and_long_ones_cut():
    found = summary(["short", "x" * 1000], metric="levenshtein")
    shown = {one["length"]: one["text"] for one in pictures(found)}
    assert shown[5] == "short"
    assert shown[1000] == "x" * 159 + "…"
    assert found["noun"] == "strings"
    assert "1,000 characters" in page(found)


def test_series_share_one_scale():
    X = [np.array([0.0, 10.0]), np.array([0.0, 5.0, 0.0]), np.array([0.0, 1.0, 2.0, 3.0]), np.ones(3)]
    found = summary(X, 3, metric="dtw")
    highest = {one["index"]: min(y for _, y in one["picture"]["lines"][0]) for one in found["prototypes"]}
    assert highest[0] < highest[1] < highest[2]
    assert found["note"].startswith("All sparklines run from 0 at the bottom to 10 at the top")


def test_series_that_would_be_flat_on_one_scale_have_their_own():
    X = [np.array([0.0, 3.0, 0.0]), np.array([0.0, 0.01, 0.02]), np.array([5.0, 5.0])]
    found = summary(X, 3, metric="dtw")
    drawn = {one["index"]: [y for _, y in one["picture"]["lines"][0]] for one in found["prototypes"]}
    (highest, lowest), middle = (min(drawn[0]), max(drawn[0])), (min(drawn[0]) + max(drawn[0])) / 2
    assert drawn == {0: [lowest, highest, lowest], 1: [lowest, middle, highest], 2: [middle, middle]}
    small = dict(zip(found["map"]["index"], found["map"]["pictures"]["paths"], strict=True))
    assert small[1][0][0] + small[1][0][-1] == LINE_CODES[0] + LINE_CODES[-1]
    assert found["note"].startswith("Each sparkline has a scale of its own")
    assert found["note"].endswith("the ranges of the prototypes go from 0.02 to 3.")


def test_each_channel_has_a_line():
    X = np.random.default_rng(0).normal(size=(9, 30, 2))
    found = summary(X, metric="dtw")
    assert all(len(one["lines"]) == 2 for one in pictures(found))
    assert all(len(paths) == 2 for paths in found["map"]["pictures"]["paths"])


def test_the_small_pictures_of_series_are_letters():
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    found = summary(X, 2, metric="dtw")
    ends = LINE_CODES[0] + LINE_CODES[-1]
    assert {paths[0] for paths in found["map"]["pictures"]["paths"]} == {ends, ends[::-1]}


def test_streamlines_are_projected_into_the_picture():
    rng = np.random.default_rng(0)
    lines = [rng.normal(size=(n, 3)).cumsum(axis=0) * [9, 3, 1] for n in rng.integers(5, 40, 30)]
    X = Ragged(np.concatenate(lines), np.concatenate([[0], np.cumsum([len(line) for line in lines])]))
    found = summary(X, 4, metric="mdf")
    assert found["noun"] == "streamlines"
    for one in pictures(found):
        points = np.array(one["lines"][0])
        assert (points >= 0).all()
        assert (points <= [one["width"], one["height"]]).all()
    assert found["background"]
    text = page(found)
    assert text.count('class="pp-behind"') == 4


def test_few_columns_are_all_shown():
    frame = pd.DataFrame({"height": [1.5, 2.0, 9.25], "count": [1, 2, 3000]})
    found = summary(frame)
    cells = {one["index"]: dict(one["picture"]["cells"]) for one in found["prototypes"]}
    assert cells[2] == {"height": "9.25", "count": "3,000"}


def test_of_many_columns_those_are_shown_in_which_prototypes_usually_differ():
    rng = np.random.default_rng(0)
    X = np.zeros((200, 60))
    X[:, [7, 50]] = rng.normal(size=(200, 2))
    X[0, 3] = 1000  # one object far away
    found = summary(X, 6)
    shown = [name for name, _ in pictures(found)[0]["cells"]]
    assert len(shown) == 8
    assert {"column 7", "column 50"} <= set(shown)
    assert pictures(found)[0]["left_off"] == 52
    assert len(pictures(found)[0]["bars"]) == 60


@pytest.mark.parametrize("k", [2, 6])
def test_of_many_columns_of_a_table_those_are_shown_in_which_prototypes_usually_differ(k):
    rng = np.random.default_rng(0)
    columns = {f"constant {i}": np.zeros(100) for i in range(20)}
    columns |= {"same": ["x"] * 100, "missing": [np.nan] * 100, "rare": [9e9] + [0.0] * 99}
    columns |= {"number": rng.normal(size=100), "city": np.tile(["Rome", "Oslo", "Bern", "Kyiv"], 25)}
    columns |= {"day": pd.date_range("2024-01-01", periods=100), "vector": list(rng.normal(size=(100, 3)))}
    found = summary(pd.DataFrame(columns), k, metric=_by_number)
    shown = [name for name, _ in pictures(found)[0]["cells"]]
    assert shown[-4:] == ["number", "city", "day", "vector"]
    assert len(shown) == 8
    assert pictures(found)[0]["left_off"] == 19
    assert found["note"] == "Of 27 columns, the 8 in which the prototypes differ most."
    assert found["map"]["pictures"]["names"] == shown[:6]


_by_number = weighted_sum({"number": ("euclidean", 1)})


def test_a_table_of_few_columns_is_shown_whole():
    found = summary(pd.DataFrame({f"c{i}": ["a", "b", "c"] for i in range(12)}), metric="gower")
    assert found["note"] is None
    assert [name for name, _ in pictures(found)[0]["cells"]] == [f"c{i}" for i in range(12)]


def test_rows_of_a_table_without_names_show_the_same_columns():
    rows = [[0] * 15 + [name, number] for name, number in zip("abcdef", range(6), strict=True)]
    shown = [name for name, _ in pictures(summary(rows, 3, metric="gower"))[0]["cells"]]
    assert shown[-2:] == ["column 15", "column 16"]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_rows_of_mixed_tables_are_shown_with_gaps_and_dates(library):
    day = datetime.datetime(2024, 2, 29)
    columns = {
        "age": [30.0, None, 41.5],
        "city": ["Rome", "Oslo", None],
        "day": [day, day, day + datetime.timedelta(hours=3)],
        "member": [True, False, True],
    }
    found = summary(library(columns), 3, metric="gower")
    cells = {one["index"]: dict(one["picture"]["cells"]) for one in found["prototypes"]}
    assert cells[0] == {"age": "30", "city": "Rome", "day": "2024-02-29", "member": "yes"}
    assert (cells[1]["age"], cells[2]["city"], cells[2]["day"]) == ("\u2013", "\u2013", "2024-02-29 03:00")


def test_a_card_has_room_for_a_sentence_and_the_map_for_its_start():
    alike = "a sentence whose end is what tells it from the others, "
    X = pd.DataFrame({"said": [f"{alike}{end}" for end in ("first", "second", "third")]})
    found = summary(X, 3, metric="gower")
    assert sorted(one["cells"][0][1] for one in pictures(found)) == X["said"].tolist()
    assert {cell for (cell,) in found["map"]["pictures"]["cells"]} == {alike[:31] + "…"}


def test_missing_numbers_do_not_matter():
    X = np.random.default_rng(0).normal(size=(40, 30))
    X[::3, 4] = np.nan
    X[:, 9] = np.nan
    found = summary(X, 4, metric="nan_euclidean")
    json.dumps(found, allow_nan=False)
    shown = page(found).split('id="gallery"')[1].split("</ol>")[0]
    assert shown.count("<li ") == 4
    assert "nan" not in shown.lower()


def test_sparse_rows_show_their_largest_entries():
    X = sparse.csr_matrix(np.array([[0, 3.0, 0, -9.0], [0, 0, 0, 0], [1.0, 0, 0, 0]]))
    cells = {one["index"]: one["picture"]["cells"] for one in summary(X, 3)["prototypes"]}
    assert cells == {0: [["column 3", "-9"], ["column 1", "3"]], 1: [], 2: [["column 0", "1"]]}


def test_sparse_booleans_show_where_they_are_true():
    X = sparse.csr_array(np.eye(3, 5, 1, dtype=bool))
    found = summary(X, 3, metric="jaccard")
    assert {one["index"]: one["picture"]["cells"] for one in found["prototypes"]} == {
        i: [[f"column {i + 1}", "yes"]] for i in range(3)
    }
    page(found)


def test_sets_show_their_elements():
    X = [{"b", "a"}, set(map(str, range(100))), set()]
    found = summary(X, 3, metric="jaccard")
    shown = {one["index"]: one["picture"] for one in found["prototypes"]}
    assert shown[0]["items"] == ["a", "b"]
    assert (len(shown[1]["items"]), shown[1]["left_off"]) == (12, 88)
    assert shown[2]["items"] == []
    page(found)


class Odd:
    """Refuses to be represented."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        raise RuntimeError("no")


def test_objects_of_any_class_show_their_representation():
    X = [{"a": 1}, {"b": [2, 3]}]
    assert {one["text"] for one in pictures(summary(X, 2, metric=lambda a, b: float(a != b)))} == {
        "{'a': 1}",
        "{'b': [2, 3]}",
    }
    odd = summary([Odd(1), Odd(5)], 1, metric=lambda a, b: abs(a.value - b.value))
    assert "whose repr raised RuntimeError" in pictures(odd)[0]["text"]


def test_arrays_with_an_own_metric_are_series():
    X = [np.arange(3.0), np.arange(9.0), np.zeros(4)]
    assert summary(X, metric=lambda a, b: abs(len(a) - len(b)))["noun"] == "series"


def test_of_a_matrix_only_names_are_known():
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    found = summarise(KCentersSelector(2, metric="precomputed", random_state=0).fit(D), D, ids=list("abcde"))
    assert {one["kind"] for one in pictures(found)} == {"nothing"}
    assert f"<bdi>{found['prototypes'][0]['id']}</bdi>" in page(found)


def test_every_metric_of_two_processes_has_a_report():
    X = [str(i) for i in range(30)]
    selector = RandomSelector(3, metric=_length_apart, n_jobs=2, random_state=0).fit(X)
    assert summarise(selector, X)["map"]["n_objects"] == 30


def _length_apart(a, b):
    return float(abs(int(a) - int(b)))
