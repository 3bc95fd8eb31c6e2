"""The proximal step of the nuclear norm: shrink singular values, in place."""

from __future__ import annotations

import torch
from torch import Tensor

from kces.lab.defenses.row_blocks import row_blocks

__all__ = ["shrink_largest_singular_values", "shrink_singular_values"]

#: A random projection beats the eigendecomposition when it finds at most this part of the singular values.
_WORTH_PROJECTING = 4


def shrink_singular_values(matrix: Tensor, threshold: float, about: int | None = None) -> int:
    """The proximal step itself; returns how many singular values are left.

    ``about`` says how many are expected. Where that is a small part of them, only so many (and some more) are
    computed, and if the smallest of these is below the threshold, no other matters. Otherwise all values and the
    right vectors come from ``eigh(SᵀS)``, several times faster than an SVD, in O(N³) time and with four N x N
    matrices beside S. Squaring loses only singular values far below any threshold in use, which become zero anyway.

    >>> matrix = torch.diag(torch.tensor([3.0, -0.5]))
    >>> shrink_singular_values(matrix, 1.0)
    1
    >>> matrix.abs().round(decimals=4).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    if about is not None:
        enough = about + about // 10 + 20
        if enough <= min(matrix.shape) // _WORTH_PROJECTING:
            left, values, right = torch.svd_lowrank(matrix, q=enough, niter=2)
            if values[-1] < threshold:
                return _put_together(matrix, left, values - threshold, right)
    squares, vectors = torch.linalg.eigh(matrix.T @ matrix)
    values = squares.clamp(min=0).sqrt()
    kept = values > threshold
    share = 1.0 - threshold / values[kept]
    basis = vectors[:, kept]
    for rows in row_blocks(*matrix.shape):
        torch.mm((matrix[rows] @ basis) * share, basis.T, out=matrix[rows])
    return int(kept.sum())


def shrink_largest_singular_values(
    matrix: Tensor, threshold: float, rank: int, directions: Tensor | None = None
) -> Tensor:
    """The same for the ``rank`` largest singular values, found by projection; all others become zero.

    Returns the right singular vectors that were found, of any length. Handed in again as ``directions`` when the matrix
    has changed a little, they take the place of random ones, and two products find what takes six without. O(N² rank)
    time, and no second N x N matrix. The released code of Pro-GNN has such an operator too.

    >>> _ = torch.manual_seed(0)
    >>> matrix = torch.diag(torch.tensor([3.0, 2.0, 0.5]))
    >>> shrink_largest_singular_values(matrix, 1.0, rank=1).shape
    torch.Size([3, 3])
    >>> matrix.abs().round(decimals=3).diagonal().tolist()
    [2.0, 0.0, 0.0]
    """
    if directions is None:
        spare = min(rank + 10, min(matrix.shape))  # a few directions more make the wanted ones accurate
        left, values, right = torch.svd_lowrank(matrix, q=spare, niter=2)
        _put_together(matrix, left[:, :rank], values[:rank] - threshold, right[:, :rank])
        return right
    basis = torch.linalg.qr(matrix @ directions).Q
    projected = basis.T @ matrix
    squares, turned = torch.linalg.eigh(projected @ projected.T)  # in increasing order
    squares, turned = squares.flip(0)[:rank], turned.flip(1)
    directions = projected.T @ turned
    kept = squares > threshold**2
    values = squares[kept].sqrt()
    left, right = basis @ turned[:, :rank][:, kept], directions[:, :rank][:, kept] / values
    _put_together(matrix, left, values - threshold, right)
    return directions


def _put_together(matrix: Tensor, left: Tensor, values: Tensor, right: Tensor) -> int:
    """Overwrite the matrix by ``left diag(values) rightᵀ``, negative values taken as zero."""
    kept = values > 0
    torch.mm(left[:, kept] * values[kept], right[:, kept].T, out=matrix)
    return int(kept.sum())
