"""The grammar of graph names and where a name leads, without any data file."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from kces import datasets
from kces.datasets import GraphName, parse_name
from kces.datasets.attacked import AttackedGraph
from kces.datasets.file_registry import FILES
from kces.datasets.roots import is_writable
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.progress import Progress


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("cora", GraphName("cora")),
        ("cora@metattack-0.25", GraphName("cora", "metattack", 0.25)),
        ("pubmed@nettack-5", GraphName("pubmed", "nettack", 5.0)),
        ("cora@adaptive-kces-0.1#7", GraphName("cora", "adaptive-kces", 0.1, 7)),
        ("synthetic:n=100,seed=1@dice-0.25", GraphName("synthetic:n=100,seed=1", "dice", 0.25)),
    ],
)
def test_names_are_parsed_and_printed_back(text: str, parsed: GraphName) -> None:
    assert parse_name(text) == parsed
    assert str(parsed) == text


@pytest.mark.parametrize(
    "text", ["", "@dice-0.1", "cora@", "cora@dice", "cora@dice-", "cora@dice-x", "cora@dice-0.1#", "a@b-1@c-1"]
)
def test_other_names_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidParameterError, match=r"such as cora, cora@metattack-0\.25"):
        parse_name(text)


def test_an_unknown_data_set_lists_what_exists() -> None:
    with pytest.raises(InvalidParameterError) as caught:
        datasets.load("coar")
    assert "unknown data set 'coar'" in str(caught.value)
    for name in ("cora", "ogbn-arxiv", "squirrel_filtered", "digits", "synthetic"):
        assert name in str(caught.value)


def test_published_attacks_are_those_with_files() -> None:
    assert datasets.published_attacks("cora") == [
        *(f"cora@metattack-{budget}" for budget in ("0.05", "0.1", "0.15", "0.2", "0.25")),
        *(f"cora@nettack-{budget}" for budget in (1, 2, 3, 4, 5)),
    ]
    assert len(datasets.published_attacks("cora_ml")) == 5
    assert datasets.published_attacks("flickr") == []
    assert not datasets.is_published(parse_name("cora@metattack-0.3"))
    assert not datasets.is_published(parse_name("cora@metattack-0.25#1"))


def test_files_needed_include_those_of_the_attack() -> None:
    assert datasets.files_needed("citeseer@nettack-2") == (
        "gnn-meta-attack/data/citeseer.npz",
        "Pro-GNN/splits/citeseer_prognn_splits.json",
        "Pro-GNN/nettack/citeseer_nettack_adj_2.0.npz",
        "Pro-GNN/nettack/citeseer_nettacked_nodes.json",
    )
    assert datasets.files_needed("cora@dice-0.25") == datasets.files_needed("cora")
    assert datasets.files_needed("digits") == ()


def test_every_registered_file_has_size_hash_license_and_an_address_or_a_note() -> None:
    assert len(FILES) == 74
    for path, file in FILES.items():
        assert file.path == path
        assert file.size > 0
        assert len(file.sha256) == 64
        assert file.license in {"MIT", "none stated", "ODC-BY"}
        if file.address is None:
            assert file.note
        else:
            assert file.address.startswith("https://raw.githubusercontent.com/")
            assert file.address.endswith("/" + Path(path).name)


def test_every_data_set_and_attack_is_registered() -> None:
    for name, entry in datasets.DATASETS.items():
        assert set(entry.files) <= set(FILES), name
        for attack in datasets.published_attacks(name):
            assert set(datasets.files_needed(attack)) <= set(FILES), attack


def test_other_attacks_are_made_on_demand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[Any, ...]] = []

    def load_or_make(clean: Graph, *request: Any, progress: Progress) -> AttackedGraph:
        asked.append((clean.name, *request))
        progress("flips", 1, 1)
        return AttackedGraph(clean.keep_edges(clean.edges[:, 0] > 0), clean)

    fake: Any = types.ModuleType("kces.lab.attacks.cache")
    fake.load_or_make = load_or_make
    monkeypatch.setitem(sys.modules, "kces.lab.attacks", types.ModuleType("kces.lab.attacks"))
    monkeypatch.setitem(sys.modules, "kces.lab.attacks.cache", fake)
    told: list[str] = []
    attacked = datasets.load_attacked(
        "digits@dice-0.25#3", tmp_path, progress=lambda what, done, total: told.append(what)
    )
    assert told == ["flips"]
    assert asked == [("digits", "dice", 0.25, 3, tmp_path)]
    assert len(attacked.removed) > 0
    datasets.load("digits@random-0.1")
    assert asked[1] == ("digits", "random", 0.1, 0, None)


_WITHOUT_TORCH = """
import sys


class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")


sys.meta_path.insert(0, NoTorch())
from kces import datasets

datasets.load("digits@dice-0.25")
"""


def test_without_the_laboratory_the_extra_is_named() -> None:
    run = subprocess.run([sys.executable, "-c", _WITHOUT_TORCH], capture_output=True, text=True)
    assert re.search(r"MissingDependencyError: digits@dice-0\.25 .* pip install .*\[lab\]", run.stderr)


def test_the_data_root_is_the_argument_then_the_environment_then_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("KCES_DATA_ROOT", str(tmp_path / "environment"))
    assert datasets.data_root(tmp_path / "argument") == tmp_path / "argument"
    assert datasets.data_root() == tmp_path / "environment"
    monkeypatch.delenv("KCES_DATA_ROOT")
    assert datasets.data_root() == tmp_path / "xdg" / "kces"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert datasets.data_root() == Path.home() / ".cache" / "kces"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert datasets.data_root() == Path.home() / "Library" / "Caches" / "kces"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert datasets.data_root() == tmp_path / "local" / "kces"


def test_a_folder_marked_read_only_is_not_written_to(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    mirror.chmod(0o555)
    assert not is_writable(mirror)
    assert not is_writable(mirror / "attacks")


def test_a_folder_still_to_be_made_is_writable_if_its_parent_is(tmp_path: Path) -> None:
    assert is_writable(tmp_path / "new" / "deeper")
    (tmp_path / "file").write_text("")
    assert not is_writable(tmp_path / "file" / "below")


def test_importing_the_data_sets_does_not_import_torch() -> None:
    import subprocess

    code = "import sys, kces.datasets; print([m for m in ('torch', 'ogb') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
