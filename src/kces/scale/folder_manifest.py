"""What a graph folder says about itself: counts, files with their shapes and checksums, and how it was made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from kces.errors import UnreadableFileError, one_line
from kces.graph import Repairs

__all__ = ["FORMAT_VERSION", "MANIFEST", "FolderManifest", "StoredFile", "file_hash", "pieces_of"]

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
_PIECE = 2**24


@dataclass(frozen=True)
class StoredFile:
    """One file of the folder: bytes, SHA-256, and what its array is."""

    bytes: int
    sha256: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class FolderManifest:
    """The folder's own description.

    Attributes
    ----------
    name : of the graph, for tables and reports.
    n_nodes, n_edges, n_features : counts; edges are undirected.
    features : how features are stored: ``dense``, ``sparse`` or ``none`` (the graph alone).
    column_blocks : (first, last + 1) columns of each block of features.
    ids : how nodes are named: ``numbers`` (0 … N-1), ``integers`` or ``text``.
    files : every file by its name.
    feature_names : what each column is, or None.
    repairs : what was dropped on the way in, as in :class:`kces.graph.Repairs`.
    made_by : versions, source and options.
    notes : what was done to the features, one line each.
    version : of this format.
    """

    name: str
    n_nodes: int
    n_edges: int
    n_features: int
    features: str
    column_blocks: tuple[tuple[int, int], ...]
    ids: str
    files: dict[str, StoredFile]
    feature_names: tuple[str, ...] | None = None
    repairs: dict[str, int] = field(default_factory=dict)
    made_by: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    version: int = FORMAT_VERSION

    @property
    def fingerprint(self) -> str:
        """One hash of all that scores depend on: the files' checksums and the counts.

        >>> len(FolderManifest("g", 2, 1, 0, "none", (), "numbers", {}).fingerprint)
        64
        """
        said = [self.n_nodes, self.n_edges, self.n_features, self.features, self.column_blocks]
        hashes = {name: stored.sha256 for name, stored in sorted(self.files.items())}
        return hashlib.sha256(json.dumps([said, hashes]).encode()).hexdigest()

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def read(cls, folder: Path) -> FolderManifest:
        """The manifest of a folder, checked, or one line that says what is wrong with it."""
        path = folder / MANIFEST
        try:
            said = json.loads(path.read_text())
        except FileNotFoundError:
            raise UnreadableFileError(f"{folder} is a folder, but no graph folder: it has no {MANIFEST}") from None
        except (OSError, ValueError, RecursionError) as error:
            raise UnreadableFileError(f"{path} is not readable: {one_line(error)}; convert the graph again") from error
        version = said.get("version") if isinstance(said, dict) else None
        if version != FORMAT_VERSION:
            raise UnreadableFileError(
                f"{folder} has format version {version}, this program reads {FORMAT_VERSION}; convert the graph again"
            )
        try:
            return _checked(_from_json(said))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise UnreadableFileError(f"{path} is damaged ({one_line(error)}); convert the graph again") from error


def _from_json(said: dict[str, Any]) -> FolderManifest:
    known = {each.name for each in fields(FolderManifest)}
    given = {name: value for name, value in said.items() if name in known}
    given["files"] = {
        name: StoredFile(**(stored | {"shape": tuple(stored["shape"])})) for name, stored in said["files"].items()
    }
    given["column_blocks"] = tuple((int(first), int(last)) for first, last in said["column_blocks"])
    given["feature_names"] = None if said["feature_names"] is None else tuple(said["feature_names"])
    given["notes"] = tuple(said["notes"])
    return FolderManifest(**given)


def _checked(manifest: FolderManifest) -> FolderManifest:
    """Refuse counts that are none, and files that lie elsewhere."""
    for name in ("n_nodes", "n_edges", "n_features"):
        count = getattr(manifest, name)
        if type(count) is not int or count < 0:
            raise ValueError(f"{name} is {str(count)[:40]!r}")
    Repairs(**{name: int(count) for name, count in manifest.repairs.items()})
    if elsewhere := [name for name in manifest.files if Path(name).name != name]:
        raise ValueError(f"it names the file {elsewhere[0][:80]!r}")
    ends = [0, *(column for block in manifest.column_blocks for column in block), manifest.n_features]
    if manifest.features != "none" and (ends[::2] != ends[1::2] or ends != sorted(ends)):
        raise ValueError(f"its blocks of columns are not those of {manifest.n_features} features")
    return manifest


def pieces_of(path: Path) -> Iterator[bytes]:
    """The content of a file, some megabytes at a time."""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def file_hash(path: Path) -> str:
    """SHA-256 of a file, read once in pieces."""
    found = hashlib.sha256()
    for piece in pieces_of(path):
        found.update(piece)
    return found.hexdigest()
