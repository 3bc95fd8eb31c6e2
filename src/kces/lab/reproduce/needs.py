"""Which cells must be finished before a cell can run: its attacked graph, its scores, its tuning."""

from __future__ import annotations

from functools import lru_cache

from kces.datasets import is_published, parse_name
from kces.lab.reproduce.cells import Cell

__all__ = ["PRESET_OF", "by_graph", "in_order", "needs"]

PRESET_OF = {"kces": "robust", "kces-paper": "paper"}
"""The methods that score edges: once per graph, in a cell of its own, for all seeds and trials."""

_PLACE = ("split", "features")
"""Options that say which variant of the graph is meant."""
_SCORING = ("labels", "clusters")
"""Options that say how the score is made."""
_TRAINING = ("training", "trials")


def needs(cell: Cell) -> dict[str, Cell]:
    """The cells whose results this one reads, by the part they play.

    >>> sorted(needs(Cell.of("accuracy", "cora@dice-0.25#0", "kces-paper", seed=3, trials=10)))
    ['attack', 'scores', 'tuning']
    >>> needs(Cell.of("accuracy", "cora@metattack-0.25", "gcn", trials=10))
    {}
    """
    if cell.task in ("attack", "cost"):
        found: dict[str, Cell] = {}
    elif cell.task in ("accuracy", "tune"):
        found = _training_needs(cell)
    elif cell.task == "curve":
        found = {} if cell.option("order") == "random" else {"scores": _scores(cell)}
    elif cell.task == "pruned-score":
        found = {"scores": _scores(cell), "tuning": _tuning(cell)}
    else:
        found = {}
    if cell.task != "attack" and _made_on_demand(cell.graph):
        found["attack"] = Cell.of("attack", cell.graph, **cell.shared_options("split"))
    return found


def in_order(cells: list[Cell]) -> list[Cell]:
    """The cells with all they need, each once, needs first.

    >>> [each.task for each in in_order([Cell.of("accuracy", "cora", "kces-paper", trials=3)])]
    ['score', 'tune', 'accuracy']
    """
    ordered: dict[Cell, None] = {}

    def visit(cell: Cell) -> None:
        if cell not in ordered:
            for need in needs(cell).values():
                visit(need)
            ordered[cell] = None

    for cell in cells:
        visit(cell)
    return list(ordered)


def by_graph(cells: list[Cell]) -> list[Cell]:
    """The same cells with those of a graph together; a cell needs cells of its own graph only, so needs stay first.

    >>> [str(cell) for cell in by_graph([Cell("score", "cora"), Cell("score", "pubmed"), Cell("tune", "cora")])]
    ['score cora seed 0', 'tune cora seed 0', 'score pubmed seed 0']
    """
    first: dict[str, int] = {}
    for place, cell in enumerate(cells):
        first.setdefault(cell.graph, place)
    return sorted(cells, key=lambda cell: first[cell.graph])


def _training_needs(cell: Cell) -> dict[str, Cell]:
    found = {}
    if cell.method.partition("+")[0] in PRESET_OF:
        found["scores"] = _scores(cell)
    if cell.task == "accuracy" and cell.option("trials", 1) > 1 and _has_choices(cell.method):
        found["tuning"] = _tuning(cell)
    return found


def _scores(cell: Cell) -> Cell:
    method = cell.method.partition("+")[0]
    return Cell.of("score", cell.graph, method, **cell.shared_options(*_PLACE, *_SCORING))


def _tuning(cell: Cell) -> Cell:
    """With seed 0, whatever the cell's own: all seeds of a method use one choice of hyper-parameters."""
    return Cell.of("tune", cell.graph, cell.method, **cell.shared_options(*_PLACE, *_SCORING, *_TRAINING))


def _made_on_demand(graph: str) -> bool:
    name = parse_name(graph)
    return name.method is not None and not is_published(name)


@lru_cache
def _has_choices(method: str) -> bool:
    from kces.lab.defenses import make_defense

    return bool(make_defense(method).search_space())
