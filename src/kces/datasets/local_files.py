"""From a registered file to a checked path on this machine."""

from __future__ import annotations

from pathlib import Path

from kces.datasets.download import download, sha256_of
from kces.datasets.file_registry import FILES, DataFile
from kces.datasets.roots import cache_folder, data_root, is_writable
from kces.errors import UnreadableFileError
from kces.progress import Progress, silent

__all__ = ["ensure", "file_here", "path_of"]


def path_of(path: str, root: str | Path | None = None, progress: Progress = silent) -> Path:
    """Where the registered file is on this machine, after downloading it if it was missing."""
    return ensure(FILES[path], root, progress)


def file_here(file: DataFile, root: str | Path | None = None) -> Path | None:
    """Where the file is if it is here (judged by its length only), without touching the network."""
    for folder in _folders(data_root(root)):
        path = folder / file.path
        if path.is_file() and path.stat().st_size == file.size:
            return path
    return None


def ensure(file: DataFile, root: str | Path | None = None, progress: Progress = silent) -> Path:
    """Find or download ``file``; its SHA-256 is compared on every use, since all files are small."""
    folders = _folders(data_root(root))
    for folder in folders:
        path = folder / file.path
        if path.is_file():
            return _verified(file, path)
    target = folders[-1] / file.path
    download(file, target, progress)
    return target


def _folders(root: Path) -> list[Path]:
    """A mirror that is read-only is completed in the cache folder, never in place."""
    return [root] if is_writable(root) else [root, cache_folder()]


def _verified(file: DataFile, path: Path) -> Path:
    try:
        if sha256_of(path) == file.sha256:
            return path
    except OSError as error:
        raise UnreadableFileError(f"cannot read {path}: {error.strerror}") from error
    raise UnreadableFileError(
        f"{path} differs from the published file (wrong SHA-256); remove it to have it downloaded again"
        + (f" from {file.address}" if file.address else "")
    )
