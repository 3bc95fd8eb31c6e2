"""Graph folders in an object store: copied once, checked, scored like others."""

from __future__ import annotations

from pathlib import Path

import fsspec
import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.errors import UnreadableFileError
from kces.scale import GraphFolder, cut_folder, is_graph_folder, score_folder
from kces.scale.from_graph import write_graph_folder

ADDRESS = "memory://bucket/g.kces"


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GraphFolder:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = write_graph_folder(synthetic(n=100, seed=0), tmp_path / "g.kces")
    store = fsspec.filesystem("memory")
    store.put(str(folder.path), "/bucket/g.kces", recursive=True)
    yield folder
    store.rm("/bucket", recursive=True)


def test_a_folder_in_a_store_is_scored_like_one_on_disk(stored: GraphFolder, tmp_path: Path) -> None:
    assert is_graph_folder(ADDRESS)
    assert not is_graph_folder("memory://bucket/other.kces")
    remote = GraphFolder.open(ADDRESS)
    assert remote.origin == ADDRESS
    assert GraphFolder.open(ADDRESS).path == remote.path
    here, there = (score_folder(each, tmp_path / name) for each, name in ((stored, "here"), (remote, "there")))
    np.testing.assert_array_equal(here.all_scores(), there.all_scores())
    assert cut_folder(here).n_removed == cut_folder(there).n_removed


def test_damage_on_the_way_is_noticed(stored: GraphFolder) -> None:
    with fsspec.open("memory://bucket/g.kces/indices.npy", "wb") as file:
        file.write(b"nothing of the kind")
    with pytest.raises(UnreadableFileError, match=r"indices.npy of .* is damaged"):
        GraphFolder.open(ADDRESS)
    with pytest.raises(UnreadableFileError, match="no graph folder"):
        GraphFolder.open("memory://bucket/nothing.kces")
    with pytest.raises(UnreadableFileError, match="cannot open"):
        GraphFolder.open("nosuchstore://bucket/g.kces")
