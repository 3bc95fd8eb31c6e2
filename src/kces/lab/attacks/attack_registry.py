"""The attacks by name."""

from __future__ import annotations

from collections.abc import Callable

from kces.errors import InvalidParameterError
from kces.lab.attacks.interface import Attack, AttackFunction
from kces.offered import ATTACKS as OFFERED
from kces.offered import SHARE_OF_EDGES, load_target
from kces.plugins import Registry, origin_of

__all__ = ["ATTACKS", "find_attack", "register_attack"]

_OWN = {
    name: Attack(name, load_target(own.target), own.budget_unit, own.knows, own.version)
    for name, own in OFFERED.items()
}

ATTACKS: Registry[Attack] = Registry("attack", "kces.attacks", _OWN)


def register_attack(
    name: str, *, budget_unit: str = SHARE_OF_EDGES, knows: str = ""
) -> Callable[[AttackFunction], AttackFunction]:
    """Decorate a function that attacks: it is then known by name, also in ``cora@name-0.1``.

    Parameters
    ----------
    name : lower-case letters, digits, ``-`` and ``_``.
    budget_unit : ``SHARE_OF_EDGES``, or ``PER_TARGET`` for attacks on chosen nodes.
    knows : what the attacker is assumed to see.

    Examples
    --------
    >>> from kces.datasets.attacked import AttackedGraph
    >>> from kces.datasets.toys import barbell
    >>> from kces.progress import silent
    >>> @register_attack("first-edge-off")
    ... def first_edge_off(graph, budget, seed=0, *, progress=silent):
    ...     return AttackedGraph(graph.with_edges(graph.edges[1:]), graph)
    >>> find_attack("first-edge-off")(barbell(), 0.1).log["removed"]
    1
    >>> ATTACKS.forget("first-edge-off")
    """

    def register(run: AttackFunction) -> AttackFunction:
        ATTACKS.register(name, Attack(name, run, budget_unit, knows), origin=origin_of(run))
        return run

    return register


def find_attack(method: str) -> Attack:
    """The attack of that name.

    >>> find_attack("dice").budget_unit
    'share of edges'
    """
    if method not in ATTACKS:
        raise InvalidParameterError(f"unknown attack '{method}'; there are: {', '.join(ATTACKS)}")
    return ATTACKS[method]
