"""A file that is not what `save` wrote is refused by one clear sentence, whatever is wrong with it."""

import io
import json
import os
import pickle
from copy import copy
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline

import protopick
from protopick import Ragged, RandomSelector, ldc, load, save
from protopick.storage import DamagedFileError
from tests.storage.same import same

X = np.random.default_rng(0).random((30, 3))
REFUSED = r"path=.*model is not a file that protopick saved, or has changed since: "


@pytest.fixture
def path(tmp_path):
    return save(RandomSelector(3, random_state=0).fit(X), tmp_path / "model")


@pytest.fixture(scope="module")
def model():
    return make_pipeline(RandomSelector(3, metric="mahalanobis", random_state=0), ldc()).fit(
        X, np.arange(30) % 2
    )


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    return save(model, tmp_path_factory.mktemp("saved") / "model").read_bytes()


def members_of(path):
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, members, **settings):
    with ZipFile(path, "w", **settings) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def change_header(path, change):
    members = members_of(path)
    header = json.loads(members["header.json"])
    change(header)
    members["header.json"] = json.dumps(header)
    rewrite(path, members)


def npy(array, **settings):
    file = io.BytesIO()
    np.save(file, array, **settings)
    return file.getvalue()


def check(content, model, tmp_path):
    """Changed bytes are refused, or say the same as before (as in the time stamp of a member)."""
    (tmp_path / "changed").write_bytes(content)
    try:
        loaded = load(tmp_path / "changed")
    except ValueError:
        return
    assert same(loaded, model)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(data=st.data())
def test_a_changed_byte_never_gives_another_model(data, content, model, tmp_path):
    at = data.draw(st.integers(0, len(content) - 1))
    changed = bytearray(content)
    changed[at] ^= data.draw(st.integers(1, 255))
    check(bytes(changed), model, tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_missing_and_added_bytes_never_give_another_model(data, content, model, tmp_path):
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    check(content[:start] + content[end:], model, tmp_path)
    check(content[:start] + data.draw(st.binary(min_size=1, max_size=9)) + content[start:], model, tmp_path)


def test_every_cut_off_file_is_refused(content, tmp_path):
    for length in [*range(0, len(content), 97), len(content) - 1]:
        (tmp_path / "model").write_bytes(content[:length])
        with pytest.raises(DamagedFileError, match=REFUSED):
            load(tmp_path / "model")


def test_a_path_that_is_not_there_or_a_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"path=.*none is not there"):
        load(tmp_path / "none")
    with pytest.raises(IsADirectoryError, match=r"path=.* is a folder"):
        load(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(path):
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"path=.*cannot be read"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", pickle.dumps(X), npy(X)])
def test_a_file_of_another_kind_is_refused(content, tmp_path):
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(DamagedFileError, match=f"{REFUSED}BadZipFile"):
        load(tmp_path / "model")


def test_a_zip_without_a_header_is_refused(tmp_path):
    np.savez(tmp_path / "model.npz", X=X)
    with pytest.raises(DamagedFileError, match="it has no header"):
        load(tmp_path / "model.npz")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{",
        "[]",
        "null",
        "NaN",
        "1",
        '{"format": "protopick model"}',
        '{"format": "another"}',
        '{"format": "protopick model", "format_version": "1", "protopick": "0.1.0"}',
        '{"format": "protopick model", "format_version": 1, "protopick": 2}',
        '{"format": "protopick model", "format_version": 1, "protopick": "0.1.0", "imports": 3, "model": 1}',
        '{"format": "protopick model", "format_version": 1, "protopick": "0.1.0", "imports": [], "model": 1}',
        '{"format": "protopick model", "format_version": 1, "protopick": "0.1.0", "imports": []}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
    ids=lambda text: text[:90],
)
def test_a_header_of_the_wrong_form_is_refused(header, path):
    rewrite(path, {**members_of(path), "header.json": header})
    with pytest.raises(DamagedFileError, match=REFUSED):
        load(path)


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("prototype_indices_", {"array": {"member": "arrays/99.npy", "dtype": "<i8", "shape": [3]}}),
        ("prototype_indices_", {"array": {"member": "arrays/0.npy", "dtype": "<i4", "shape": [6]}}),
        ("prototype_indices_", {"array": {"member": "arrays/0.npy", "dtype": "<i8", "shape": [4]}}),
        ("prototype_indices_", {"array": {"member": "arrays/0.npy", "dtype": "<i8", "shape": "3"}}),
        ("prototype_indices_", {"array": {"member": "header.json", "dtype": "<i8", "shape": [3]}}),
        ("prototype_indices_", {"array": {"member": 3, "dtype": [], "shape": {}}}),
        ("prototype_indices_", {"unheard of": 1}),
        ("prototype_indices_", {"tuple": 1, "set": 2}),
        ("prototype_indices_", {}),
        ("_dissimilarity", 3),
        ("_dissimilarity", {"record": {"class": "Unheard", "fields": {}}}),
        ("_dissimilarity", {"record": {"class": "Euclidean", "fields": {"unheard": 1}}}),
        ("_dissimilarity", {"record": {"class": "Euclidean"}}),
        ("_dissimilarity", {"record": {"class": ["Euclidean"], "fields": {}}}),
    ],
    ids=str,
)
def test_a_part_of_the_wrong_form_is_refused(name, node, path):
    change_header(path, lambda header: header["model"]["estimator"]["learned"].update({name: node}))
    with pytest.raises(DamagedFileError, match=REFUSED):
        load(path)


