"""What a result was measured on, without naming the machine."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

__all__ = ["environment"]

_PACKAGES = ("kces", "numpy", "scipy", "scikit-learn", "numba", "torch", "torch_geometric")


@lru_cache
def environment() -> str:
    """Versions, system and number of cores in one line.

    >>> environment().split(", ")[0].startswith("python 3.")
    True
    """
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    found["cores"] = str(os.cpu_count() or 1)
    found |= {name: _version(name) for name in _PACKAGES}
    return ", ".join(f"{key} {value}" for key, value in found.items())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
