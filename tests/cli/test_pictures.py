"""Pictures of a folder keep what they hold: all their bits, and shapes that only their transparency tells."""

import numpy as np
import pytest
from PIL import Image

from protopick.cli.files import FileError, Request, read
from protopick.cli.files.source import Options


@pytest.fixture
def rows_of(tmp_path):
    """Save pictures, given as arrays, and return the rows that are read of them."""

    def read_again(*pictures, ending="png", **options):
        for i, picture in enumerate(pictures):
            Image.fromarray(np.asarray(picture)).save(tmp_path / f"{i}.{ending}")
        return read(Request(str(tmp_path), options=Options(**options))).X

    return read_again


def of_16_bits(*values):
    return np.array([values], np.uint16)


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_all_16_bits_are_kept(rows_of, ending):
    X = rows_of(of_16_bits(0, 1, 255), of_16_bits(4095, 256, 65535), ending=ending)
    assert X.tolist() == [[0, 1, 255], [4095, 256, 65535]]
    assert X.dtype == np.uint16


def test_8_bits_beside_16_are_as_bright(rows_of):
    assert rows_of(np.array([[0, 255]], np.uint8), of_16_bits(0, 65535)).tolist() == [[0, 65535]] * 2


def test_grey_of_16_bits_beside_colours(rows_of):
    X = rows_of(np.array([[[1, 2, 3]]], np.uint8), of_16_bits(700))
    assert X.tolist() == [[257, 514, 771], [700, 700, 700]]


def test_pictures_of_16_bits_are_scaled(rows_of):
    X = rows_of(np.full((4, 4), 1000, np.uint16), image_size=(2, 2))
    assert X.tolist() == [[1000] * 4]


def test_fractions_are_kept(rows_of):
    X = rows_of(np.array([[0.25, 5]], np.float32), np.array([[-1, 0.5]], np.float32), ending="tif")
    assert X.tolist() == [[0.25, 5], [-1, 0.5]]


def test_fractions_do_not_go_with_others(rows_of):
    with pytest.raises(FileError, match=r"0\.tif holds fractions, but .*1\.tif whole numbers\. Save all"):
        rows_of(np.array([[0.5]], np.float32), np.array([[5]], np.uint8), ending="tif")


def test_a_value_that_is_no_number_is_refused(rows_of):
    with pytest.raises(FileError, match=r"1\.tif holds values that are no numbers"):
        rows_of(np.array([[0.5]], np.float32), np.array([[np.nan]], np.float32), ending="tif")


def test_what_is_transparent_is_white(rows_of):
    seen, unseen = [10, 20, 30, 255], [10, 20, 30, 0]
    X = rows_of(np.array([[seen, unseen]], np.uint8), np.array([[unseen, seen]], np.uint8))
    assert X.tolist() == [[10, 20, 30, 255, 255, 255], [255, 255, 255, 10, 20, 30]]


def test_grey_that_is_half_transparent_stays_grey(rows_of):
    assert rows_of(np.array([[[0, 255], [100, 0], [0, 51]]], np.uint8)).tolist() == [[0, 255, 204]]


def test_a_palette_may_have_a_transparent_colour(tmp_path):
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putpixel((1, 0), 1)
    picture.save(tmp_path / "x.png", transparency=1)
    assert read(Request(str(tmp_path))).X.tolist() == [[10, 20, 30, 255, 255, 255]]


def test_white_shapes_are_seen_on_black(rows_of):
    seen, unseen = [255, 255], [255, 0]
    X = rows_of(np.array([[seen, unseen]], np.uint8), np.array([[unseen, seen]], np.uint8))
    assert X.tolist() == [[255, 0], [0, 255]]


def test_a_picture_without_anything_is_white(rows_of):
    assert rows_of(np.full((2, 2, 2), 0, np.uint8)).tolist() == [[255] * 4]
