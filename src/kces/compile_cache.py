"""Where compiled loops are kept between runs.

Numba keeps them beside the sources, else in the user's cache folder; both are safe for processes side by side, since a
file is written whole and renamed. Where it can write to neither, as in a read-only container, it would refuse to
import a compiled module at all. Such a process gets a folder of its own that goes when it ends.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["keep_compiled_loops"]

_SETTING = "NUMBA_CACHE_DIR"


def keep_compiled_loops() -> str | None:
    """Make sure that compiled loops can be written somewhere; the new folder, where one was needed.

    The folder is private to the user: compiled loops are code, and nobody else's may be run.
    """
    if os.environ.get(_SETTING) or _is_writable(Path(__file__).parent) or _is_writable(_user_cache()):
        return None
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="kces-compiled-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[_SETTING] = folder
    if "numba" in sys.modules:  # it has read its settings already
        sys.modules["numba"].config.CACHE_DIR = folder
    return folder


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())


def _is_writable(folder: Path) -> bool:
    """Whether the folder can be written to, or made where it does not exist yet."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return os.access(there, os.W_OK | os.X_OK)
