"""Names of defenses as tables and the command line write them."""

from __future__ import annotations

from kces.errors import InvalidParameterError
from kces.lab.defenses.airgnn import AirGNN
from kces.lab.defenses.base import Defense, Model, Purifier
from kces.lab.defenses.cosine import Cosine
from kces.lab.defenses.edge_sanitization import KCESPaper, KCESRobust
from kces.lab.defenses.gat import GAT
from kces.lab.defenses.gcn import GCN
from kces.lab.defenses.gnnguard import GNNGuard
from kces.lab.defenses.gprgae import GPRGAE
from kces.lab.defenses.jaccard import Jaccard
from kces.lab.defenses.mlp import MLP
from kces.lab.defenses.noisegnn import NoiseGNN
from kces.lab.defenses.oracle import Oracle
from kces.lab.defenses.prognn import ProGNN
from kces.lab.defenses.purified import Purified
from kces.lab.defenses.rgcn import RGCN
from kces.lab.defenses.svd import SVD
from kces.lab.training import DEEPROBUST, TrainingPreset

__all__ = ["MODELS", "PURIFIERS", "make_defense"]

MODELS: dict[str, type[Model]] = {
    "mlp": MLP,
    "gcn": GCN,
    "gat": GAT,
    "rgcn": RGCN,
    "gnnguard": GNNGuard,
    "airgnn": AirGNN,
    "noisegnn": NoiseGNN,
    "prognn": ProGNN,
}

PURIFIERS: dict[str, type[Purifier]] = {
    "jaccard": Jaccard,
    "svd": SVD,
    "gpr-gae": GPRGAE,
    "kces": KCESRobust,
    "kces-paper": KCESPaper,
    "cosine": Cosine,
    "oracle": Oracle,
}


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
    defense: Defense = MODELS[last](preset=preset)
    for purifier in reversed(before):
        defense = Purified(PURIFIERS[purifier](), defense)
    return defense
