"""Results that survive: one row per finished cell in an SQLite file."""

from __future__ import annotations

import fcntl
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kces.datasets.roots import make_private_folder
from kces.errors import OutputError, UnreadableFileError
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.environment import environment
from kces.processes.answers import NOT_APPLICABLE, OK, OOM, TIMEOUT, Answer

__all__ = ["Outcome", "Store", "default_store"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS outcomes (
    key TEXT PRIMARY KEY,      -- hash of the cell
    cell TEXT NOT NULL,        -- the cell itself, as JSON
    status TEXT NOT NULL,      -- ok, oom, error, timeout, not applicable
    message TEXT NOT NULL,     -- why it failed, one line
    result TEXT NOT NULL,      -- what the task returned, as JSON
    seconds REAL NOT NULL,     -- wall time of the process
    finished REAL NOT NULL,    -- seconds since 1970
    environment TEXT NOT NULL  -- versions, system and number of cores, one line
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Outcome(Answer):
    """How a cell ended, and on what machine; failures are outcomes too and are never dropped."""

    environment: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Outcome:
        return cls(answer.status, answer.result, answer.message, answer.seconds)

    @property
    def mark(self) -> str:
        """What a table shows instead of a number.

        >>> Outcome("oom").mark, Outcome("error", message="disk full").mark, Outcome("not applicable").mark
        ('OOM', 'error: disk full', '–')
        """
        marks = {OK: "", OOM: "OOM", NOT_APPLICABLE: "–", TIMEOUT: "timeout"}
        return marks.get(self.status, f"error: {self.message}")


def default_store() -> Path:
    """In the user's cache folder, so that every experiment finds what others have computed."""
    from kces.datasets.roots import cache_folder

    return cache_folder() / "reproduce.sqlite"


class Store:
    """The rows of one file. A row is written in one transaction: a kill leaves it whole or absent.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "results.sqlite") as store:
    ...     store.put(Cell("accuracy", "cora", "gcn"), Outcome("ok", {"accuracy": 80.0}))
    ...     found = store.get([Cell("accuracy", "cora", "gcn"), Cell("accuracy", "cora", "gat")])
    >>> [outcome.result for outcome in found.values()]
    [{'accuracy': 80.0}]
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Store]:
        """Open the file, or make it with its folder."""
        try:
            make_private_folder(path.parent)
            connection = sqlite3.connect(path, timeout=60.0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"cannot open the result store {path}: {error}; name another store") from error
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(_SCHEMA)
            yield cls(path, connection)
        except sqlite3.DatabaseError as error:
            raise UnreadableFileError(f"result store {path} is unusable ({error}); name another store") from error
        finally:
            connection.close()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Hold off a second runner on the same file: it would repeat the cells this one has under way."""
        with self.path.with_suffix(self.path.suffix + ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise OutputError(
                    f"another run is using the result store {self.path}; wait for it, or name another store"
                ) from None
            yield  # the lock goes with the file handle, also when this process is killed

    def put(self, cell: Cell, outcome: Outcome) -> None:
        """Record the outcome, in place of an earlier one."""
        row = (cell.key, cell.to_json(), outcome.status, outcome.message, json.dumps(outcome.result))
        self._connection.execute(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, outcome.seconds, time.time(), outcome.environment or environment()),
        )

    def get(self, cells: Iterable[Cell]) -> dict[Cell, Outcome]:
        """The outcomes of those of the cells that are finished."""
        return {cell: outcome for cell in cells if (outcome := self._find(cell)) is not None}

    def statuses(self) -> dict[str, str]:
        """Key and status of every row."""
        return dict(self._connection.execute("SELECT key, status FROM outcomes"))

    def _find(self, cell: Cell) -> Outcome | None:
        query = "SELECT status, result, message, seconds, environment FROM outcomes WHERE key = ?"
        row = self._connection.execute(query, (cell.key,)).fetchone()
        return None if row is None else Outcome(row[0], json.loads(row[1]), row[2], row[3], row[4])
