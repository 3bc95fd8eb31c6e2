"""Files that people have and that are not read here: what to do with each."""

from __future__ import annotations

from pathlib import Path

from kces.interop.outputs import plain_name

__all__ = ["foreign_content", "remedy_for"]

_SHEET = "save the sheet as CSV"
_THROUGH_NETWORKX = "read it with NetworkX and write it with networkx.write_graphml"
_MATRIX = "read it with scipy.io.{} and write it with scipy.sparse.save_npz"
_REMEDIES = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), _SHEET),
    **dict.fromkeys((".gml", ".gexf", ".net", ".paj", ".adjlist", ".dot", ".gv"), _THROUGH_NETWORKX),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".duckdb"), "export the table as CSV or Parquet"),
    **dict.fromkeys(
        (".pkl", ".pickle", ".gpickle", ".joblib"), "it can run code and is never loaded; save it in another format"
    ),
    ".mtx": _MATRIX.format("mmread"),
    ".mat": _MATRIX.format("loadmat"),
    ".npy": "a dense adjacency matrix goes in with scipy.sparse.save_npz",
    **dict.fromkeys((".feather", ".arrow", ".orc", ".dta", ".sav", ".rds"), "save it as Parquet or CSV"),
    ".zip": "unpack it first",
}
"""Other files that people have, and what to do with them."""
_CONTENTS = (
    (b"PK\x03\x04", "is an Excel file or another zip archive under the name of text; save its sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "is an old Excel file under the name of text; save its sheet as CSV"),
    (b"SQLite format 3", "is a database under the name of text; export the table as CSV"),
    (b"PAR1", "is a Parquet file under the name of text; call it .parquet"),
    (b"\x1f\x8b", "is packed, or packed twice; unpack it, or let its name end in .gz"),
    (b"%%MatrixMarket", "is a Matrix Market file; " + _MATRIX.format("mmread")),
    (b"%PDF", "is a PDF file under the name of text"),
)
"""How files begin that are now and then called .csv."""


def remedy_for(path: Path, otherwise: str) -> str:
    """What to do with a file of a kind that is not read.

    >>> remedy_for(Path("book.xlsx"), "use CSV"), remedy_for(Path("book.xyz"), "use CSV")
    ('save the sheet as CSV', 'use CSV')
    """
    return _REMEDIES.get(plain_name(path).suffix.lower(), otherwise)


def foreign_content(content: bytes) -> str | None:
    """What content that should be text is instead, where its first bytes tell.

    >>> foreign_content(b"%PDF-1.7"), foreign_content(b"a,b")
    ('is a PDF file under the name of text', None)
    """
    return next((what for start, what in _CONTENTS if content.startswith(start)), None)
