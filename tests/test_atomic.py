"""Atomic writing, also through links and into pipes and devices."""

from __future__ import annotations

import errno
import os
import resource
import stat
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from kces.atomic import atomic_write, check_output
from kces.errors import OutputError
from kces.interop import read_graph


def write(path: Path, text: str, *, force: bool = False) -> None:
    with atomic_write(path, force=force) as temporary:
        temporary.write_text(text)


def write_half(path: Path, *, force: bool = False) -> None:
    with atomic_write(path, force=force) as temporary:
        temporary.write_text("half")
        raise RuntimeError


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")

    with pytest.raises(RuntimeError):
        write_half(target, force=True)
    assert target.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["result.txt"]


def test_the_result_has_ordinary_permissions(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x")
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) & 0o444 == 0o444


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("secret")
    target.chmod(0o600)
    write(target, "new", force=True)
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        write(tmp_path / "no" / "a.txt", "x")


def test_a_folder_is_refused_even_by_force(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"):
        check_output(tmp_path, force=True)


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "real.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    write(link, "first")  # the file does not exist yet
    with pytest.raises(OutputError, match="exists; use force"):
        write(link, "again")
    write(link, "second", force=True)
    assert link.is_symlink()
    assert target.read_text() == "second"
    assert [file.name for file in target.parent.iterdir()] == ["real.txt"]


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    lost, circle = tmp_path / "lost", tmp_path / "circle"
    lost.symlink_to(tmp_path / "no" / "a.txt")
    circle.symlink_to(circle)
    for link in (lost, circle):
        with pytest.raises(OutputError, match=f"{link}"):
            write(link, "x", force=True)
        assert link.is_symlink()


def test_a_pipe_is_written_into_and_needs_no_force(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe, "a,b\n")
    reader.join(timeout=10)
    assert heard == ["a,b\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe.csv"]


def test_nothing_reaches_a_pipe_when_writing_fails(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(RuntimeError):
        write_half(pipe)
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_a_device_is_written_into() -> None:
    write(Path(os.devnull), "x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_standard_output_shares_its_place_with_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    # Under pytest, as after `> file`, it is a regular file: one that must be appended to, not replaced.
    print("before", flush=True)
    write(Path("/dev/stdout"), "result\n")
    print("after", flush=True)
    assert capfd.readouterr().out == "before\nresult\nafter\n"


def test_a_reader_that_has_gone_is_told_from_a_failure(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        write(Path(f"/dev/fd/{writer}"), "x")
    os.close(writer)


def test_a_read_only_folder_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may write everywhere, so the system's answer is played.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(OutputError, match="is read-only; choose another"):
        check_output(tmp_path / "a.txt")
    check_output(Path(os.devnull))


def test_a_folder_that_turns_out_to_take_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(OutputError, match=f"cannot write in {tmp_path}: Read-only file system"):
        write(tmp_path / "a.txt", "x")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_device_is_told() -> None:
    with pytest.raises(OutputError, match="cannot write /dev/full: No space left on device"):
        write(Path("/dev/full"), "x")


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write(target, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # no file may grow beyond: a disk with that much room
    try:
        with pytest.raises(OutputError, match=f"cannot write {target}: File too large"):
            write(target, "x" * 5000, force=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert target.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_the_input_itself_is_replaced_only_by_force_and_only_when_done(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("a,b\nb,c\n")
    loaded = read_graph(path)
    with pytest.raises(OutputError, match="exists; use force"):
        loaded.write(path, [True, False])
    assert path.read_text() == "a,b\nb,c\n"
    loaded.write(path, [True, False], force=True)
    assert path.read_text() == "a,b\n"


def test_of_two_writers_without_force_the_first_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with ExitStack() as late:
        late.enter_context(atomic_write(target)).write_text("second")
        write(target, "first")
        with pytest.raises(OutputError, match="has come to exist meanwhile"):
            late.close()
    assert target.read_text() == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_of_two_writers_with_force_the_last_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with atomic_write(target, force=True) as late:
        late.write_text("begun first")
        write(target, "done first", force=True)
    assert target.read_text() == "begun first"


def test_without_second_names_the_first_writer_stays_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    test_of_two_writers_without_force_the_first_one_stays(tmp_path)
