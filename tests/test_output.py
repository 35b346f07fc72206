import os
import stat
from pathlib import Path

import pytest

from protopick.output import check_writable, whole_file


def test_the_file_appears_with_all_that_was_written(tmp_path):
    with whole_file(tmp_path / "a.txt") as file:
        file.write("one\n")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "one\n"
    assert os.listdir(tmp_path) == ["a.txt"]


def _write_half(path, error):
    with whole_file(path) as file:
        file.write("half")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_was_there_stays_when_writing_fails(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(type(error) if isinstance(error, Exception) else error):
        _write_half(path, error)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match=r"No space left on device: .*a\.txt"):
        _write_half(tmp_path / "a.txt", OSError(28, "No space left on device"))


def test_permissions_are_those_of_the_file_before_or_of_any_new_file(tmp_path):
    usual = tmp_path / "usual"
    usual.touch()
    with whole_file(tmp_path / "new", "wb") as file:
        file.write(b"1")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode
    usual.chmod(0o600)
    with whole_file(usual) as file:
        file.write("1")
    assert stat.S_IMODE(usual.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to("real")
    with whole_file(tmp_path / "link") as file:
        file.write("after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"save=.*is a folder"):
        check_writable(tmp_path, "save")
    with pytest.raises(FileNotFoundError, match=r"report=.*does not exist\. Make it first"):
        check_writable(tmp_path / "no" / "page.html", "report")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="no file can be written"):
        check_writable(tmp_path / "a.txt")


def test_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with whole_file("a.txt") as file:
        file.write("1")
    assert Path("a.txt").read_text() == "1"
