"""PyTorch Geometric: the same GCN trained on a noisy graph, and behind the transform ``SanitizeEdges``.

python examples/pyg_training.py
"""

from __future__ import annotations

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from kces.datasets.builtin import digits
from kces.datasets.planted import inject_cross_class_edges
from kces.interop import SanitizeEdges, to_pyg


def accuracy(data: Data, epochs: int = 100) -> float:
    """Train for a moment, judge on the test nodes."""
    torch.manual_seed(0)
    model = GCN(data.num_features, hidden_channels=16, num_layers=2, out_channels=int(data.y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
    for _ in range(epochs):
        optimizer.zero_grad()
        out = model(data.x, data.edge_index)
        torch.nn.functional.cross_entropy(out[data.train_mask], data.y[data.train_mask]).backward()
        optimizer.step()
    return float((out.argmax(dim=1) == data.y)[data.test_mask].float().mean())


def main() -> None:
    clean = digits()  # images of handwritten digits, linked to those most alike
    noisy, _ = inject_cross_class_edges(clean, 0.5)
    data = to_pyg(noisy)
    sanitized = SanitizeEdges()(data)  # no label is used, so nothing leaks from the test nodes
    for name, graph in (("clean", to_pyg(clean)), ("noisy", data), ("sanitized", sanitized)):
        print(f"{name:10} {graph.num_edges // 2:6} edges  test accuracy {accuracy(graph):.3f}")


if __name__ == "__main__":
    main()
