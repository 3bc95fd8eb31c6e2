"""A large matrix a few megabytes at a time."""

from __future__ import annotations

__all__ = ["row_blocks"]

#: Entries of a block of rows: some megabytes, which stay in the cache while several operations go over them.
_BLOCK_ENTRIES = 1 << 20


def row_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Rows cut into pieces that fit in the cache.

    >>> [(block.start, block.stop) for block in row_blocks(3, 2**19)]
    [(0, 2), (2, 3)]
    """
    height = max(_BLOCK_ENTRIES // max(n_columns, 1), 1)
    return [slice(start, min(start + height, n_rows)) for start in range(0, n_rows, height)]