def test_an_unknown_parameter_is_refused(path):
    change_header(path, lambda header: header["model"]["estimator"]["parameters"].update(unheard=1))
    with pytest.raises(DamagedFileError, match="unheard"):
        load(path)


def test_a_model_without_what_it_learned_is_refused(path):
    change_header(path, lambda header: header["model"]["estimator"]["learned"].pop("prototype_indices_"))
    with pytest.raises(DamagedFileError, match="not fitted"):
        load(path)


def test_a_value_that_is_no_model_is_refused(path):
    change_header(path, lambda header: header.update(model=[1, 2]))
    with pytest.raises(DamagedFileError, match="of type list"):
        load(path)


@pytest.mark.parametrize(
    ("versions", "named"),
    [
        ({"format_version": 2}, "version 2 of the format"),
        ({"format_version": 0}, "version 0 of the format"),
        ({"protopick": "999.1"}, "was written by protopick 999.1"),
        ({"format_version": 7, "protopick": "999.1", "new": 1}, "Install protopick 999.1"),
    ],
)
def test_another_version_is_named(versions, named, path):
    change_header(path, lambda header: header.update(versions))
    with pytest.raises(ValueError, match=named) as caught:
        load(path)
    assert not isinstance(caught.value, DamagedFileError)
    assert protopick.__version__ in str(caught.value)


@pytest.mark.parametrize("older", ["0.0.9", "0.0.1.dev3"])
def test_a_file_of_an_older_protopick_is_read(older, path):
    change_header(path, lambda header: header.update(protopick=older))
    assert len(load(path).prototype_indices_) == 3


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("the file ran code",)


def test_a_pickled_array_is_refused_and_not_unpickled(path):
    rewrite(path, {**members_of(path), "arrays/0.npy": npy(np.array([Bomb()] * 3), allow_pickle=True)})
    with pytest.raises(DamagedFileError, match=r"arrays/0.npy is not the array"):
        load(path)


def test_compressed_members_are_refused_so_that_a_small_file_stays_small(path):
    rewrite(path, {**members_of(path), "arrays/0.npy": b"\0" * 10**7}, compression=ZIP_DEFLATED)
    with pytest.raises(DamagedFileError, match="is compressed or encrypted"):
        load(path)


def test_an_array_that_declares_more_than_it_has_is_refused_before_there_is_room_for_it(path):
    bomb = npy(np.arange(3)).replace(b"(3,)", b"(1000000000000000,)")
    shape = {"member": "arrays/0.npy", "dtype": "<i8", "shape": [10**15]}
    rewrite(path, {**members_of(path), "arrays/0.npy": bomb})
    change_header(
        path,
        lambda header: header["model"]["estimator"]["learned"].update(prototype_indices_={"array": shape}),
    )
    with pytest.raises(DamagedFileError, match="is not the array"):
        load(path)


def test_members_that_share_their_bytes_are_refused(path):
    with ZipFile(path, "a") as archive:
        for i in range(300):
            twin = copy(archive.getinfo("header.json"))
            twin.filename = f"twin {i}"
            archive.filelist.append(twin)
        archive.comment = b"has the list of members written anew"
    with pytest.raises(DamagedFileError, match="declare more bytes than the file has"):
        load(path)


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_a_csr_matrix_that_points_outside_is_refused(name, tmp_path):
    selector = RandomSelector(3, random_state=0).fit(sparse.csr_array(X))
    getattr(selector.prototypes_, name)[-1] = 99
    with pytest.raises(DamagedFileError, match=REFUSED):
        load(save(selector, tmp_path / "model"))


def test_ragged_objects_that_point_outside_are_refused(tmp_path):
    selector = RandomSelector(2, metric="dtw", random_state=0).fit(Ragged(X, [0, 5, 9, 20]))
    selector.prototypes_.offsets[-1] = 99
    with pytest.raises(DamagedFileError, match="offsets must be"):
        load(save(selector, tmp_path / "model"))
