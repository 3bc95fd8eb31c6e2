"""Who made a file: the versions and the source, for manifests."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["made_here"]


def made_here(source: str) -> dict[str, Any]:
    """What a manifest says of its making.

    >>> sorted(made_here("cora"))
    ['kces', 'numpy', 'source']
    """
    from kces import __version__  # read from the installed package, which takes a while

    return {"kces": __version__, "numpy": np.__version__, "source": source}
