"""Every command that writes a file, and every kind of place it may be told to write to."""

from __future__ import annotations

import os
import resource
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kces import atomic
from program import Ran, RunKces

COMMANDS = {
    "score": ".csv",
    "sanitize": ".csv",
    "convert": ".csv",
    "report": ".html",
    "plot": ".png",
    "attack": ".npz",
}
OPTIONS = {"sanitize": ["--alpha", "0.2"], "attack": ["-m", "random", "-b", "0.2"]}
NAMED_BY_ENDING = ("report", "plot")
"""A page and a picture are told by the ending, so that a device, whose name has none, is refused."""
ROOM = 100
"""Bytes: less than any result."""


@dataclass(frozen=True)
class Command:
    """A command, its input, and a folder with nothing else in it."""

    name: str
    run_kces: RunKces
    source: Path
    folder: Path

    @property
    def ending(self) -> str:
        return COMMANDS[self.name]

    def words(self, output: Path | str) -> list[str]:
        return [self.name, str(self.source), *OPTIONS.get(self.name, []), "-o", str(output), "--quiet"]

    def to(self, output: Path | str, *more: str) -> Ran:
        return self.run_kces(*self.words(output), *more)

    def refused(self, output: Path | str, *more: str) -> str:
        """What is said, in one line; nothing is printed, and the input is left alone."""
        before = self.source.read_bytes()
        ran = self.to(output, *more)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1
        assert self.source.read_bytes() == before
        return ran.err

    def is_whole(self, content: bytes) -> bool:
        """Whether this is a result from its first byte to its last."""
        begins = {".csv": b"source,target", ".html": b"<!doctype html>", ".png": b"\x89PNG", ".npz": b"PK"}[self.ending]
        ends = {".csv": b"\n", ".html": b"</html>", ".png": b"IEND\xaeB`\x82", ".npz": b"PK\x05\x06"}[self.ending]
        return content.startswith(begins) and ends in content.rstrip()[-22:] + content[-1:]

    def left(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest, tmp_path: Path, run_kces: RunKces, edge_list: Path) -> Command:
    if request.param == "plot":
        pytest.importorskip("matplotlib")
    if request.param == "attack":
        pytest.importorskip("torch_geometric")
    (folder := tmp_path / "out").mkdir()
    return Command(request.param, run_kces, edge_list, folder)


@pytest.fixture
def device(command: Command, tmp_path: Path) -> Callable[[str], Path]:
    """A device under a name that the command takes: its own, or that of a link."""

    def named(path: str) -> Path:
        if not Path(path).exists():
            pytest.skip(f"needs {path}")
        if command.name not in NAMED_BY_ENDING:
            return Path(path)
        (link := tmp_path / f"device{command.ending}").symlink_to(path)
        return link

    return named


def test_a_device_is_written_into_and_stays(command: Command, device: Callable[[str], Path]) -> None:
    ran = command.to(device(os.devnull))
    assert ran.code == 0, ran.err
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_full_device_is_refused(command: Command, device: Callable[[str], Path]) -> None:
    assert "No space left on device" in command.refused(device("/dev/full"))


def test_a_pipe_is_written_into_and_stays(command: Command) -> None:
    os.mkfifo(pipe := command.folder / f"pipe{command.ending}")
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    ran = command.to(pipe)
    reader.join(timeout=10)
    assert ran.code == 0, ran.err
    assert command.is_whole(heard[0])
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert command.left() == [pipe.name]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_gets_the_result_alone(command: Command, name: str, tmp_path: Path) -> None:
    if command.name in NAMED_BY_ENDING:
        assert command.ending in command.refused(name)
        return
    assert "--json and -o" in command.refused(name, "--json")
    with standard_output_in(tmp_path / "printed"):
        ran = command.to(name)
    assert ran.code == 0, ran.err
    # The name has no ending, so each of them writes a table. Python's own stream is caught, the system's is in a file.
    lines = (ran.out + (tmp_path / "printed").read_text()).splitlines()
    assert len(lines) > 10
    assert lines[0].startswith("source,target")
    assert {line.count(",") for line in lines} == {lines[0].count(",")}


