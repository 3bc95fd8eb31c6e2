"""Optional packages: imported when first needed, and a missing one named with the extra that brings it."""

from __future__ import annotations

import importlib
from typing import Any

from kces.errors import MissingDependencyError

__all__ = ["require"]


def require(module: str, *, extra: str, purpose: str) -> Any:
    """The imported ``module``, or an error that says how to install it.

    >>> require("math", extra="files", purpose="counting").floor(2.5)
    2
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingDependencyError(
            f"{purpose} needs {package}, which is not installed; run: pip install 'kces[{extra}]'"
        ) from error
