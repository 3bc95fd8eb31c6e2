"""The attacks by name."""

from __future__ import annotations

from kces.errors import InvalidParameterError
from kces.lab.attacks.adaptive import adaptive_kces
from kces.lab.attacks.dice import dice
from kces.lab.attacks.interface import PER_TARGET, SHARE_OF_EDGES, Attack
from kces.lab.attacks.metattack import metattack, metattack_approx
from kces.lab.attacks.minmax import minmax
from kces.lab.attacks.nettack import nettack
from kces.lab.attacks.prbcd import lrbcd, prbcd
from kces.lab.attacks.random_flips import random_flips

__all__ = ["ATTACKS", "find_attack"]

_SURROGATE = "structure, features, labels of the train nodes; its own predictions elsewhere"

ATTACKS: dict[str, Attack] = {
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


def find_attack(method: str) -> Attack:
    """The attack of that name.

    >>> find_attack("dice").budget_unit
    'share of edges'
    """
    if method not in ATTACKS:
        raise InvalidParameterError(f"unknown attack '{method}'; there are: {', '.join(ATTACKS)}")
    return ATTACKS[method]