def test_a_folder_is_refused(command: Command) -> None:
    (folder := command.folder / f"folder{command.ending}").mkdir()
    for more in ([], ["--force"]):
        assert "is a folder; name a file" in command.refused(folder, *more)
    assert list(folder.iterdir()) == []


def test_a_missing_folder_is_refused(command: Command) -> None:
    assert "does not exist; create it first" in command.refused(command.folder / "no" / f"a{command.ending}")
    assert command.left() == []


def test_the_longest_name_is_written_and_a_longer_one_refused(command: Command) -> None:
    longest = "x" * (255 - len(command.ending)) + command.ending
    assert command.to(command.folder / longest).code == 0
    assert "File name too long" in command.refused(command.folder / f"x{longest}")
    assert command.left() == [longest]


def test_a_link_stays_and_its_file_is_replaced_by_force_only(command: Command) -> None:
    file, link = command.folder / f"file{command.ending}", command.folder / f"link{command.ending}"
    file.write_text("old")
    link.symlink_to(file)
    assert "exists; use force" in command.refused(link)
    assert file.read_text() == "old"
    assert command.to(link, "--force").code == 0
    assert link.is_symlink()
    assert command.is_whole(file.read_bytes())


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(command: Command) -> None:
    file, link = command.folder / f"file{command.ending}", command.folder / f"link{command.ending}"
    link.symlink_to(file)
    assert command.to(link).code == 0
    assert link.is_symlink()
    assert command.is_whole(file.read_bytes())


def test_a_link_into_a_folder_that_is_not_there_is_refused(command: Command) -> None:
    (link := command.folder / f"link{command.ending}").symlink_to(command.folder / "no" / "file")
    assert "which does not exist; create it first" in command.refused(link, "--force")
    assert command.left() == [link.name]


def test_the_input_is_replaced_by_force_only(command: Command) -> None:
    same = command.source.rename(command.source.with_suffix(command.ending))
    as_input = Command(command.name, command.run_kces, same, command.folder)
    options = [] if command.name == "score" else ["--input-format", "csv"]
    if command.name == "attack":
        command.run_kces("convert", str(same), "-o", str(same), "--input-format", "csv", "--format", "npz", "--force")
        options = []
    assert "exists; use force" in as_input.refused(same, *options)
    ran = as_input.to(same, *options, "--force")
    assert ran.code == 0, ran.err
    assert as_input.is_whole(same.read_bytes())


def test_a_read_only_folder_is_refused_before_the_work(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may write everywhere, so the system's answer is played.
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != command.folder and allowed(path, mode))
    command.source.write_bytes(b"\0")  # no graph, which would be said if it were read first
    assert "is read-only; choose another" in command.refused(command.folder / f"a{command.ending}")
    assert command.left() == []


def test_a_full_disk_leaves_what_was_there(command: Command) -> None:
    old, new = command.folder / f"old{command.ending}", command.folder / f"new{command.ending}"
    assert command.to(old).code == 0  # compiles and loads what it needs, which takes room too
    before = old.read_bytes()
    with little_room():
        assert f"cannot write {new}: File too large" in command.refused(new)
        assert f"cannot write {old}: File too large" in command.refused(old, "--force")
    assert command.left() == [old.name]
    assert old.read_bytes() == before


@pytest.mark.parametrize("force", [False, True])
def test_of_two_writers_at_once(command: Command, force: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one finishes just before: it stays, unless this one was to replace what it finds."""
    target, move = command.folder / f"a{command.ending}", atomic._move

    def overtaken(finished: Path, place: Path, *, replace: bool) -> None:
        place.write_text("of another")
        move(finished, place, replace=replace)

    monkeypatch.setattr(atomic, "_move", overtaken)
    if force:
        assert command.to(target, "--force").code == 0
        assert command.is_whole(target.read_bytes())
    else:
        assert "has come to exist meanwhile; use force to replace it" in command.refused(target)
        assert target.read_text() == "of another"
    assert command.left() == [target.name]


@contextmanager
def standard_output_in(file: Path) -> Iterator[None]:
    """What the process prints goes to a file, as after ``>``."""
    kept = os.dup(1)
    with file.open("wb") as sink:
        os.dup2(sink.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def little_room() -> Iterator[None]:
    """No file may grow beyond ``ROOM``: a disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
