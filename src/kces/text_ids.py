"""Names of nodes in an array."""

from __future__ import annotations

from kces.types import Values

__all__ = ["text_ids"]

_TIMES_THEIR_LENGTH = 8


def text_ids(names: Values) -> Values:
    """Names as text: in an array of one width, or each by itself where one long name would make all of them wide.

    >>> import numpy as np
    >>> text_ids(np.array(["ann", "bob"], dtype=object)).dtype.kind
    'U'
    >>> text_ids(np.array(["ann", *["bob"] * 9, "x" * 1_000], dtype=object)).dtype.kind
    'O'
    """
    lengths = [len(name) for name in names]
    wide = max(lengths, default=0) * len(lengths) > _TIMES_THEIR_LENGTH * (sum(lengths) + len(lengths))
    return names.astype(object if wide else str)
