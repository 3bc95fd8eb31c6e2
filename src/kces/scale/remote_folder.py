"""Graph folders in an object store: copied once to this machine's cache, through fsspec, and checked there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from kces.datasets.roots import cache_folder
from kces.errors import UnreadableFileError
from kces.interop.limits import one_line
from kces.interop.optional import require
from kces.scale.folder_manifest import MANIFEST, FolderManifest, file_hash

__all__ = ["local_copy", "remote_manifest_exists"]


def remote_manifest_exists(address: str) -> bool:
    """Whether there is a graph folder at an address."""
    files, root = _opened(address)
    try:
        return bool(files.exists(f"{root}/{MANIFEST}"))
    except Exception as error:  # stores raise what their own libraries raise
        raise UnreadableFileError(f"cannot reach {address}: {one_line(error)}") from error


def local_copy(address: str) -> Path:
    """The folder at an address, on this machine: found in the cache, or copied there and compared with its checksums.

    Parameters
    ----------
    address : anything that fsspec opens; ``file://`` and ``memory://`` too.
    """
    files, root = _opened(address)
    try:
        said = json.loads(files.cat_file(f"{root}/{MANIFEST}"))
    except Exception as error:
        raise UnreadableFileError(f"{address} is no graph folder that can be read: {one_line(error)}") from error
    place = cache_folder() / "graphs"
    place.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".copy-", dir=place))
    try:
        (temporary / MANIFEST).write_text(json.dumps(said))
        manifest = FolderManifest.read(temporary)
        final = place / manifest.fingerprint
        if not final.is_dir():
            for name, stored in manifest.files.items():
                _fetch(files, f"{root}/{name}", temporary / name, stored.sha256, address)
            _move(temporary, final)
        return final
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _fetch(files: Any, source: str, target: Path, sha256: str, address: str) -> None:
    try:
        files.get_file(source, str(target))
    except Exception as error:
        raise UnreadableFileError(f"cannot copy {target.name} of {address}: {one_line(error)}") from error
    if file_hash(target) != sha256:
        raise UnreadableFileError(f"{target.name} of {address} is damaged: its checksum differs; store it again")


def _move(finished: Path, target: Path) -> None:
    """To its place in one step; where another process was quicker, its copy is as good."""
    try:
        os.rename(finished, target)
    except OSError:
        if not target.is_dir():
            raise


def _opened(address: str) -> tuple[Any, str]:
    core = require("fsspec.core", extra="cluster", purpose="a graph folder in an object store")
    try:
        files, root = core.url_to_fs(address)
    except Exception as error:
        raise UnreadableFileError(f"cannot open {address}: {one_line(error)}") from error
    return files, str(root).rstrip("/")
