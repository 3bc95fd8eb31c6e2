"""The PyG user: a transform before training."""

from __future__ import annotations

import numpy as np
import pytest

import kces
from kces.datasets.builtin import digits
from kces.datasets.planted import inject_cross_class_edges
from kces.interop import to_pyg

torch = pytest.importorskip("torch")
transforms = pytest.importorskip("torch_geometric.transforms")


def accuracy(data) -> float:
    """A small GCN, trained for a moment, on the test nodes."""
    from torch_geometric.nn import GCNConv

    torch.manual_seed(0)
    layers = [GCNConv(data.num_features, 16), GCNConv(16, int(data.y.max()) + 1)]
    optimizer = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.02, weight_decay=5e-4)
    for _ in range(100):
        optimizer.zero_grad()
        out = layers[1](layers[0](data.x, data.edge_index).relu(), data.edge_index)
        torch.nn.functional.cross_entropy(out[data.train_mask], data.y[data.train_mask]).backward()
        optimizer.step()
    return float((out.argmax(dim=1) == data.y)[data.test_mask].float().mean())


def test_a_transform_before_training_wins_back_accuracy():
    from kces.interop import SanitizeEdges

    noisy, planted = inject_cross_class_edges(digits(), 0.5)
    data = to_pyg(noisy)
    data.edge_attr = torch.arange(data.num_edges)
    before = data.clone()

    transform = transforms.Compose([SanitizeEdges(), transforms.Constant()])
    clean = transform(data)
    clean.x = data.x  # the second transform was for the chain alone: both graphs are trained on the same features

    assert str(SanitizeEdges()) == "SanitizeEdges()"
    assert torch.equal(data.edge_index, before.edge_index)  # the input is not changed
    assert torch.equal(clean.edge_index, data.edge_index[:, clean.edge_attr])  # attributes follow their edges
    assert accuracy(clean) > accuracy(data) + 0.01

    # Scores and masks are aligned with data.edge_index, both directions alike.
    mask = kces.find_suspicious_edges(data)
    assert mask.shape == (data.num_edges,)
    half = data.num_edges // 2
    assert np.array_equal(mask[:half], mask[half:])
    assert planted[mask[:half]].mean() > 0.6
