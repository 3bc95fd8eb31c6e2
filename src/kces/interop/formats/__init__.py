"""The file formats: one module each, all behind :class:`~kces.interop.formats.base.Format`."""

from __future__ import annotations

from pathlib import Path

from kces.errors import InvalidParameterError
from kces.interop.formats.base import Format, Request
from kces.interop.formats.edge_list import CSV, EDGES, TSV
from kces.interop.formats.graphml import GRAPHML
from kces.interop.formats.npz import NPZ
from kces.interop.formats.parquet import PARQUET
from kces.interop.formats.pt import PT

__all__ = ["FORMATS", "Format", "Request", "format_named", "format_of"]

FORMATS: dict[str, Format] = {each.name: each for each in (NPZ, CSV, TSV, EDGES, PARQUET, GRAPHML, PT)}


def format_named(name: str) -> Format:
    """The format with this name.

    >>> format_named("csv").extensions
    ('.csv',)
    """
    if name not in FORMATS:
        raise InvalidParameterError(f"unknown file format {name!r}; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of(path: Path) -> Format | None:
    """The format that the file's extension stands for, or None.

    >>> format_of(Path("links.TSV")).name
    'tsv'
    """
    suffix = path.suffix.lower()
    return next((each for each in FORMATS.values() if suffix in each.extensions), None)
