"""The file formats: one module each, all behind :class:`~kces.interop.formats.base.Format`."""

from __future__ import annotations

import re
from pathlib import Path

from kces.errors import InvalidParameterError
from kces.interop.formats.base import EdgeOptions, Format, Request
from kces.interop.formats.edge_list import CSV, TSV
from kces.interop.formats.graphml import GRAPHML
from kces.interop.formats.json_edges import JSON, JSONL
from kces.interop.formats.npz import NPZ
from kces.interop.formats.parquet import PARQUET
from kces.interop.outputs import plain_name
from kces.offered import FORMATS as OFFERED
from kces.offered import load_target

__all__ = [
    "FORMATS",
    "EdgeOptions",
    "Format",
    "Request",
    "format_named",
    "format_of",
    "format_of_content",
    "known_extensions",
]

FORMATS: dict[str, Format] = {name: load_target(target) for name, target in OFFERED.items()}

_WRAPPED = re.compile(rb'\{.*"(edges|links|records|data)"\s*:\s*\[')


def format_named(name: str) -> Format:
    """The format with this name.

    >>> format_named("csv").extensions
    ('.csv',)
    """
    if name not in FORMATS:
        raise InvalidParameterError(f"unknown file format {name!r}; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of(path: Path) -> Format | None:
    """The format that the file's extension stands for, or None; text may be packed.

    >>> format_of(Path("links.TSV")).name, format_of(Path("links.csv.gz")).name, format_of(Path("links.npz.gz"))
    ('tsv', 'csv', None)
    """
    plain = plain_name(path)
    found = next((each for each in FORMATS.values() if plain.suffix.lower() in each.extensions), None)
    return None if found is None or (plain != path and not found.packs) else found


def format_of_content(content: bytes) -> Format:
    """The format that the first bytes of a file without a name speak for.

    >>> format_of_content(b'[{"u": 1, "v": 2}]').name, format_of_content(b"a,b").name
    ('json', 'csv')
    """
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    first_line = start.partition(b"\n")[0].strip()
    if content.startswith(b"PAR1"):
        return PARQUET
    if content.startswith(b"PK"):
        return NPZ
    if first_line.startswith(b"<"):
        return GRAPHML
    if first_line.startswith(b"{") and first_line.endswith(b"}"):
        return JSONL if b"\n" in content.strip() or not _WRAPPED.match(first_line) else JSON
    if first_line.startswith((b"{", b"[")):
        return JSON
    return TSV if b"\t" in first_line else CSV


def known_extensions() -> str:
    """All extensions, for messages."""
    return ", ".join(extension for each in FORMATS.values() for extension in each.extensions)
