"""The PyG transform."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.transforms import Compose, ToUndirected

from kces import KCES
from kces.datasets.toys import barbell
from kces.interop import SanitizeEdges, to_pyg


def test_repr() -> None:
    assert str(SanitizeEdges()) == "SanitizeEdges()"
    assert str(SanitizeEdges(alpha="auto", preset="robust", random_state=0)) == "SanitizeEdges()"
    assert str(SanitizeEdges(alpha=0.25, preset="paper")) == "SanitizeEdges(alpha=0.25, preset='paper')"
    assert str(SanitizeEdges(0.1, clusters=3)) == "SanitizeEdges(alpha=0.1, clusters=3)"
    assert str(Compose([SanitizeEdges()])) == "Compose([\n  SanitizeEdges()\n])"


def test_it_takes_what_the_estimator_takes() -> None:
    given = {
        "alpha": 0.1, "preset": "paper", "engine": "exact", "labels": "gmm", "encoding": "onehot", "clusters": 3,
        "ridge": 0.1, "signed": True, "random_state": 4, "engine_options": {"block": 2}, "ties": "index",
    }  # fmt: skip
    assert given.keys() == KCES().get_params().keys()
    assert SanitizeEdges(**given).estimator.get_params() == given
    with pytest.raises(TypeError, match="rigde"):
        SanitizeEdges(rigde=0.1)


def test_drops_both_directions_and_keeps_attributes() -> None:
    data = to_pyg(barbell())
    data.edge_attr = torch.arange(data.num_edges)
    before = data.clone()
    out = SanitizeEdges(alpha=0.04, preset="paper")(data)
    pairs = {tuple(pair) for pair in out.edge_index.t().tolist()}
    assert out.num_edges == 40
    assert (4, 5) not in pairs
    assert (5, 4) not in pairs
    for position, attribute in enumerate(out.edge_attr.tolist()):
        assert out.edge_index[:, position].tolist() == before.edge_index[:, attribute].tolist()
    assert torch.equal(data.edge_index, before.edge_index)
    assert torch.equal(data.edge_attr, before.edge_attr)


def test_composes() -> None:
    data = Compose([SanitizeEdges(alpha=0.5, preset="paper"), ToUndirected()])(to_pyg(barbell()))
    assert data.num_edges == 20
    assert data.is_undirected()


def test_repeats_exactly() -> None:
    data = to_pyg(barbell())
    first, second = (SanitizeEdges(alpha=0.2)(data) for _ in range(2))
    assert torch.equal(first.edge_index, second.edge_index)


@pytest.mark.parametrize("pairs", [[[], []], [[1, 2], [1, 2]]])
def test_data_without_edges_passes(pairs: list[list[int]]) -> None:
    data = Data(x=torch.eye(3), edge_index=torch.tensor(pairs, dtype=torch.long), y=torch.arange(3), title="lonely")
    out = SanitizeEdges()(data)
    assert out is not data
    assert out.keys() == data.keys()
    assert torch.equal(out.edge_index, data.edge_index)
    assert out.title == "lonely"


def test_a_batch_still_comes_apart() -> None:
    part = to_pyg(barbell())
    lonely = Data(x=torch.ones(2, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    for data in (part, lonely):
        data.pop("y", None)
    batch = Batch.from_data_list([Data(x=part.x, edge_index=part.edge_index), lonely])
    out = SanitizeEdges(alpha=0.5)(batch)
    first, second = out.to_data_list()
    assert first.num_edges == 20
    assert (second.num_nodes, second.num_edges) == (2, 0)


def test_pre_transform_of_a_dataset(tmp_path) -> None:
    class One(InMemoryDataset):
        raw_file_names = ()
        processed_file_names = ("one.pt",)

        def process(self) -> None:
            self.save([self.pre_transform(to_pyg(barbell()))], self.processed_paths[0])

        def download(self) -> None:
            """Nothing to download."""

    One(str(tmp_path), pre_transform=SanitizeEdges(alpha=0.5))
    assert (tmp_path / "processed" / "one.pt").exists()
    assert "SanitizeEdges(alpha=0.5)" in (tmp_path / "processed" / "pre_transform.pt").read_bytes().decode("latin-1")


def test_the_name_is_there_without_torch_being_imported() -> None:
    code = "import sys, kces.interop; assert 'SanitizeEdges' in dir(kces.interop); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
