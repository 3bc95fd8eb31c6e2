"""The compiled logits of pairs against torch's own operations and gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from kces.lab.defenses.pair_logits import pair_logits


def plain(first: torch.Tensor, second: torch.Tensor, weight: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
    return functional.elu(first[pairs[0]] + second[pairs[1]]) @ weight


@pytest.mark.parametrize(("n_pairs", "spread"), [(0, 1.0), (1, 1.0), (500, 1.0), (500, 30.0)])
def test_values_and_gradients_are_those_of_torch(n_pairs: int, spread: float) -> None:
    generator = torch.Generator().manual_seed(0)
    given = [spread * torch.randn(40, 9, generator=generator) for _ in range(2)]
    given.append(torch.randn(9, generator=generator))
    pairs = torch.randint(40, (2, n_pairs), generator=generator)  # nodes without a pair, pairs twice, loops
    found, expected = ([each.clone().requires_grad_() for each in given] for _ in range(2))
    logits, reference = pair_logits(*found, *pairs), plain(*expected, pairs)
    torch.testing.assert_close(logits, reference, atol=1e-4, rtol=1e-5)
    for values in (logits, reference):
        (values.tanh() * torch.arange(n_pairs)).sum().backward()
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=2e-3 * spread, rtol=1e-4)


def test_the_exponential_is_exact_where_it_matters() -> None:
    values = torch.linspace(-25.0, 0.0, 10_001)[:, None]
    nodes = torch.arange(len(values))
    logits = pair_logits(values, torch.zeros_like(values), torch.ones(1), nodes, nodes)
    torch.testing.assert_close(logits, functional.elu(values[:, 0]), atol=2e-6, rtol=0)
