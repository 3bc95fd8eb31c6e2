"""Names of defenses as tables and the command line write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kces import offered
from kces.errors import InvalidParameterError
from kces.lab.defenses.defense import Defense, Model, Purifier
from kces.lab.defenses.gcn import GCN
from kces.lab.defenses.purified import Purified
from kces.lab.training import DEEPROBUST, TrainingPreset
from kces.offered import load_target
from kces.plugins import Registry, origin_of

__all__ = ["MODELS", "PURIFIERS", "before_a_gcn", "make_defense", "register_defense"]

_MODELS: dict[str, type[Defense]] = {name: load_target(target) for name, target in offered.MODELS.items()}
_PURIFIERS: dict[str, type[Purifier]] = {name: load_target(target) for name, target in offered.PURIFIERS.items()}

_GROUP = "kces.defenses"
MODELS: Registry[type[Defense]] = Registry("model", _GROUP, _MODELS)
PURIFIERS: Registry[type[Purifier]] = Registry("purifier", _GROUP, _PURIFIERS)

AnyDefense = TypeVar("AnyDefense", bound="type[Defense] | type[Purifier]")


def register_defense(name: str) -> Callable[[AnyDefense], AnyDefense]:
    """Decorate a class of one's own, a defense, model or purifier: it is then known by name, also in ``kces+name``.

    The class must be usable without arguments (a :class:`Model` gets the training preset), and ``name`` made of
    lower-case letters, digits, ``-`` and ``_``.

    >>> from kces.lab.defenses.jaccard import Jaccard
    >>> @register_defense("half-blind")
    ... class HalfBlind(Jaccard):
    ...     pass
    >>> type(make_defense("half-blind+gat").purifier).__name__
    'HalfBlind'
    >>> PURIFIERS.forget("half-blind")
    """

    def register(kind: AnyDefense) -> AnyDefense:
        if name in (MODELS if issubclass(kind, Purifier) else PURIFIERS):
            raise InvalidParameterError(f"there is already a defense called '{name}'; choose another name")
        if issubclass(kind, Purifier):
            PURIFIERS.register(name, kind, origin=origin_of(kind))
        elif issubclass(kind, Defense):
            MODELS.register(name, kind, origin=origin_of(kind))
        else:
            raise InvalidParameterError(f"{kind.__name__} must be a subclass of Defense, Model or Purifier")
        return kind

    return register


def before_a_gcn(purifier: Purifier, *, preset: TrainingPreset = DEEPROBUST) -> Purified:
    """What a purifier alone means: the purifier before a GCN."""
    return Purified(purifier, GCN(preset))


def make_defense(name: str, *, preset: TrainingPreset = DEEPROBUST) -> Defense:
    """The defense of that name with its default hyper-parameters.

    ``purifier+model`` puts a purifier before a model; a purifier alone stands before a GCN. Purifiers may follow
    one another: ``kces+jaccard+gat``.

    >>> make_defense("gcn")
    GCN(preset=TrainingPreset(name='deeprobust', ...), hidden=None)
    >>> type(make_defense("kces+jaccard").behind.purifier).__name__
    'Jaccard'
    """
    *before, last = name.strip().lower().split("+")
    if last in PURIFIERS:
        before, last = [*before, last], "gcn"
    if last not in MODELS or not PURIFIERS.keys() >= set(before):
        raise InvalidParameterError(
            f"unknown defense {name!r}; models: {', '.join(MODELS)}; purifiers: {', '.join(PURIFIERS)}; "
            f"together as purifier+model"
        )
    model = MODELS[last]
    defense: Defense = model(preset=preset) if issubclass(model, Model) else model()
    for purifier in reversed(before):
        defense = Purified(PURIFIERS[purifier](), defense)
    return defense
