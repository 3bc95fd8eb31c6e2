"""What a result was measured on, without naming the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["environment"]

_PACKAGES = ("kces", "numpy", "scipy", "scikit-learn", "numba", "torch", "torch_geometric")


def environment() -> dict[str, str]:
    """Versions, system and number of cores.

    >>> sorted(environment())[:3]
    ['cores', 'kces', 'numba']
    """
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    found["cores"] = str(os.cpu_count() or 1)
    return found | {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
