"""The unit of every experiment: one cell, named by what it does, independent of which table asks for it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["PROTOCOL", "Cell", "Option"]

Option: TypeAlias = str | int | float | bool | tuple[float, ...] | None

PROTOCOL = 6
"""Part of every key: raise it when a change of the code changes results, and old rows are no longer used."""

SCORES = {"paper": 1, "robust": 3}
"""Part of the key of cells that use a score of this package: raise it when that score or its cut alone changes."""

STORED_SCORES = 3
"""Part of the key of stored scores: raise it when more is stored with them; results made of them stay."""


@dataclass(frozen=True)
class Cell:
    """One piece of work that is run once and kept.

    The name of the table is not part of it: a run that two tables need is made once.

    Attributes
    ----------
    task : what is done, a name of :data:`kces.lab.reproduce.tasks.TASKS`.
    graph : name of the graph, such as ``cora@dice-0.25#0``.
    method : defense or score, such as ``kces+gat``; empty where the task has none.
    seed : of the training, or the number of the repetition where nothing is trained.
    options : sorted ``(name, value)`` pairs; make cells with :meth:`of`.
    """

    task: str
    graph: str
    method: str = ""
    seed: int = 0
    options: tuple[tuple[str, Option], ...] = ()

    @classmethod
    def of(cls, task: str, graph: str, method: str = "", seed: int = 0, **options: Option) -> Cell:
        """A cell with its options in canonical order; those that are None are left out.

        >>> Cell.of("accuracy", "cora", "gcn", training="paper", split=None).options
        (('training', 'paper'),)
        """
        given = {name: value for name, value in options.items() if value is not None}
        return cls(task, graph, method, seed, tuple(sorted(given.items())))

    @property
    def key(self) -> str:
        """Hash of everything that decides the result; the same in every process and on every machine.

        >>> Cell.of("accuracy", "cora", "gcn").key == Cell.of("accuracy", "cora", "gcn", seed=1).key
        False
        """
        return hashlib.sha256(f"{self.version} {self.to_json()}".encode()).hexdigest()[:32]

    @property
    def version(self) -> str:
        """What a change of the code raises, so that results of before are no longer used.

        >>> Cell.of("accuracy", "cora", "gcn").version == str(PROTOCOL)
        True
        """
        if "kces" not in self.method:
            return f"{PROTOCOL}"
        version = f"{PROTOCOL}.{SCORES['paper' if 'kces-paper' in self.method else 'robust']}"
        return f"{version}.{STORED_SCORES}" if self.task in ("score", "pruned-score") else version

    def option(self, name: str, default: Any = None) -> Any:
        """The value of an option."""
        return dict(self.options).get(name, default)

    def shared_options(self, *names: str) -> dict[str, Any]:
        """Those of the named options that are set: what a cell hands on to the cells it needs."""
        return {name: value for name, value in self.options if name in names}

    def to_json(self) -> str:
        """One line; :meth:`from_json` reads it back.

        >>> cell = Cell.of("curve", "cora", "kces", ratios=(0.0, 0.5))
        >>> Cell.from_json(cell.to_json()) == cell
        True
        """
        return json.dumps([self.task, self.graph, self.method, self.seed, dict(self.options)], sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Cell:
        task, graph, method, seed, options = json.loads(text)
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
        return cls.of(task, graph, method, seed, **plain)

    def __str__(self) -> str:
        parts = [self.task, self.graph, self.method, f"seed {self.seed}"]
        return " ".join(part for part in parts if part)
