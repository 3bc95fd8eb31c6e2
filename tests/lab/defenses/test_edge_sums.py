"""Sums along edges: output and gradient against messages made one by one."""

from __future__ import annotations

import torch

from kces.lab.defenses.edge_sums import edge_products, edge_sums

SOURCE = torch.tensor([0, 1, 2, 3, 3, 1])
TARGET = torch.tensor([1, 0, 1, 1, 2, 1])
WEIGHTS = torch.tensor([0.5, 2.0, 0.0, 1.5, -1.0, 3.0])


def by_messages(values: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(values).index_add(0, TARGET, values[SOURCE] * WEIGHTS.unsqueeze(1))


def test_sums_and_gradients_are_those_of_messages() -> None:
    values = torch.randn(4, 3)
    found, expected = (values.clone().requires_grad_() for _ in range(2))
    outcome = torch.randn(4, 3)
    sums = edge_sums(SOURCE, TARGET, WEIGHTS, found)
    torch.testing.assert_close(sums, by_messages(expected))
    (sums * outcome).sum().backward()
    (by_messages(expected) * outcome).sum().backward()
    torch.testing.assert_close(found.grad, expected.grad)


def test_products_of_the_ends() -> None:
    values = torch.randn(4, 5)
    torch.testing.assert_close(edge_products(SOURCE, TARGET, values), (values[SOURCE] * values[TARGET]).sum(dim=1))
