"""Hops in the memory of a process: side by side, read once, and read again when the files were made again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kces.scale import hops_in_memory
from kces.scale.hops_in_memory import held_hops, read_hops
from kces.scale.run_folder import RunFolder


def stored(run: RunFolder, hops: np.ndarray) -> list[Path]:
    for block, columns in enumerate((slice(0, 3), slice(3, 5))):
        run.save("hops", block, {"hops": hops[:, :, columns]})
    return [run.file("hops", block, "hops") for block in range(2)]


def test_blocks_are_put_side_by_side_and_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops_in_memory, "_ROWS", 4)
    hops = np.random.default_rng(0).random((10, 3, 5))
    files = stored(RunFolder(tmp_path), hops)
    found = held_hops(files, [(0, 3), (3, 5)])
    np.testing.assert_array_equal(found, hops)
    assert held_hops(files, [(0, 3), (3, 5)]) is found
    np.testing.assert_array_equal(read_hops(files[1]), hops[:, :, 3:])


def test_files_that_were_made_again_are_read_again(tmp_path: Path) -> None:
    first, second = np.random.default_rng(0).random((2, 6, 3, 5))
    held_hops(stored(RunFolder(tmp_path), first), [(0, 3), (3, 5)])
    np.testing.assert_array_equal(held_hops(stored(RunFolder(tmp_path), second), [(0, 3), (3, 5)]), second)


def test_another_run_takes_the_place_of_the_last(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        held_hops(stored(RunFolder(tmp_path / name), np.zeros((2, 3, 5))), [(0, 3), (3, 5)])
    assert {Path(key[0][0]).parent.name for key in hops_in_memory._held} == {"b"}
