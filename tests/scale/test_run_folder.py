"""Checkpoints: whole or absent, checked, locked, and only for the run that they are of."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from kces.errors import GraphWarning, OutputError, UnreadableFileError
from kces.scale.executors import InThisProcess, compute_stage
from kces.scale.run_folder import RunFolder, delete_run, locked_run, start_run

PARAMETERS = {"graph": "abc", "seed": 0, "layout": {"chunk": 5}}


class Squares:
    """A step that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, state: None, item: int) -> dict[str, np.ndarray]:
        self.asked.append(item)
        return {"value": np.array([item * item])}


def computed(run: RunFolder, items: int = 4) -> list[int]:
    """The items that had to be computed."""
    step = Squares()
    compute_stage(InThisProcess(), run, "square", step, None, items)
    assert [run.load("square", item, "value").tolist() for item in range(items)] == [[i * i] for i in range(items)]
    return step.asked


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert computed(run) == [0, 1, 2, 3]
    assert computed(run) == []
    run.forget("square")
    assert computed(run) == [0, 1, 2, 3]


@pytest.mark.parametrize("damage", ["truncated", "flipped", "gone", "record", "half a record"])
def test_a_damaged_part_is_made_again(tmp_path: Path, damage: str) -> None:
    run = RunFolder(tmp_path)
    computed(run)
    file, record = run.file("square", 2, "value"), run.record("square", 2)
    content = bytearray(file.read_bytes())
    if damage == "truncated":
        file.write_bytes(content[:-1])
    elif damage == "flipped":
        content[-8] ^= 1
        file.write_bytes(content)
    elif damage == "gone":
        file.unlink()
    elif damage == "record":
        record.unlink()
    else:
        record.write_text(record.read_text()[:10])
    if damage == "record":
        assert computed(run) == [2]
    else:
        with pytest.warns(GraphWarning, match=r"part 2 of square in .* is damaged; it is made again"):
            assert computed(run) == [2]


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder(tmp_path)
    computed(run, 2)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("kces.scale.run_folder.os.replace", full)
        with pytest.raises(OutputError, match="No space left on device"):
            compute_stage(InThisProcess(), run, "square", Squares(), None, 4)
    assert not list(tmp_path.glob("*.tmp"))
    assert computed(run) == [2, 3]


def test_an_array_that_is_read_after_damage_is_one_line(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    with pytest.raises(UnreadableFileError, match="damaged or gone"):
        run.load("square", 0, "value")


def test_another_run_in_the_same_folder_is_refused_with_the_difference(tmp_path: Path) -> None:
    run = tmp_path / "run"
    start_run(run, PARAMETERS, resume=False)
    with pytest.raises(OutputError, match="unfinished run"):
        start_run(run, PARAMETERS, resume=False)
    with pytest.raises(OutputError, match="seed is 0 there and 1 here"):
        start_run(run, PARAMETERS | {"seed": 1}, resume=True)
    with pytest.raises(OutputError, match="graph is 'abc' there and 'xyz' here"):
        start_run(run, PARAMETERS | {"graph": "xyz"}, resume=True)
    assert start_run(run, PARAMETERS | {"layout": {"chunk": 9}}, resume=True)["layout"] == {"chunk": 5}


def test_other_peoples_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(OutputError, match="holds other files"):
        start_run(tmp_path, PARAMETERS, resume=True)
    delete_run(tmp_path)
    assert (tmp_path / "holiday.jpg").exists()
    with pytest.raises(OutputError, match="is a file"):
        start_run(tmp_path / "holiday.jpg", PARAMETERS, resume=False)


def test_two_processes_exclude_each_other(tmp_path: Path) -> None:
    with locked_run(tmp_path), pytest.raises(OutputError, match="another process"), locked_run(tmp_path):
        pass
    with locked_run(tmp_path):
        pass
