"""Every baseline of the paper behind one interface: ``make_defense(name).fit(graph, seed).predict()``."""

from kces.lab.defenses.defense import Defense, Model, NeedsFeaturesError, NotApplicableError, Purifier
from kces.lab.defenses.defense_registry import MODELS, PURIFIERS, make_defense, register_defense
from kces.lab.defenses.purified import Purified

__all__ = [
    "MODELS",
    "PURIFIERS",
    "Defense",
    "Model",
    "NeedsFeaturesError",
    "NotApplicableError",
    "Purified",
    "Purifier",
    "make_defense",
    "register_defense",
]
