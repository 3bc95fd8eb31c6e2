"""The published files, where they are present: every count that the laboratory relies on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kces import datasets
from kces.datasets.file_registry import FILES
from kces.datasets.local_files import ensure
from kces.datasets.published import read_published
from kces.errors import GraphWarning

MIRROR = os.environ.get("KCES_DATA_ROOT")
pytestmark = pytest.mark.skipif(
    not MIRROR or not Path(MIRROR).is_dir(), reason="KCES_DATA_ROOT does not name a folder with the published data"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache folder stays out of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def sizes(name: str, **options: int) -> tuple[int, ...]:
    graph = datasets.load(name, **options)  # type: ignore[arg-type]
    return tuple(len(part) for part in (graph.train, graph.val, graph.test) if part is not None)


def test_every_registered_file_is_the_published_one() -> None:
    for file in FILES.values():
        assert ensure(file).stat().st_size == file.size


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "features", "classes"),
    [
        ("cora", 2485, 5069, 1433, 7),
        ("citeseer", 2110, 3668, 3703, 6),
        ("cora_ml", 2810, 7981, 2879, 7),
        ("polblogs", 1222, 16714, 1222, 2),
        ("pubmed", 19717, 44324, 500, 3),
        ("flickr", 7575, 239738, 12047, 9),
        ("coauthor_physics", 34493, 247962, 8415, 5),
        ("texas", 183, 279, 1703, 5),
        ("wisconsin", 251, 450, 1703, 5),
        ("cornell", 183, 277, 1703, 5),
        ("actor", 7600, 26659, 932, 5),
        ("chameleon_filtered", 890, 8854, 2325, 5),
        ("squirrel_filtered", 2223, 46998, 2089, 5),
    ],
)
def test_counts(name: str, nodes: int, edges: int, features: int, classes: int) -> None:
    graph = datasets.load(name)
    assert (graph.n_nodes, graph.n_edges, graph.n_features, graph.n_classes) == (nodes, edges, features, classes)
    assert datasets.DATASETS[name].counts == (nodes, edges, features, classes)
    assert graph.name == name
    assert str(graph.repairs) == ""


def test_arxiv_has_real_structure_labels_and_split_but_made_up_features() -> None:
    with pytest.warns(GraphWarning, match="class-conditional Gaussian"):
        graph = datasets.load("ogbn-arxiv")
    counts = (graph.n_nodes, graph.n_edges, graph.n_features, graph.n_classes)
    assert counts == datasets.DATASETS["ogbn-arxiv"].counts == (169343, 1157799, 128, 40)
    parts = [part for part in (graph.train, graph.val, graph.test) if part is not None]
    assert [len(part) for part in parts] == [90941, 29799, 48603]
    assert len(np.unique(np.concatenate(parts))) == 169343


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cora", (247, 249, 1988)),
        ("citeseer", (210, 211, 1688)),
        ("cora_ml", (280, 282, 2248)),
        ("polblogs", (121, 123, 978)),
        ("pubmed", (1971, 1972, 15774)),
        ("flickr", (758, 758, 6059)),
        ("texas", (87, 59, 37)),
        ("actor", (3648, 2432, 1520)),
    ],
)
def test_splits(name: str, expected: tuple[int, ...]) -> None:
    assert sizes(name) == expected


def test_heterophilous_splits_differ() -> None:
    first, last = datasets.load("texas", split=0), datasets.load("texas", split=9)
    assert first.train is not None
    assert last.train is not None
    assert first.train.tolist() != last.train.tolist()


def test_polblogs_has_identity_features() -> None:
    features = sp.csr_array(datasets.load("polblogs").features)
    assert (features != sp.eye_array(1222, format="csr")).nnz == 0


@pytest.mark.parametrize(
    ("name", "added", "removed"),
    [
        ("cora@metattack-0.25", 1222, 45),
        ("citeseer@metattack-0.25", 899, 18),
        ("polblogs@metattack-0.25", 2550, 1628),
        ("cora_ml@metattack-0.05", 396, 3),
        ("pubmed@metattack-0.1", 4432, 0),
    ],
)
def test_metattack_graphs(name: str, added: int, removed: int) -> None:
    attacked = datasets.load_attacked(name)
    assert (len(attacked.added), len(attacked.removed)) == (added, removed)
    assert attacked.graph.name == name
    assert attacked.graph.n_edges == attacked.clean.n_edges + added - removed
    assert attacked.graph.features is attacked.clean.features
    assert attacked.targets is None


@pytest.mark.parametrize(("dataset", "n_targets"), [("cora", 83), ("citeseer", 63), ("polblogs", 540), ("pubmed", 186)])
def test_nettack_graphs_name_their_targets(dataset: str, n_targets: int) -> None:
    attacked = datasets.load_attacked(f"{dataset}@nettack-5")
    assert attacked.targets is not None
    assert len(attacked.targets) == len(np.unique(attacked.targets)) == n_targets
    assert attacked.graph.test is not None
    assert np.isin(attacked.targets, attacked.graph.test).all()
    for graph in (attacked.graph, attacked.clean):
        assert not np.isin(attacked.targets, np.concatenate([graph.train, graph.val])).any()
    assert np.isin(attacked.added, attacked.targets).any(axis=1).all()


def test_every_published_attack_loads() -> None:
    names = {name: datasets.published_attacks(name) for name in datasets.DATASETS}
    assert sum(map(len, names.values())) == 45
    for dataset, attacks in names.items():
        clean = datasets.load(dataset) if attacks else None
        for attack in attacks:
            assert clean is not None
            assert len(read_published(datasets.parse_name(attack), clean).added) > 0


def test_pubmed_labels_agree_with_its_edges() -> None:
    """A wrong order of the test rows would break the agreement of neighbors."""
    homophily = datasets.edge_homophily(datasets.load("pubmed"))
    assert homophily == pytest.approx(0.8024, abs=1e-4)


def test_pubmed_targets_need_the_split_published_beside_them() -> None:
    targets, plain = datasets.load_attacked("pubmed@nettack-5").targets, datasets.load("pubmed")
    assert targets is not None
    assert plain.test is not None
    assert int((~np.isin(targets, plain.test)).sum()) == 31
