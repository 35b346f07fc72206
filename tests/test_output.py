import os
import stat
import threading
from pathlib import Path

import pytest

from protopick import output
from protopick.output import all_or_none, check_writable, is_written_into, whole_file


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


def _write_both(tmp_path, error=None):
    with all_or_none():
        for name in "ab":
            with whole_file(tmp_path / name) as file:
                file.write("after")
            assert (tmp_path / name).read_text() == "before"
        if error is not None:
            raise error


@pytest.fixture
def both(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("before")
    return lambda: [(tmp_path / name).read_text() for name in sorted(os.listdir(tmp_path))]


def test_files_that_belong_together_appear_at_the_end(tmp_path, both):
    _write_both(tmp_path)
    assert both() == ["after", "after"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_what_was_there_stays_when_what_follows_fails(tmp_path, both, error):
    with pytest.raises(error):
        _write_both(tmp_path, error)
    assert both() == ["before", "before"]


def test_a_reader_who_has_seen_enough_loses_no_file(tmp_path, both):
    with pytest.raises(BrokenPipeError):
        _write_both(tmp_path, BrokenPipeError)
    assert both() == ["after", "after"]


def test_what_cannot_be_said_is_not_done(tmp_path, both, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        print("said")
        with pytest.raises(OSError, match="No space left"):
            _write_both(tmp_path)
        monkeypatch.undo()
        with pytest.raises(OSError, match="No space left"):
            full.close()
    assert both() == ["before", "before"]


def test_no_standard_output_is_no_error(tmp_path, both, monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    _write_both(tmp_path)
    assert both() == ["after", "after"]


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


def test_a_pipe_is_written_into_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to("pipe")
    assert check_writable(tmp_path / "link") == tmp_path / "link"
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    with whole_file(tmp_path / "link") as file:
        file.write("all of it")
    reader.join()
    assert got == ["all of it"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.parametrize(
    ("name", "number"),
    [("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/63", 63), ("/proc/self/fd/1", 1), ("stdout", None)],
)
def test_names_of_streams(name, number):
    assert output._descriptor(Path(name)) == number


def test_a_stream_goes_on_in_the_file_that_it_is_redirected_to(tmp_path, monkeypatch):
    with open(tmp_path / "all.txt", "w") as redirected:
        monkeypatch.setattr(output, "_STREAMS", {str(tmp_path / "stdout"): redirected.fileno()})
        monkeypatch.setattr("sys.stdout", redirected)
        before = os.fstat(redirected.fileno()).st_ino
        print("before")
        with whole_file(tmp_path / "stdout") as file:
            file.write("written\n")
        print("after")
    assert (tmp_path / "all.txt").read_text() == "before\nwritten\nafter\n"
    assert (tmp_path / "all.txt").stat().st_ino == before
    assert os.listdir(tmp_path) == ["all.txt"]


def test_files_and_new_names_are_replaced_and_not_written_into(tmp_path):
    (tmp_path / "a.txt").touch()
    assert not is_written_into(tmp_path / "a.txt")
    assert not is_written_into(tmp_path / "new.txt")
    assert not is_written_into(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_stays(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"out=.*a\.txt exists and may not be written\. Allow it"):
        check_writable(path, "out")
    with pytest.raises(PermissionError), whole_file(path):
        pass
    assert path.read_text() == "before"


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(OSError, match=r"report=.*: File name too long\. Name another file"):
        check_writable(tmp_path / ("a" * 300), "report")
