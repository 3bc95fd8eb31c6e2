"""Optional packages: imported when first needed, and a missing one named with the extra that brings it."""

from __future__ import annotations

import importlib
import json
import shlex
import warnings
from types import ModuleType
from urllib.parse import unquote, urlsplit

from kces.errors import MissingDependencyError

__all__ = ["install_hint", "missing", "require"]


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """The imported ``module``, or an error that says how to install it.

    Parameters
    ----------
    module : its dotted name.
    extra : the extra of this package that brings it.
    purpose : what needs it, to begin the sentence with.

    Examples
    --------
    >>> require("math", extra="files", purpose="counting").floor(2.5)
    2
    """
    try:
        with warnings.catch_warnings():
            # What a library deprecates in its own dependencies is not the user's concern.
            warnings.simplefilter("ignore", DeprecationWarning)
            return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise missing(f"{purpose} needs {package}, which is not installed", extra=extra) from error


def missing(what: str, *, extra: str) -> MissingDependencyError:
    """The error for a package that is not there, with the command that installs it.

    Parameters
    ----------
    what : what is missing and for what, in words that a semicolon can follow.
    extra : the extra of this package that brings it.

    Examples
    --------
    >>> str(missing("attacks need torch", extra="lab"))
    "attacks need torch; run: pip install ..."
    """
    return MissingDependencyError(f"{what}; run: {install_hint(extra)}")


def install_hint(extra: str) -> str:
    """The command that adds an extra, by the way this package itself was installed.

    A package from a checkout or a file is on no index, so that ``pip install 'kces[lab]'`` would fail for it.

    Parameters
    ----------
    extra : its name, as in ``pyproject.toml``.

    Examples
    --------
    >>> install_hint("lab").startswith("pip install ")
    True
    """
    from importlib.metadata import PackageNotFoundError, distribution  # slow to load, and rarely needed

    try:
        origin = distribution("kces").read_text("direct_url.json")
    except PackageNotFoundError:
        origin = None
    wanted = f"kces[{extra}]"
    if origin:
        found = json.loads(origin)
        address = str(found.get("url", ""))
        folder = unquote(urlsplit(address).path) if address.startswith("file:") else ""
        if folder and found.get("dir_info", {}).get("editable"):
            return f"pip install -e {shlex.quote(f'{folder}[{extra}]')}"
        if "vcs_info" in found:
            address = f"{found['vcs_info']['vcs']}+{address}"
        if address:
            wanted = f"{wanted} @ {address}"
    return f"pip install {shlex.quote(wanted)}"
