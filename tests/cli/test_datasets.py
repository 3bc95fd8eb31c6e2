"""``kces datasets`` on built-in graphs, on an empty data root and, where present, on the published data."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kces.datasets.file_registry import FILES

MIRROR = os.environ.get("KCES_DATA_ROOT")
needs_data = pytest.mark.skipif(
    not MIRROR or not Path(MIRROR).is_dir(), reason="KCES_DATA_ROOT does not name a folder with the published data"
)


@pytest.fixture
def run(run_kces):
    """What ``kces datasets`` prints when all is well."""

    def succeed(*words: str | Path) -> str:
        ran = run_kces("datasets", *words)
        assert ran.code == 0, ran.err
        return ran.out

    return succeed


def test_list_as_json_tells_what_is_cached(run, tmp_path: Path) -> None:
    listing = json.loads(run("list", "--json", "--data-root", tmp_path))
    assert listing["data_root"] == str(tmp_path)
    rows = {row["name"]: row for row in listing["datasets"]}
    assert len(rows) == 16
    assert rows["cora"]["nodes"] == 2485
    assert rows["cora"]["cached"] is False
    assert rows["cora"]["license"] == "MIT, none stated"
    assert "cora@nettack-5" in rows["cora"]["attacks"]
    assert rows["digits"]["cached"] is True


def test_list_counts_the_files_that_are_there(run, tmp_path: Path) -> None:
    split = FILES["Pro-GNN/splits/cora_prognn_splits.json"]
    path = tmp_path / split.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b" " * split.size)
    rows = {row["name"]: row for row in json.loads(run("list", "--json", "--data-root", tmp_path))["datasets"]}
    assert (rows["cora"]["files_cached"], rows["cora"]["files"], rows["cora"]["cached"]) == (1, 2, False)
    assert "1/2" in run("list", "--data-root", tmp_path)


def test_list_for_people_names_graphs_attacks_licenses_and_the_root(run, tmp_path: Path) -> None:
    text = run("list", "--data-root", tmp_path)
    for expected in ("squirrel_filtered", "1,157,799", "polblogs, pubmed}@nettack-{1, 2, 3, 4, 5}", "ODC-BY"):
        assert expected in text
    assert f"data root: {tmp_path}" in text
    assert "data root" not in run("list", "--data-root", tmp_path, "--quiet")


def test_info_of_a_built_in_graph_as_json(run) -> None:
    facts = json.loads(run("info", "digits", "--json"))
    assert (facts["nodes"], facts["features"], facts["classes"]) == (1797, 64, 10)
    assert 6000 < facts["edges"] < 7000
    assert facts["homophily"] == pytest.approx(0.972, abs=1e-3)


def test_info_for_people(run) -> None:
    text = run("info", "synthetic:n=100,seed=1")
    assert "synthetic:n=100,seed=1" in text
    assert "homophily" in text


def test_a_wrong_name_is_refused_before_any_download(run_kces, tmp_path: Path) -> None:
    for command in (["info", "coar"], ["fetch", "cora", "coar"]):
        ran = run_kces("datasets", *command, "--data-root", tmp_path, "--quiet")
        assert ran.code == 2
        assert "unknown data set 'coar'" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_address_is_named(run_kces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adjacency = FILES["ogbn-arxiv/adj_full.npz"]
    monkeypatch.setattr("kces.datasets.local_files.download", _only_addressed(tmp_path, adjacency.path))
    ran = run_kces("datasets", "fetch", "ogbn-arxiv", "--data-root", tmp_path, "--quiet")
    assert ran.code == 2
    assert "labels_split_year.npz has no public address" in ran.err


def _only_addressed(root: Path, path: str) -> object:
    from kces.datasets.download import download

    def fake(file: object, target: Path, progress: object) -> None:
        if target != root / path:
            download(file, target)  # type: ignore[arg-type]

    return fake


def test_fetch_of_a_built_in_graph_needs_nothing(run) -> None:
    assert json.loads(run("fetch", "digits", "--json", "--quiet")) == {"files": []}


@needs_data
def test_fetch_verifies_and_names_the_files(run) -> None:
    files = json.loads(run("fetch", "cora@metattack-0.25", "--json", "--quiet"))["files"]
    assert [Path(file["path"]).name for file in files] == [
        "cora.npz",
        "cora_prognn_splits.json",
        "cora_meta_adj_0.25.npz",
    ]
    assert files[0]["sha256"] == FILES["gnn-meta-attack/data/cora.npz"].sha256


@needs_data
def test_info_of_an_attacked_graph_tells_what_the_attack_did(run) -> None:
    facts = json.loads(run("info", "cora@nettack-5", "--json", "--quiet"))
    assert facts["name"] == "cora@nettack-5"
    assert (facts["nodes"], facts["edges"], facts["features"], facts["classes"]) == (2485, 5440, 1433, 7)
    assert (facts["edges_added"], facts["edges_removed"], facts["targets"]) == (393, 22, 83)
