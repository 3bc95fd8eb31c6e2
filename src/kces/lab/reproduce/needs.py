"""Which cells must be finished before a cell can run: its attacked graph, its scores, its tuning."""

from __future__ import annotations

from functools import lru_cache

from kces.datasets import DATASETS, is_published, parse_name
from kces.lab.reproduce.cells import Cell

__all__ = ["PRESET_OF", "in_order", "longest_first", "needs"]

PRESET_OF = {"kces": "robust", "kces-validated": "robust", "kces-paper": "paper"}
"""The methods that score edges: once per graph, in a cell of its own, for all seeds and trials."""

_SLOW = {"prognn": 200.0, "gpr-gae": 40.0, "gat": 6.0, "rgcn": 3.0, "gnnguard": 2.5, "airgnn": 2.0}
"""Time of a training, roughly, in those of a GCN (table-cost); all others count as one."""

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


def longest_first(cells: list[Cell]) -> list[Cell]:
    """The same cells, those of the largest graph first and together, and of a graph those of the slowest methods: what
    is left when a run ends is short, and all cores have work until then.

    >>> [str(cell) for cell in longest_first([Cell("score", "cora"), Cell("score", "pubmed"), Cell("tune", "cora")])]
    ['score pubmed seed 0', 'score cora seed 0', 'tune cora seed 0']
    """
    place = {cell: number for number, cell in enumerate(cells)}
    first = {cell.graph: place[cell] for cell in reversed(cells)}
    return sorted(cells, key=lambda cell: (-_edges(cell.graph), first[cell.graph], -_slowness(cell), place[cell]))


def _edges(graph: str) -> int:
    """Of the data set that the graph comes from; 0 where that is not listed."""
    entry = DATASETS.get(parse_name(graph).dataset)
    return entry.counts.edges if entry is not None and entry.counts is not None else 0


def _slowness(cell: Cell) -> float:
    """Of a cell beside others of its graph: what others wait for comes first."""
    if cell.task == "attack":
        return float("inf")
    return max((_SLOW.get(part, 1.0) for part in (cell.method or "").split("+")), default=1.0)


def _training_needs(cell: Cell) -> dict[str, Cell]:
    found = {}
    if cell.method.partition("+")[0] in PRESET_OF:
        found["scores"] = _scores(cell)
    if cell.task == "accuracy" and cell.option("trials", 1) > 1 and _has_choices(cell.method):
        found["tuning"] = _tuning(cell)
    return found


def _scores(cell: Cell) -> Cell:
    method = "kces-paper" if PRESET_OF[cell.method.partition("+")[0]] == "paper" else "kces"
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
