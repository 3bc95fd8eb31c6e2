"""The PyG transform."""

from __future__ import annotations

import torch
from torch_geometric.transforms import Compose, ToUndirected

from kces.datasets.toys import barbell
from kces.interop.pyg import to_pyg
from kces.interop.sanitize_edges import SanitizeEdges


def test_repr() -> None:
    assert str(SanitizeEdges(alpha=0.25, preset="paper")) == "SanitizeEdges(alpha=0.25, preset='paper')"


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
