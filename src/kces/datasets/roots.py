"""Where data files live: a folder the user names, or the cache folder of the platform."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

__all__ = ["cache_folder", "data_root", "is_writable", "make_private_folder"]


def cache_folder() -> Path:
    """The user's cache folder for this package, by the convention of the platform."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "kces"


def data_root(given: str | Path | None = None) -> Path:
    """The argument, else the environment variable ``KCES_DATA_ROOT``, else the cache folder.

    >>> data_root("mirror").name
    'mirror'
    """
    if given is not None:
        return Path(given).expanduser()
    from_environment = os.environ.get("KCES_DATA_ROOT")
    return Path(from_environment).expanduser() if from_environment else cache_folder()


def make_private_folder(folder: Path) -> Path:
    """Make a folder with all above it; the cache folder, if it is new, for the user's eyes alone.

    >>> import tempfile
    >>> make_private_folder(Path(tempfile.mkdtemp()) / "a" / "b").is_dir()
    True
    """
    cache = cache_folder()
    if folder == cache or cache in folder.parents:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_writable(folder: Path) -> bool:
    """True when files can be made in ``folder``, or when it can itself be made.

    A folder marked read-only is taken at its word, although an administrator's program could write to it.
    """
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    marked_writable = bool(existing.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    return existing.is_dir() and marked_writable and os.access(existing, os.W_OK)
