"""Atomic writing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from kces.atomic import atomic_write
from kces.errors import OutputError


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")

    def write_and_fail() -> None:
        with atomic_write(target, force=True) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert target.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["result.txt"]


def test_the_result_has_ordinary_permissions(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt") as temporary:
        temporary.write_text("x")
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) & 0o444 == 0o444


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"), atomic_write(tmp_path / "no" / "a.txt"):
        pass
