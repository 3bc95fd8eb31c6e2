"""Where a graph folder is written to: links, folders that take nothing, two writers at once."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from kces.datasets.toys import barbell, path
from kces.errors import OutputError
from kces.scale.folder_writer import check_new_folder, new_folder
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.workbench import workbench


def test_a_link_stays_and_the_folder_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.kces"
    link.symlink_to(tmp_path / "there" / "real.kces")
    write_graph_folder(barbell(), link)  # the folder does not exist yet
    with pytest.raises(OutputError, match="exists; use force"):
        write_graph_folder(path(5), link)
    write_graph_folder(path(5), link, force=True)
    assert link.is_symlink()
    assert GraphFolder.open(tmp_path / "there" / "real.kces").n_nodes == 5
    assert [file.name for file in (tmp_path / "there").iterdir()] == ["real.kces"]


def test_folders_that_cannot_be_made_are_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lost.kces").symlink_to(tmp_path / "no" / "a.kces")
    for name, reason in (
        ("lost.kces", "no does not exist"),
        ("no/a.kces", "no does not exist"),
        ("x" * 300, "name too long"),
    ):
        with pytest.raises(OutputError, match=reason):
            check_new_folder(tmp_path / name, force=True)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="is read-only; choose another"):
        check_new_folder(tmp_path / "a.kces", force=True)


def test_a_place_that_takes_no_scratch_files_is_told_in_a_line(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs the extra kces[scale]")
    with pytest.raises(OutputError, match="cannot write"), workbench(tmp_path / "missing"):
        pass


def test_of_two_writers_without_force_the_first_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "g.kces"
    with ExitStack() as late:
        late.enter_context(new_folder(target))
        write_graph_folder(path(5), target)
        with pytest.raises(OutputError, match="has come to exist meanwhile"):
            late.close()
    assert GraphFolder.open(target).n_nodes == 5
    assert [file.name for file in tmp_path.iterdir()] == ["g.kces"]


def test_of_two_writers_with_force_the_last_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "g.kces"
    with new_folder(target, force=True) as late:
        late.folder.joinpath("mark").touch()
        write_graph_folder(path(5), target, force=True)
    assert (target / "mark").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["g.kces"]


def test_what_is_no_graph_folder_is_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "g.kces"
    with ExitStack() as late:
        late.enter_context(new_folder(target, force=True))
        target.mkdir()
        (target / "diary.txt").touch()
        with pytest.raises(OutputError, match="has come to exist meanwhile"):
            late.close()
    assert (target / "diary.txt").exists()
