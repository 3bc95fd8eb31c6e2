"""The attacks by name."""

from __future__ import annotations

from collections.abc import Callable

from kces.errors import InvalidParameterError
from kces.lab.attacks.adaptive import adaptive_kces
from kces.lab.attacks.dice import dice
from kces.lab.attacks.interface import PER_TARGET, SHARE_OF_EDGES, Attack, AttackFunction
from kces.lab.attacks.metattack import metattack, metattack_approx
from kces.lab.attacks.minmax import minmax
from kces.lab.attacks.nettack import nettack
from kces.lab.attacks.prbcd import lrbcd, prbcd
from kces.lab.attacks.random_flips import random_flips
from kces.plugins import Registry, origin_of

__all__ = ["ATTACKS", "find_attack", "register_attack"]

_SURROGATE = "structure, features, labels of the train nodes; its own predictions elsewhere"

_OWN = {
    attack.name: attack
    for attack in (
        Attack("random", random_flips, SHARE_OF_EDGES, "structure"),
        Attack("dice", dice, SHARE_OF_EDGES, "structure and all labels"),
        Attack("metattack", metattack, SHARE_OF_EDGES, _SURROGATE),
        Attack("metattack-approx", metattack_approx, SHARE_OF_EDGES, _SURROGATE),
        Attack("minmax", minmax, SHARE_OF_EDGES, _SURROGATE),
        Attack("prbcd", prbcd, SHARE_OF_EDGES, _SURROGATE),
        Attack("lrbcd", lrbcd, SHARE_OF_EDGES, _SURROGATE),
        Attack("adaptive-kces", adaptive_kces, SHARE_OF_EDGES, _SURROGATE + "; the defence and its settings"),
        Attack("nettack", nettack, PER_TARGET, _SURROGATE + ", and the labels of the targets"),
    )
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
