"""The paper's data sets: where they are read from, how images are prepared, how objects are divided."""

import numpy as np
import pytest
from scipy.io import savemat

from benchmarks.data import MissingDataError, Objects
from benchmarks.paper import faces, svhn, zongker
from benchmarks.paper.sets import SETS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOPICK_DATA", str(tmp_path))
    return tmp_path


def test_equalised_levels_are_shares_of_pixels():
    image = np.array([[[10, 10], [20, 200]]], np.uint8)
    np.testing.assert_allclose(svhn.equalised(image)[0], 255 * np.array([[0.5, 0.5], [0.75, 1.0]]))


def test_equalising_takes_each_image_by_itself():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (5, 8, 8)).astype(np.uint8)
    alone = np.concatenate([svhn.equalised(image[None]) for image in images])
    np.testing.assert_array_equal(svhn.equalised(images), alone)


def test_the_middle_weighs_most_and_the_corners_least():
    weights = svhn.middle_weights(32, 32)
    assert weights.max() == weights[15:17, 15:17].min()
    assert weights.min() == weights[0, 0] == weights[-1, -1]


def test_the_kernel_of_the_blur_has_five_by_five_pixels():
    image = np.zeros((1, 32, 32))
    image[0, 16, 16] = 1
    blurred = svhn.blurred(image)[0]
    assert (blurred[14:19, 14:19] > 0).all()
    assert np.count_nonzero(blurred) == 25
    assert blurred.sum() == pytest.approx(1)
    assert blurred[16, 17] / blurred[16, 16] == pytest.approx(np.exp(-2))  # a sigma of 0.5


def test_official_files_of_svhn_are_read_as_grey(folder):
    rng = np.random.default_rng(0)
    for name, n in (("train_32x32.mat", 6), ("test_32x32.mat", 3)):
        colours = rng.integers(0, 256, (32, 32, 3, n)).astype(np.uint8)
        savemat(folder / name, {"X": colours, "y": np.full((n, 1), 10)})
    data = svhn.svhn1()
    assert data.X.shape == (9, 1024)
    assert data.n_train == 6
    assert set(data.y.tolist()) == {0}  # the file says ten
    assert "train_32x32.mat" in data.source


def test_similarities_of_zongker_become_dissimilarities(folder):
    S = np.array([[1.0, 0.75, 0.0], [0.7, 1.0, 0.5], [0.0, 0.5, 1.0]])
    savemat(folder / "dist_digit_zongker.mat", {"d": S, "lab": np.array([[0], [0], [1]])})
    data = zongker.zongker()
    assert data.metric == "precomputed"
    np.testing.assert_array_equal(data.X, data.X.T)
    np.testing.assert_array_equal(np.diag(data.X), 0)
    assert data.X[0, 1] == pytest.approx(np.sqrt(0.3))  # the greater of the two directions
    assert data.y.tolist() == [0, 0, 1]


def test_a_prtools_data_set_of_zongker_is_read(folder):
    D = np.array([[0.0, 2.0], [2.0, 0.0]])
    savemat(folder / "zongker.mat", {"a": {"data": D, "nlab": np.array([[1], [2]])}})
    data = zongker.zongker()
    np.testing.assert_array_equal(data.X, D)
    assert data.y.tolist() == [0, 1]


def test_a_zongker_file_of_another_kind_says_what_it_needs(folder):
    savemat(folder / "zongker.mat", {"other": np.zeros((2, 2))})
    with pytest.raises(ValueError, match=r"holds other\. It must hold d and lab"):
        zongker.zongker()


@pytest.mark.parametrize("read", [zongker.zongker, faces.xm2vts, faces.youtube])
def test_what_is_missing_is_said(folder, read):
    with pytest.raises(MissingDataError, match="PROTOPICK_DATA"):
        read()


def test_pictures_of_persons_become_patterns(folder):
    from PIL import Image

    rng = np.random.default_rng(0)
    for person in ("anna", "ben"):
        (folder / "xm2vts" / person).mkdir(parents=True)
        for i in range(2):
            Image.fromarray(rng.integers(0, 256, (40, 40)).astype(np.uint8)).save(
                folder / "xm2vts" / person / f"{i}.png"
            )
    data = faces.xm2vts()
    assert data.X.shape == (4, 36 * 59)
    assert data.y.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(data.X.sum(axis=1), 36, rtol=1e-5)  # a histogram for each part


def test_patterns_do_not_see_brightness():
    image = np.random.default_rng(0).integers(0, 100, (96, 96)).astype(np.uint8)
    np.testing.assert_array_equal(faces.local_binary_patterns(image), faces.local_binary_patterns(image + 50))


def test_the_longest_video_of_a_person_is_taken(folder):
    for person, lengths in (("a", (101, 130)), ("b", (60,)), ("c", (120,))):
        place = folder / "youtube_faces" / "descriptors_DB" / person
        place.mkdir(parents=True)
        for i, length in enumerate(lengths):
            savemat(place / f"aligned_video_{i}.mat", {"VID_DESCS_LBP": np.full((5, length), i)})
    data = faces.youtube()
    assert np.bincount(data.y).tolist() == [130, 120]  # b has no video of more than 100 frames
    assert data.X[0].tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("name", "n", "n_train", "sizes"),
    [
        ("Diabetes", 768, None, (384, 192, 192)),
        ("Pendigits", 10_992, None, (5000, 2996, 2996)),
        ("Zongker", 2000, None, (1000, 500, 500)),
        ("MNIST", 70_000, 60_000, (58_800, 1200, 10_000)),
        ("SVHN1", 99_289, 73_257, (71_792, 1465, 26_032)),
        ("SVHN2", 557_163, 531_131, (531_131, 53_113, 26_032)),
        ("YouTube", 308_963, None, (247_170, 12_358, 61_793)),
    ],
)
def test_sets_are_divided_as_in_the_paper(name, n, n_train, sizes):
    data = Objects(None, np.arange(n) % 2, n_train=n_train)
    parts = SETS[name].split(data, 0)
    assert (len(parts.selection), len(parts.training), len(parts.test)) == sizes
    assert not np.isin(parts.test, np.concatenate([parts.selection, parts.training])).any()
    again, other = SETS[name].split(data, 0), SETS[name].split(data, 1)
    np.testing.assert_array_equal(parts.training, again.training)
    assert not np.array_equal(parts.training, other.training)
